#include "colonnade/text/jinja_runtime.h"

#include "colonnade/text/jinja_unicode.h"

namespace colonnade::text::jinja {

void Runtime::fail(TemplateError::Kind kind, const std::string& words) const {
  throw TemplateError(kind, options_.title, where_, words);
}

std::tm Runtime::now() const {
  if (options_.now) return *options_.now;
  const std::time_t seconds = std::time(nullptr);
  std::tm local{};
  localtime_r(&seconds, &local);
  return local;
}

void Runtime::need_defined(const Value& value) const {
  if (value.is(Kind::undefined)) fail(value.text ? value.chars() : "an undefined value is used");
}

void Runtime::out_of_steps() const {
  fail(TemplateError::Kind::limit, concat("the template does more than ", options_.steps,
                                          " steps of work for this conversation"));
}

void Runtime::text_work(size_t added, size_t total) {
  constexpr size_t kBytesPerStep = 32;  // about what a step of the tree walk costs
  step(static_cast<int64_t>(1 + added / kBytesPerStep));
  if (static_cast<int64_t>(total) > options_.memory_bytes) {
    fail(TemplateError::Kind::limit,
         concat("a text grows beyond ", options_.memory_bytes, " bytes"));
  }
}

void Runtime::charge(int64_t bytes) {
  used_bytes_ += bytes;
  if (used_bytes_ > options_.memory_bytes) {
    fail(TemplateError::Kind::limit,
         concat("the template needs more than ", options_.memory_bytes, " bytes of memory"));
  }
}

Value Runtime::string(Text text) {
  const auto bytes = static_cast<int64_t>(text.size()) + 64;
  charge(bytes);
  Value v;
  v.kind = Kind::string;
  v.text = std::shared_ptr<const Text>(new Text(std::move(text)), [this, bytes](const Text* gone) {
    release(bytes);
    delete gone;
  });
  return v;
}

Value Runtime::list(std::vector<Value> items, Flavor flavor, bool trusted) {
  step(static_cast<int64_t>(items.size()));
  charge(static_cast<int64_t>(items.size() * sizeof(Value)));
  List* made = make<List>();
  made->items = std::move(items);
  made->flavor = flavor;
  made->trusted = trusted;
  Value v;
  v.kind = Kind::list;
  v.object = made;
  return v;
}

Value Runtime::dict(bool trusted) {
  Value v = object<Dict>(Kind::dict);
  as_dict(v).trusted = trusted;
  return v;
}

void Runtime::set(Dict& dict, const Value& name, const Value& value) {
  const std::string key = dict_key(name);
  if (key.empty()) fail(concat("unhashable type: '", type_name(name), "' cannot be a key"));
  charge(static_cast<int64_t>(2 * sizeof(Value) + 2 * key.size() + 64));
  step();
  dict.set(key, name, value);
}

Value Runtime::callable(std::string name, std::function<Value(Runtime&, const Args&)> call) {
  Value v = object<Callable>(Kind::callable);
  auto& made = static_cast<Callable&>(*v.object);
  made.name = std::move(name);
  made.call = std::move(call);
  return v;
}

Value Runtime::call(const Value& callee, const Args& args) {
  need_defined(callee);
  if (callee.is(Kind::callable)) return static_cast<Callable&>(*callee.object).call(*this, args);
  if (callee.is(Kind::loop)) {
    const auto& loop = static_cast<Loop&>(*callee.object);
    if (!loop.recurse) fail("the loop must be marked 'recursive' to be called");
    if (args.positional.size() != 1 || !args.keyword.empty()) fail("loop() takes one argument");
    return loop.recurse(*this, args.positional[0]);
  }
  fail(concat("'", type_name(callee), "' object is not callable"));
}

std::vector<Value> Runtime::iterate(const Value& value) {
  std::vector<Value> items;
  switch (value.kind) {
    case Kind::undefined:
      return items;
    case Kind::list: {
      List& list = as_list(value);
      const size_t from = list.flavor == Flavor::iterator ? list.taken : 0;
      step(static_cast<int64_t>(list.items.size() - from));
      items.assign(list.items.begin() + static_cast<std::ptrdiff_t>(from), list.items.end());
      list.taken = list.items.size();
      return items;
    }
    case Kind::dict:
      for (const auto& [name, ignored] : as_dict(value).entries) items.push_back(name);
      step(static_cast<int64_t>(items.size()));
      return items;
    case Kind::string:
      for (size_t pos = 0; pos < value.chars().size();) {
        const size_t begin = pos;
        next_char(value.chars(), pos);
        step();
        items.push_back(string(value.text->slice(begin, pos)));
      }
      return items;
    default:
      fail(concat("'", type_name(value), "' object is not iterable"));
  }
}

Runtime::Level::Level(Runtime& runtime) : runtime_(runtime) {
  if (runtime.depth_ >= kMaxDepth) {
    runtime.fail(TemplateError::Kind::limit,
                 concat("the template or its values nest deeper than ", kMaxDepth, " levels"));
  }
  ++runtime_.depth_;
}

void TextBuilder::append(const Text& other, size_t begin, size_t end) {
  runtime_.text_work(end - begin, text_.size() + (end - begin));
  text_.append(other, begin, end);
}

}  // namespace colonnade::text::jinja
