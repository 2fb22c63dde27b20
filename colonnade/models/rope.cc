#include "colonnade/models/rope.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "colonnade/base/math.h"

namespace colonnade {
namespace {

constexpr double kTwoPi = 6.283185307179586;

float llama3_factor(float inverse, const Llama3Bands& bands) {
  const double wavelength = kTwoPi / static_cast<double>(inverse);
  if (wavelength < bands.original_context / bands.high_frequency_factor) return 1;
  if (wavelength > bands.original_context / bands.low_frequency_factor)
    return static_cast<float>(bands.factor);
  const double smooth = (bands.original_context / wavelength - bands.low_frequency_factor) /
                        (bands.high_frequency_factor - bands.low_frequency_factor);
  return static_cast<float>(1 / ((1 - smooth) / bands.factor + smooth));
}

/// YaRN: the dimension whose wavelength makes `rotations` turns over the original context.
double yarn_dimension(double rotations, const DecoderConfig& c) {
  return c.rotary_dim * math::log(c.rope_scaling.original_context / (rotations * kTwoPi)) /
         (2 * math::log(c.rope_theta));
}

void apply_yarn(const DecoderConfig& c, RopeFrequencies& f) {
  const RopeScaling& s = c.rope_scaling;
  const double last = c.rotary_dim - 1;
  double low = yarn_dimension(s.beta_fast, c), high = yarn_dimension(s.beta_slow, c);
  if (s.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(0.0, low);
  high = std::min(last, high);
  if (low == high) high += 0.001;
  for (size_t i = 0; i < f.inverse.size(); ++i) {
    const double ramp = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
    const double kept = 1 - ramp;
    const double inverse = f.inverse[i];
    f.inverse[i] = static_cast<float>(inverse / s.factor * (1 - kept) + inverse * kept);
  }
  f.attention_factor = static_cast<float>(s.attention_factor > 0 ? s.attention_factor
                                          : s.factor <= 1        ? 1.0
                                                                 : 0.1 * math::log(s.factor) + 1);
}

std::vector<float> inverse_frequencies(const DecoderConfig& c) {
  std::vector<float> inverse;
  const double log_theta = math::log(c.rope_theta);
  for (int i = 0; i < c.rotary_dim; i += 2) {
    const float exponent = static_cast<float>(i) / static_cast<float>(c.rotary_dim);
    const auto power = static_cast<float>(math::exp(static_cast<double>(exponent) * log_theta));
    inverse.push_back(1.0F / power);
  }
  return inverse;
}

}  // namespace

RopeFrequencies rope_frequencies(const DecoderConfig& c) {
  RopeFrequencies f;
  f.inverse = inverse_frequencies(c);
  for (size_t i = 0; i < c.rope_factors.size(); ++i) f.inverse[i] /= c.rope_factors[i];
  switch (c.rope_scaling.kind) {
    case RopeScaling::Kind::none:
      break;
    case RopeScaling::Kind::linear:
      for (float& x : f.inverse) x /= static_cast<float>(c.rope_scaling.factor);
      break;
    case RopeScaling::Kind::yarn:
      apply_yarn(c, f);
      break;
    case RopeScaling::Kind::longrope:  // its factors are divided by above
      f.attention_factor = static_cast<float>(c.rope_scaling.attention_factor);
      break;
  }
  return f;
}

std::vector<float> llama3_factors(const DecoderConfig& c, const Llama3Bands& bands) {
  std::vector<float> factors;
  for (const float inverse : inverse_frequencies(c))
    factors.push_back(llama3_factor(inverse, bands));
  return factors;
}

void extend_rope_table(Device& device, const RopeFrequencies& frequencies, int64_t positions,
                       RopeTable& table) {
  const auto half = static_cast<int64_t>(frequencies.inverse.size());
  const int64_t old = table.cosines ? table.cosines.rows() : 0;
  if (positions <= old || half == 0) return;
  const int64_t rows = std::max(positions, 2 * old);
  Tensor cosines = make_tensor(device, {rows, half});
  Tensor sines = make_tensor(device, {rows, half});
  if (old > 0) {
    std::memcpy(cosines.f32(), table.cosines.f32(),
                static_cast<size_t>(old * half) * sizeof(float));
    std::memcpy(sines.f32(), table.sines.f32(), static_cast<size_t>(old * half) * sizeof(float));
  }
  for (int64_t p = old; p < rows; ++p) {
    for (int64_t i = 0; i < half; ++i) {
      const float angle = static_cast<float>(p) * frequencies.inverse[static_cast<size_t>(i)];
      cosines.f32()[p * half + i] =
          static_cast<float>(math::cos(static_cast<double>(angle))) * frequencies.attention_factor;
      sines.f32()[p * half + i] =
          static_cast<float>(math::sin(static_cast<double>(angle))) * frequencies.attention_factor;
    }
  }
  table.cosines = cosines;
  table.sines = sines;
}

}  // namespace colonnade
