// The question that the law of bits asks of two results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <gtest/gtest.h>

namespace colonnade::test {

/// Success if both hold the same bits; else a failure that names the first difference and how many
/// there are. -0 is not 0 here, and a NaN equals itself.
testing::AssertionResult same_bits(std::span<const float> actual, std::span<const float> expected);
testing::AssertionResult same_bits(std::span<const uint16_t> actual,
                                   std::span<const uint16_t> expected);
testing::AssertionResult same_bits(std::span<const std::byte> actual,
                                   std::span<const std::byte> expected);

}  // namespace colonnade::test
