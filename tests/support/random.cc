#include "tests/support/random.h"

#include <cstddef>

namespace colonnade::test {

uint64_t Random::bits() {
  state_ += 0x9e3779b97f4a7c15u;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

float Random::uniform(float low, float high) {
  const float unit = static_cast<float>(bits() >> 40) * 0x1p-24f;  // [0, 1), exact
  return low + (high - low) * unit;
}

int64_t Random::integer(int64_t low, int64_t high) {
  const uint64_t count = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
  return low + static_cast<int64_t>(count == 0 ? bits() : bits() % count);
}

std::vector<float> random_floats(uint64_t seed, int64_t count, float scale) {
  Random random(seed);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = random.uniform(-scale, scale);
  return values;
}

}  // namespace colonnade::test
