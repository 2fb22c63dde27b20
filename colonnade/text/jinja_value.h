// Values of a template while it renders, with Python's types and manners. Strings carry their
// author's marks in Text, numbers and containers one mark. Containers live in the Heap of one
// rendering, so they may refer to each other freely.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "colonnade/text/jinja_text.h"

namespace colonnade::text::jinja {

class Runtime;
struct Object;
struct Value;

enum class Kind : uint8_t {
  undefined,
  none,
  boolean,
  integer,
  real,
  string,
  list,
  dict,
  space,
  callable,
  loop
};

/// A small handle: scalars inline, strings shared, containers owned by the Heap.
struct Value {
  Kind kind = Kind::undefined;
  bool trusted = true;  // scalars: the template made it
  bool markup = false;  // string: HTML-escaped already (`safe`, `escape`)
  int64_t integer = 0;  // boolean and integer
  double real = 0;      // real
  std::shared_ptr<const Text>
      text;  // string; undefined: why it is; real: digits that print, if not its own
  Object* object = nullptr;  // list, dict, space, callable, loop

  bool is(Kind k) const { return kind == k; }
  bool is_number() const {
    return kind == Kind::boolean || kind == Kind::integer || kind == Kind::real;
  }
  bool is_integer() const { return kind == Kind::boolean || kind == Kind::integer; }
  double as_real() const { return kind == Kind::real ? real : static_cast<double>(integer); }
  const std::string& chars() const { return text->chars(); }
};

Value make_none();
Value make_boolean(bool value, bool trusted = true);
Value make_integer(int64_t value, bool trusted = true);
Value make_real(double value, bool trusted = true);
Value make_string(Text text);
inline Value make_string(std::string_view chars, bool trusted) {
  return make_string(Text(chars, trusted));
}
/// An undefined value; `why` is the error if it is used.
Value make_undefined(std::string_view why);

struct Object {
  virtual ~Object() = default;
};

/// How a list behaves and prints: Python has many iterables, we have one with a flavour.
enum class Flavor : uint8_t {
  list,
  tuple,
  range,
  keys,
  values,
  items,
  iterator,
  group /* of groupby: a tuple with names */
};

struct List : Object {
  std::vector<Value> items;
  Flavor flavor = Flavor::list;
  bool trusted = true;                    // who chose the punctuation when it is printed
  size_t taken = 0;                       // iterator: items already handed out
  int64_t start = 0, stop = 0, step = 1;  // range: how it prints
};

/// Keys keep their order of insertion.
struct Dict : Object {
  std::vector<std::pair<Value, Value>> entries;
  std::unordered_map<std::string, size_t> index;  // dict_key -> position in entries
  bool trusted = true;

  const Value* find(const std::string& key) const;
  void set(const std::string& key, const Value& name, const Value& value);
  bool erase(const std::string& key);
};

struct Space : Object {  // namespace(): attributes that blocks may set
  std::vector<std::pair<std::string, Value>> attributes;
  Value* find(std::string_view name);
};

/// Arguments of a call as written.
struct Args {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> keyword;
};

struct Callable : Object {
  std::string name;
  std::function<Value(Runtime&, const Args&)> call;
  std::vector<std::pair<std::string, Value>> attributes;
};

/// `loop` inside a for statement.
struct Loop : Object {
  size_t index = 0;  // of the current item
  size_t count = 0;
  Value previous, next;  // items; undefined at the ends
  int depth = 1;
  bool has_changed = false;
  std::vector<Value> last_changed;
  std::function<Value(Runtime&, const Value&)> recurse;  // set if the loop is recursive
};

List& as_list(const Value& value);
Dict& as_dict(const Value& value);

/// Python's name of the value's type, for messages.
std::string type_name(const Value& value);

/// What a dict looks `key` up by (1, 1.0 and True are one key); empty if the value cannot be a key.
std::string dict_key(const Value& key);

}  // namespace colonnade::text::jinja
