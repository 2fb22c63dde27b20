// 16-bit floats: IEEE binary16 (f16) and bfloat16 (bf16), to and from f32, by integer arithmetic.
// Narrowing rounds half to even; denormals are kept; a NaN stays a NaN (quiet, upper payload bits
// kept). No mode of the CPU changes a result. Always inlined: the ISA objects use these too and
// must not emit a copy. Source: IEEE 754-2019 section 3.4 and 4.3.1; bfloat16 is the upper half of
// binary32.
#pragma once

#include <cstdint>

namespace colonnade {

/// Exact for all 65536 patterns.
[[gnu::always_inline]] constexpr float f16_to_f32(uint16_t half) {
  const uint32_t sign = uint32_t{half & 0x8000u} << 16;
  const uint32_t exponent = (half >> 10) & 0x1fu;
  const uint32_t mantissa = half & 0x3ffu;
  if (exponent == 0x1f) {  // infinity or NaN; bit 22 makes a NaN quiet, as hardware does
    const uint32_t quiet = mantissa != 0 ? 0x400000u : 0u;
    return __builtin_bit_cast(float, sign | 0x7f800000u | quiet | (mantissa << 13));
  }
  if (exponent == 0) {  // zero or denormal: mantissa * 2^-24 is exact in f32
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return __builtin_bit_cast(float, sign | __builtin_bit_cast(uint32_t, magnitude));
  }
  return __builtin_bit_cast(float, sign | ((exponent + 112) << 23) | (mantissa << 13));
}

/// `value` >> `shift` (1..31), rounded half to even.
[[gnu::always_inline]] constexpr uint32_t shift_right_half_even(uint32_t value, int shift) {
  const uint32_t half = uint32_t{1} << (shift - 1);
  const uint32_t odd = (value >> shift) & 1u;
  return (value + half - 1 + odd) >> shift;
}

[[gnu::always_inline]] constexpr uint16_t f32_to_f16(float value) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    return static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  }
  if (magnitude >= 0x47800000u) return static_cast<uint16_t>(sign | 0x7c00u);  // >= 2^16, infinity
  if (magnitude >= 0x38800000u) {  // >= 2^-14: normal; 65520 and above carries into infinity
    return static_cast<uint16_t>(sign | shift_right_half_even(magnitude - (112u << 23), 13));
  }
  if (magnitude < 0x33000000u) return static_cast<uint16_t>(sign);  // < 2^-25, rounds to zero
  const int shift = 126 - static_cast<int>(magnitude >> 23);        // 14..24
  const uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
  return static_cast<uint16_t>(sign | shift_right_half_even(significand, shift));
}

/// Exact for all 65536 patterns.
[[gnu::always_inline]] constexpr float bf16_to_f32(uint16_t bits) {
  return __builtin_bit_cast(float, uint32_t{bits} << 16);
}

[[gnu::always_inline]] constexpr uint16_t f32_to_bf16(float value) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace colonnade
