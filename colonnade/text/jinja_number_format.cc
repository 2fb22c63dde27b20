#include "colonnade/text/jinja_number_format.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "colonnade/text/jinja_unicode.h"

namespace colonnade::text::jinja {
namespace {

std::string digits_of(uint64_t value, unsigned base, bool upper) {
  std::string out;
  do {
    const unsigned digit = static_cast<unsigned>(value % base);
    out += static_cast<char>(digit < 10 ? '0' + digit : (upper ? 'A' : 'a') + digit - 10);
    value /= base;
  } while (value > 0);
  std::reverse(out.begin(), out.end());
  return out;
}

std::string with_commas(const std::string& number) {
  const size_t whole = std::min(number.find_first_not_of("0123456789"), number.size());
  std::string out;
  for (size_t i = 0; i < whole; ++i) {
    if (i > 0 && (whole - i) % 3 == 0) out += ',';
    out += number[i];
  }
  return out + number.substr(whole);
}

Text finish(Runtime& rt, bool negative, const std::string& prefix, std::string body,
            const NumberFormat& spec, bool trusted) {
  const std::string sign = negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
  if (spec.grouped) body = with_commas(body);
  const auto used = static_cast<int64_t>(sign.size() + prefix.size() + body.size());
  const bool zeros = spec.zero && spec.align == 0;
  const int64_t missing = std::max<int64_t>(0, spec.width - used);
  NumberFormat rest = spec;
  rest.precision = -1;
  if (zeros || spec.align == '=') {
    std::string padding;
    for (int64_t i = 0; i < missing; ++i) padding += zeros ? "0" : spec.fill.chars();
    return Text(sign + prefix + padding + body, trusted);
  }
  return pad_text(rt, Text(sign + prefix + body, trusted), rest, '>');
}

}  // namespace

Text pad_text(Runtime& rt, const Text& text, const NumberFormat& spec, char own_align) {
  size_t end = text.size();
  if (spec.precision >= 0) end = byte_of_char(text.chars(), spec.precision);
  const int64_t missing =
      std::max<int64_t>(0, spec.width - count_chars(std::string_view(text.chars()).substr(0, end)));
  const char align = spec.align == 0 ? own_align : spec.align;
  const int64_t left = align == '<' ? 0 : align == '^' ? missing / 2 : missing;
  TextBuilder out(rt);
  for (int64_t i = 0; i < left; ++i)
    out.append(spec.fill.chars(), spec.trusted && spec.fill.trusted());
  out.append(text, 0, end);
  for (int64_t i = left; i < missing; ++i)
    out.append(spec.fill.chars(), spec.trusted && spec.fill.trusted());
  return out.take();
}

Text format_integer(Runtime& rt, const Value& value, char type, const NumberFormat& spec) {
  const bool negative = value.integer < 0;
  const uint64_t size =
      negative ? 0 - static_cast<uint64_t>(value.integer) : static_cast<uint64_t>(value.integer);
  const unsigned base = type == 'd' ? 10 : type == 'o' ? 8 : type == 'b' ? 2 : 16;
  std::string body = digits_of(size, base, type == 'X');
  if (spec.precision > kMaxFormatPrecision) rt.fail("the precision of a format is too large");
  if (static_cast<int64_t>(body.size()) < spec.precision) {
    body.insert(0, static_cast<size_t>(spec.precision) - body.size(), '0');
  }
  const std::string prefix = spec.alternate && base != 10 ? std::string("0") + type : "";
  return finish(rt, negative, prefix, body, spec,
                value.trusted && spec.trusted && spec.fill.trusted());
}

Text format_real(Runtime& rt, const Value& value, char type, const NumberFormat& spec) {
  double number = value.as_real();
  const bool percent = type == '%';
  if (percent) number *= 100;
  if (spec.precision > kMaxFormatPrecision) rt.fail("the precision of a format is too large");
  const int precision = spec.precision < 0 ? 6 : static_cast<int>(spec.precision);
  const char pattern[] = {'%',
                          spec.alternate ? '#' : '.',
                          spec.alternate ? '.' : '*',
                          spec.alternate ? '*' : (percent ? 'f' : type),
                          spec.alternate ? (percent ? 'f' : type) : '\0',
                          '\0'};
  char buffer[1500];
  std::snprintf(buffer, sizeof(buffer), pattern, precision, std::fabs(number));
  std::string body = buffer;
  if (percent) body += '%';
  const bool trusted = value.trusted && spec.trusted && spec.fill.trusted();
  return finish(rt, std::signbit(number) && !std::isnan(number), "", body, spec, trusted);
}

}  // namespace colonnade::text::jinja
