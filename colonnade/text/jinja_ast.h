// A template as a tree of statements and expressions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "colonnade/text/jinja_builtins.h"
#include "colonnade/text/jinja_operators.h"

namespace colonnade::text::jinja {

enum class ExprKind : uint8_t {
  constant,  // constant
  name,      // name
  list,
  tuple,  // children
  dict,   // children: key, value, key, value, ..
  negate,
  plus,
  logical_not,  // children: operand
  logical_and,
  logical_or,   // children: left, right
  binary,       // operation; children: left, right
  concat,       // children
  compare,      // children: first, second, ..; compares: between them
  conditional,  // children: test, then, else (null: undefined)
  attribute,    // child . name
  item,         // children: value, key
  slice,        // children: value, start, stop, step (null: left out)
  call,         // children: callee; arguments
  filter,       // builtin; children: value (null: the text of a block); arguments
  test,         // builtin; children: value; arguments
  space_ref,    // assignment target name.attribute: name, attribute
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Arguments {
  std::vector<ExprPtr> positional;
  std::vector<std::pair<std::string, ExprPtr>> keyword;
  ExprPtr star;         // *expr
  ExprPtr double_star;  // **expr
};

struct Expr {
  ExprKind kind = ExprKind::constant;
  Binary operation = Binary::add;
  int height = 1;  // levels below and including this one
  Where where;
  std::string name, attribute;
  Value constant;
  const Builtin* builtin = nullptr;
  std::vector<ExprPtr> children;
  std::vector<Compare> compares;
  Arguments arguments;
};

struct Statement;
using Body = std::vector<Statement>;

struct Signature {
  std::vector<std::string> names;
  std::vector<ExprPtr> defaults;  // of the last names
};

struct TextStatement {
  Value text;
};
struct OutputStatement {
  ExprPtr value;
};
struct IfStatement {
  std::vector<std::pair<ExprPtr, std::shared_ptr<Body>>> branches;
  std::shared_ptr<Body> otherwise;
};
struct ForStatement {
  ExprPtr target, items, filter;  // filter may be null
  bool recursive = false;
  std::shared_ptr<Body> body, otherwise;
};
struct SetStatement {
  ExprPtr target, value;
};
struct SetBlockStatement {
  ExprPtr target, filter;  // filter may be null
  std::shared_ptr<Body> body;
};
struct FilterStatement {
  ExprPtr filter;
  std::shared_ptr<Body> body;
};
struct MacroStatement {
  std::string name;
  Signature signature;
  std::shared_ptr<Body> body;
  bool uses_caller = false, uses_varargs = false, uses_kwargs = false;
};
struct CallStatement {
  MacroStatement caller;
  ExprPtr call;
};
struct ScopeStatement {  // with, generation
  std::vector<std::pair<ExprPtr, ExprPtr>> assignments;
  std::shared_ptr<Body> body;
};
struct BreakStatement {};
struct ContinueStatement {};

struct Statement {
  Where where;
  std::variant<TextStatement, OutputStatement, IfStatement, ForStatement, SetStatement,
               SetBlockStatement, FilterStatement, MacroStatement, CallStatement, ScopeStatement,
               BreakStatement, ContinueStatement>
      node;
};

}  // namespace colonnade::text::jinja
