#include "colonnade/text/jinja_convert.h"

#include <charconv>

#include <nlohmann/json.hpp>

#include "colonnade/text/jinja_strings.h"
#include "colonnade/text/jinja_unicode.h"

namespace colonnade::text::jinja {
namespace {

using Json = nlohmann::ordered_json;

std::string_view stripped(std::string_view text) {
  while (!text.empty()) {
    size_t pos = 0;
    if (!is_space(next_char(text, pos))) break;
    text.remove_prefix(pos);
  }
  while (!text.empty()) {
    const size_t last = prev_char(text, text.size());
    size_t pos = last;
    if (!is_space(next_char(text, pos))) break;
    text = text.substr(0, last);
  }
  return text;
}

// Digits without the single underscores that Python allows between them; nothing if one stands
// elsewhere.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      out += text[i];
      continue;
    }
    const auto is_digit_at = [&](size_t at) {
      return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at]));
    };
    if (i == 0 || !is_digit_at(i - 1) || !is_digit_at(i + 1)) return std::nullopt;
  }
  return out;
}

class JsonReader {
 public:
  JsonReader(Runtime& rt, bool trusted) : rt_(rt), trusted_(trusted) {}

  Value read(const Json& json, int depth) {
    rt_.step();
    if (depth > kMaxJsonDepth) {
      rt_.fail(TemplateError::Kind::limit,
               concat("JSON nests deeper than ", kMaxJsonDepth, " levels"));
    }
    switch (json.type()) {
      case Json::value_t::boolean:
        return make_boolean(json.get<bool>(), trusted_);
      case Json::value_t::number_integer:
        return make_integer(json.get<int64_t>(), trusted_);
      case Json::value_t::number_unsigned:
        if (json.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
          return wide(json.get<uint64_t>());
        return make_integer(json.get<int64_t>(), trusted_);
      case Json::value_t::number_float:
        return make_real(json.get<double>(), trusted_);
      case Json::value_t::string:
        return rt_.string(json.get_ref<const std::string&>(), trusted_);
      case Json::value_t::array: {
        std::vector<Value> items;
        for (const Json& item : json) items.push_back(read(item, depth + 1));
        return rt_.list(std::move(items), Flavor::list, trusted_);
      }
      case Json::value_t::object: {
        const Value made = rt_.dict(trusted_);
        for (const auto& [name, value] : json.items()) {
          rt_.set(as_dict(made), rt_.string(name, trusted_), read(value, depth + 1));
        }
        return made;
      }
      default: {
        Value none = make_none();
        none.trusted = trusted_;
        return none;
      }
    }
  }

 private:
  // An integer of 64 bits without sign: arithmetic takes it for a real, but it prints with all its
  // digits.
  Value wide(uint64_t integer) {
    Value made = rt_.string(std::to_string(integer), trusted_);
    made.kind = Kind::real;
    made.trusted = trusted_;
    made.real = static_cast<double>(integer);
    return made;
  }

  Runtime& rt_;
  bool trusted_;
};

}  // namespace

std::optional<int64_t> parse_integer(Runtime& rt, std::string_view text, int64_t base) {
  text = stripped(text);
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  const auto prefix = [&](char letter) {
    return text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == letter;
  };
  for (const auto& [letter, wanted] : {std::pair{'x', 16}, std::pair{'o', 8}, std::pair{'b', 2}}) {
    if ((base == wanted || base == 0) && prefix(letter)) {
      text.remove_prefix(text[2] == '_' ? 3 : 2);
      base = wanted;
      break;
    }
  }
  if (base == 0) base = 10;
  if (base < 2 || base > 36) rt.fail("int: the base must be 0 or from 2 to 36");
  const auto digits = without_underscores(text);
  if (!digits || digits->empty() || (*digits)[0] == '-') return std::nullopt;
  const std::string number = (negative ? "-" : "") + *digits;
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), value, static_cast<int>(base));
  if (end != number.data() + number.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range)
    rt.fail("int: the number is too large: integers have 64 bits");
  return error == std::errc() ? std::optional<int64_t>(value) : std::nullopt;
}

std::optional<double> parse_real(std::string_view text) {
  text = stripped(text);
  if (!text.empty() && text[0] == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text[0] == '-') return std::nullopt;
  }
  const auto plain = without_underscores(text);
  if (!plain || plain->empty()) return std::nullopt;
  // from_chars also takes nan(payload), which Python refuses.
  if (plain->find('(') != std::string::npos) return std::nullopt;
  double value = 0;
  const char* last = plain->data() + plain->size();
  const auto [end, error] = std::from_chars(plain->data(), last, value);
  if (end != last || error == std::errc::invalid_argument) return std::nullopt;
  // Out of range: strtod knows which way.
  return error == std::errc() ? value : std::strtod(plain->c_str(), nullptr);
}

Value from_json(Runtime& rt, const Json& json) { return JsonReader(rt, false).read(json, 0); }

Value parse_json(Runtime& rt, const Value& text) {
  rt.text_work(16 * text.chars().size(), 0);
  // The parser itself would nest without bound.
  const auto limit_depth = [](int depth, Json::parse_event_t, Json&) {
    if (depth > kMaxJsonDepth) throw Error("too deep");
    return true;
  };
  Json json;
  try {
    json = Json::parse(text.chars(), limit_depth);
  } catch (const Error&) {
    rt.fail(TemplateError::Kind::limit,
            concat("from_json: JSON nests deeper than ", kMaxJsonDepth, " levels"));
  } catch (const Json::exception& error) {
    rt.fail(concat("from_json: not JSON: ", error.what()));
  }
  return JsonReader(rt, text.text->trusted()).read(json, 0);
}

}  // namespace colonnade::text::jinja
