// The filters, tests and global functions a template may name, and how they receive their
// arguments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "colonnade/text/jinja_runtime.h"

namespace colonnade::text::jinja {

/// Arguments matched to a builtin's parameters.
class Bound {
 public:
  /// `parameters`: names separated by commas; those before a ';' are required. Throws if an
  /// argument fits none.
  Bound(Runtime& rt, std::string_view name, std::string_view parameters, const Args& args);

  /// Argument `i`, or null if it was left out.
  const Value* find(size_t i) const { return slots_[i]; }
  const Value& operator[](size_t i) const { return *slots_[i]; }
  int64_t integer(size_t i, int64_t otherwise) const;
  bool boolean(size_t i, bool otherwise) const;
  /// Null if the argument was left out or is None. Throws if it is no string.
  const Text* text(size_t i) const;

 private:
  Runtime& rt_;
  std::string_view name_;
  std::vector<const Value*> slots_;
};

/// One filter (value | name(args)) or test (value is name(args)).
struct Builtin {
  std::string_view name;
  std::string_view parameters;  // see Bound; "*": takes its arguments as written
  Value (*bound)(Runtime& rt, const Value& self, const Bound& args) = nullptr;
  Value (*raw)(Runtime& rt, const Value& self, const Args& args) = nullptr;

  Value call(Runtime& rt, const Value& self, const Args& args) const;
};

/// Null if there is none of that name.
const Builtin* find_filter(std::string_view name);
const Builtin* find_test(std::string_view name);

/// The parts of the tables, by theme; each ends with an entry without a name.
extern const Builtin kTextFilters[];
extern const Builtin kListFilters[];
extern const Builtin kSelectFilters[];
extern const Builtin kValueFilters[];
extern const Builtin kPrettyFilters[];
extern const Builtin kWrapFilters[];
extern const Builtin kTests[];

/// A function or class that every template knows (range, namespace, raise_exception, ...).
/// Undefined if there is none.
Value find_global(Runtime& rt, std::string_view name);

}  // namespace colonnade::text::jinja
