#include "colonnade/models/alibi.h"

#include "colonnade/base/math.h"

namespace colonnade {
namespace {

constexpr double kLn2 = 0.6931471805599453;

float slope(int heads, int64_t head) {
  int64_t n = 1;
  while (2 * n <= heads) n *= 2;
  const double turns = head < n
                           ? 8.0 * static_cast<double>(head + 1) / static_cast<double>(n)
                           : 4.0 * static_cast<double>(2 * (head - n) + 1) / static_cast<double>(n);
  return static_cast<float>(math::exp(-turns * kLn2));
}

}  // namespace

Tensor alibi_slopes(Device& device, int heads, Range mine) {
  Tensor slopes = make_tensor(device, {mine.size()});
  for (int64_t i = 0; i < mine.size(); ++i) slopes.f32()[i] = slope(heads, mine.begin + i);
  return slopes;
}

}  // namespace colonnade
