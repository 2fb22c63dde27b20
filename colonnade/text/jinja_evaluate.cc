// Evaluates expressions. Declared in jinja_render.h.
#include "colonnade/text/jinja_print.h"
#include "colonnade/text/jinja_render.h"

namespace colonnade::text::jinja {

Value Renderer::evaluate(const Expr& expr) {
  const Runtime::Level level(rt_);
  rt_.step();
  if (expr.kind == ExprKind::constant) return expr.constant;
  if (expr.kind == ExprKind::name) return lookup(expr.name);
  return evaluate_kind(expr);
}

Value Renderer::evaluate_kind(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::list:
    case ExprKind::tuple:
      return evaluate_list(expr);
    case ExprKind::dict:
      return evaluate_dict(expr);
    case ExprKind::logical_and:
    case ExprKind::logical_or: {
      Value left = evaluate(*expr.children[0]);
      return truthy(left) == (expr.kind == ExprKind::logical_or) ? left
                                                                 : evaluate(*expr.children[1]);
    }
    case ExprKind::conditional:
      if (truthy(evaluate(*expr.children[0]))) return evaluate(*expr.children[1]);
      if (expr.children[2]) return evaluate(*expr.children[2]);
      return make_undefined("the inline if-expression has no else and its condition is false");
    case ExprKind::concat:
      return evaluate_concat(expr);
    case ExprKind::compare:
      return evaluate_compare(expr);
    case ExprKind::slice:
      return evaluate_slice(expr);
    case ExprKind::call:
      return evaluate_call(expr);
    case ExprKind::filter:
      return apply_filter(expr, {});
    default:
      return evaluate_operation(expr);
  }
}

// What first evaluates its one or two operands and then does one thing with them.
Value Renderer::evaluate_operation(const Expr& expr) {
  const Value first = evaluate(*expr.children[0]);
  const Value second = expr.children.size() > 1 ? evaluate(*expr.children[1]) : Value();
  Args args;
  if (expr.kind == ExprKind::test) args = evaluate_arguments(expr.arguments);
  rt_.at(expr.where);
  switch (expr.kind) {
    case ExprKind::negate:
      return negate(rt_, first);
    case ExprKind::plus:
      return plus(rt_, first);
    case ExprKind::logical_not:
      return make_boolean(!truthy(first), first.trusted);
    case ExprKind::binary:
      return binary(rt_, expr.operation, first, second);
    case ExprKind::attribute:
      return attribute(rt_, first, expr.name);
    case ExprKind::item:
      return item(rt_, first, second);
    case ExprKind::test:
      return expr.builtin->call(rt_, first, args);
    default:
      CN_ASSERT(false, "an expression of kind ", static_cast<int>(expr.kind),
                " stands where a value is read");
  }
  return {};
}

Value Renderer::evaluate_list(const Expr& expr) {
  std::vector<Value> items;
  items.reserve(expr.children.size());
  for (const ExprPtr& child : expr.children) items.push_back(evaluate(*child));
  rt_.at(expr.where);
  return rt_.list(std::move(items), expr.kind == ExprKind::list ? Flavor::list : Flavor::tuple);
}

Value Renderer::evaluate_dict(const Expr& expr) {
  Value made = rt_.dict();
  for (size_t i = 0; i + 1 < expr.children.size(); i += 2) {
    const Value key = evaluate(*expr.children[i]);
    const Value value = evaluate(*expr.children[i + 1]);
    rt_.at(expr.where);
    rt_.set(as_dict(made), key, value);
  }
  return made;
}

Value Renderer::evaluate_compare(const Expr& expr) {
  Value left = evaluate(*expr.children[0]);
  bool trusted = left.trusted;
  for (size_t i = 0; i < expr.compares.size(); ++i) {
    Value right = evaluate(*expr.children[i + 1]);
    trusted = trusted && right.trusted;
    rt_.at(expr.where);
    if (!compare(rt_, expr.compares[i], left, right)) return make_boolean(false, trusted);
    left = std::move(right);
  }
  return make_boolean(true, trusted);
}

Value Renderer::evaluate_concat(const Expr& expr) {
  TextBuilder out(rt_);
  for (const ExprPtr& child : expr.children) {
    const Value part = evaluate(*child);
    rt_.at(expr.where);
    append_str(rt_, out, part);
  }
  return out.value();
}

Value Renderer::evaluate_slice(const Expr& expr) {
  const Value object = evaluate(*expr.children[0]);
  const auto bound = [&](size_t i) -> std::optional<int64_t> {
    if (!expr.children[i]) return std::nullopt;
    const Value value = evaluate(*expr.children[i]);
    rt_.at(expr.where);
    if (value.is(Kind::none)) return std::nullopt;
    if (!value.is_integer())
      rt_.fail(concat("slice bounds must be integers, not ", type_name(value)));
    return value.integer;
  };
  const Slice bounds{bound(1), bound(2), bound(3)};
  rt_.at(expr.where);
  return slice(rt_, object, bounds);
}

Value Renderer::evaluate_call(const Expr& expr) {
  const Value callee = evaluate(*expr.children[0]);
  const Args args = evaluate_arguments(expr.arguments);
  rt_.at(expr.where);
  return rt_.call(callee, args);
}

Value Renderer::apply_filter(const Expr& expr, const Value& block_text) {
  // A filter of a block has no value at the innermost place of its chain.
  const Expr* inner = expr.children[0].get();
  const bool chained = inner != nullptr && inner->kind == ExprKind::filter;
  const Value object = inner == nullptr ? block_text
                       : chained        ? apply_filter(*inner, block_text)
                                        : evaluate(*inner);
  const Args args = evaluate_arguments(expr.arguments);
  rt_.at(expr.where);
  rt_.step();
  return expr.builtin->call(rt_, object, args);
}

Args Renderer::evaluate_arguments(const Arguments& arguments) {
  Args args;
  for (const ExprPtr& expr : arguments.positional) args.positional.push_back(evaluate(*expr));
  for (const auto& [name, expr] : arguments.keyword)
    args.keyword.emplace_back(name, evaluate(*expr));
  if (arguments.star) {
    for (Value& value : rt_.iterate(evaluate(*arguments.star)))
      args.positional.push_back(std::move(value));
  }
  if (arguments.double_star) {
    const Value more = evaluate(*arguments.double_star);
    if (!more.is(Kind::dict)) rt_.fail("the argument after ** must be a mapping");
    for (const auto& [name, value] : as_dict(more).entries) {
      if (!name.is(Kind::string)) rt_.fail("keywords must be strings");
      args.keyword.emplace_back(name.chars(), value);
    }
  }
  return args;
}

}  // namespace colonnade::text::jinja
