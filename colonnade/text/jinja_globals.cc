// Functions that every template knows. Declared in jinja_builtins.h.
#include <ctime>

#include "colonnade/text/jinja_builtins.h"
#include "colonnade/text/jinja_collections.h"
#include "colonnade/text/jinja_operators.h"
#include "colonnade/text/jinja_print.h"

namespace colonnade::text::jinja {
namespace {

// As in Jinja's sandbox.
constexpr int64_t kMaxRange = 100000;

Value range(Runtime& rt, const Args& args) {
  const Bound bound(rt, "range", "start;stop,step", args);
  int64_t start = 0;
  int64_t stop = bound.integer(0, 0);
  if (args.positional.size() > 1) {
    start = stop;
    stop = bound.integer(1, 0);
  }
  const int64_t step = bound.integer(2, 1);
  if (step == 0) rt.fail("range: the step must not be zero");
  // Differences of 64-bit numbers need more than 64 bits.
  const auto span =
      step > 0 ? static_cast<__int128>(stop) - start : static_cast<__int128>(start) - stop;
  const auto width = step > 0 ? static_cast<__int128>(step) : -static_cast<__int128>(step);
  const auto count = span > 0 ? (span + width - 1) / width : 0;
  if (count > kMaxRange) rt.fail(concat("range: too big: more than ", kMaxRange, " items"));
  bool trusted = true;
  for (const Value& value : args.positional) trusted = trusted && value.trusted;
  std::vector<Value> items;
  for (int64_t i = 0; i < static_cast<int64_t>(count); ++i)
    items.push_back(make_integer(start + i * step, trusted));
  Value made = rt.list(std::move(items), Flavor::range, trusted);
  List& list = as_list(made);
  list.start = start;
  list.stop = stop;
  list.step = step;
  return made;
}

// The pairs that dict(mapping or pairs, key=value) and namespace(...) mean.
Value make_dict(Runtime& rt, const Args& args) {
  if (args.positional.size() > 1) rt.fail("dict: expected at most one mapping or list of pairs");
  const Value made = rt.dict(args.positional.empty() || owned_by_template(args.positional[0]));
  for (const Value& source : args.positional) {
    rt.need_defined(source);
    if (source.is(Kind::dict)) {
      for (const auto& [name, value] : as_dict(source).entries) rt.set(as_dict(made), name, value);
      continue;
    }
    for (const Value& pair : rt.iterate(source)) {
      const std::vector<Value> parts = rt.iterate(pair);
      if (parts.size() != 2) rt.fail("dict: expected pairs of key and value");
      rt.set(as_dict(made), parts[0], parts[1]);
    }
  }
  for (const auto& [name, value] : args.keyword)
    rt.set(as_dict(made), rt.string(name, true), value);
  return made;
}

Value make_space(Runtime& rt, const Args& args) {
  const Value pairs = make_dict(rt, args);
  const Value made = rt.object<Space>(Kind::space);
  for (const auto& [name, value] : as_dict(pairs).entries) {
    if (!name.is(Kind::string)) rt.fail("namespace: names must be strings");
    static_cast<Space&>(*made.object).attributes.emplace_back(name.chars(), value);
  }
  return made;
}

Value raise_exception(Runtime& rt, const Args& args) {
  const Bound bound(rt, "raise_exception", "message", args);
  rt.fail(TemplateError::Kind::refused, str(rt, bound[0]).chars());
}

Value strftime_now(Runtime& rt, const Args& args) {
  const Bound bound(rt, "strftime_now", "format", args);
  const Text* format = bound.text(0);
  if (format == nullptr) rt.fail("strftime_now: expected a format");
  const std::tm now = rt.now();
  TextBuilder out(rt);
  const std::string& chars = format->chars();
  for (size_t i = 0; i < chars.size(); ++i) {
    if (chars[i] != '%' || i + 1 >= chars.size()) {
      out.append(*format, i, i + 1);
      continue;
    }
    // One conversion at a time: text in between keeps its own mark, and none can be too long.
    const bool trusted = format->trusted(i, i + 2);
    const size_t flag = chars[i + 1] == '-' && i + 2 < chars.size() ? 1 : 0;
    char buffer[256];
    const std::string one = chars.substr(i, 2 + flag);
    const size_t written = std::strftime(buffer, sizeof(buffer), one.c_str(), &now);
    out.append(std::string_view(buffer, written), trusted);
    i += 1 + flag;
  }
  return out.value();
}

struct Cycle : Object {
  std::vector<Value> items;
  size_t index = 0;
};

Value cycler(Runtime& rt, const Args& args) {
  if (args.positional.empty() || !args.keyword.empty())
    rt.fail("cycler: at least one item has to be provided");
  const Value made = rt.object<Space>(Kind::space);
  auto& attributes = static_cast<Space&>(*made.object).attributes;
  auto* cycle = rt.make<Cycle>();
  cycle->items = args.positional;
  attributes.emplace_back("current", args.positional[0]);
  const auto move_to = [cycle, &attributes](size_t index) {
    cycle->index = index % cycle->items.size();
    attributes[0].second = cycle->items[cycle->index];
  };
  attributes.emplace_back("next", rt.callable("next", [cycle, move_to](Runtime&, const Args&) {
    Value now = cycle->items[cycle->index];
    move_to(cycle->index + 1);
    return now;
  }));
  attributes.emplace_back("reset", rt.callable("reset", [move_to](Runtime&, const Args&) {
    move_to(0);
    return make_none();
  }));
  return made;
}

Value joiner(Runtime& rt, const Args& args) {
  const Bound bound(rt, "joiner", ";sep", args);
  const Value separator = bound.find(0) == nullptr ? rt.string(", ", true) : bound[0];
  auto* state = rt.make<Loop>();
  return rt.callable("joiner", [state, separator](Runtime& runtime, const Args&) {
    return std::exchange(state->has_changed, true) ? separator : runtime.string("", true);
  });
}

}  // namespace

Value find_global(Runtime& rt, std::string_view name) {
  constexpr std::pair<std::string_view, Value (*)(Runtime&, const Args&)> kGlobals[] = {
      {"cycler", cycler},
      {"dict", make_dict},
      {"joiner", joiner},
      {"namespace", make_space},
      {"raise_exception", raise_exception},
      {"range", range},
      {"strftime_now", strftime_now},
  };
  for (const auto& [global, function] : kGlobals) {
    if (global == name) return rt.callable(std::string(name), function);
  }
  return make_undefined(concat("'", name, "' is undefined"));
}

}  // namespace colonnade::text::jinja
