#include "colonnade/text/unicode_ranges.h"

namespace colonnade::text {
namespace {

constexpr UnicodeRange kRanges[] = {
#include "colonnade/text/unicode_ranges.inc"
};

}  // namespace

std::span<const UnicodeRange> unicode_ranges() noexcept { return kRanges; }

}  // namespace colonnade::text
