// What follows a value in an expression: subscripts, calls, filters, tests. Also targets of
// assignments. Declared in jinja_expressions.h.
#include "colonnade/text/jinja_expressions.h"

namespace colonnade::text::jinja {

ExprPtr ExpressionParser::postfix(ExprPtr value) {
  while (true) {
    if (current().is_op(".") || current().is_op("[")) {
      value = subscript(std::move(value));
    } else if (current().is_op("(")) {
      value = call(std::move(value));
    } else {
      return value;
    }
  }
}

ExprPtr ExpressionParser::filters_and_tests(ExprPtr value) {
  while (true) {
    if (skip_op("|")) {
      value = filter(std::move(value));
    } else if (current().is_name("is")) {
      value = test(std::move(value));
    } else if (current().is_op("(")) {
      value = call(std::move(value));
    } else {
      return value;
    }
  }
}

ExprPtr ExpressionParser::filters(ExprPtr value, bool first_without_bar) {
  if (first_without_bar) value = filter(std::move(value));
  while (skip_op("|")) value = filter(std::move(value));
  return value;
}

ExprPtr ExpressionParser::subscript(ExprPtr value) {
  const Token& open = advance();
  if (open.value == "[") {
    value = subscript_part(std::move(value));
    expect_op("]");
    return value;
  }
  const Token& token = advance();
  if (token.kind == TokenKind::name) {
    ExprPtr made = node(ExprKind::attribute, token.where, std::move(value));
    made->name = token.value;
    return made;
  }
  if (token.kind != TokenKind::integer) fail(token.where, "expected a name or a number after '.'");
  ExprPtr key = node(ExprKind::constant, token.where);
  key->constant = make_integer(std::atoll(token.value.c_str()));
  return node(ExprKind::item, token.where, std::move(value), std::move(key));
}

ExprPtr ExpressionParser::subscript_part(ExprPtr value) {
  const Where where = current().where;
  const auto bound = [&]() -> ExprPtr {
    if (current().is_op(":") || current().is_op("]") || current().is_op(",")) return nullptr;
    return expression();
  };
  ExprPtr first = bound();
  if (skip_op(":")) {
    ExprPtr stop = bound();
    ExprPtr step = skip_op(":") ? bound() : nullptr;
    if (current().is_op(","))
      fail(current().where, "subscripts by several slices are not supported");
    return node(ExprKind::slice, where, std::move(value), std::move(first), std::move(stop),
                std::move(step));
  }
  if (!first) unexpected("an expression");
  if (current().is_op(",")) {
    ExprPtr keys = node(ExprKind::tuple, where, std::move(first));
    while (skip_op(",")) adopt(*keys, expression());
    first = std::move(keys);
  }
  return node(ExprKind::item, where, std::move(value), std::move(first));
}

void ExpressionParser::arguments(Expr& into) {
  const Where where = current().where;
  expect_op("(");
  Arguments& args = into.arguments;
  const auto take = [&] {
    ExprPtr value = expression();
    into.height = std::max(into.height, value->height + 1);
    return value;
  };
  while (!current().is_op(")")) {
    if (skip_op("*")) {
      if (args.star || args.double_star) fail(where, "only one *arguments is allowed in a call");
      args.star = take();
    } else if (skip_op("**")) {
      if (args.double_star) fail(where, "only one **arguments is allowed in a call");
      args.double_star = take();
    } else if (current().kind == TokenKind::name && look_ahead().is_op("=")) {
      if (args.double_star) fail(where, "keyword arguments come before **arguments");
      std::string name = advance().value;
      advance();
      args.keyword.emplace_back(std::move(name), take());
    } else {
      if (args.star || args.double_star || !args.keyword.empty()) {
        fail(where, "positional arguments come before keyword and * arguments");
      }
      args.positional.push_back(take());
    }
    if (!skip_op(",")) break;
  }
  expect_op(")");
}

ExprPtr ExpressionParser::call(ExprPtr callee) {
  const Where where = callee->where;
  ExprPtr made = node(ExprKind::call, where, std::move(callee));
  arguments(*made);
  return made;
}

std::string ExpressionParser::dotted_name() {
  std::string name = expect_identifier();
  while (skip_op(".")) name += "." + expect_identifier();
  return name;
}

ExprPtr ExpressionParser::filter(ExprPtr value) {
  ExprPtr made = node(ExprKind::filter, current().where, std::move(value));
  made->name = dotted_name();
  made->builtin = find_filter(made->name);
  if (made->builtin == nullptr) fail(made->where, concat("no filter named '", made->name, "'"));
  if (current().is_op("(")) arguments(*made);
  check_filter_by_name(*made);
  return made;
}

// map, select and their like name another filter or test by a string: a wrong one is found here if
// it is a constant.
void ExpressionParser::check_filter_by_name(const Expr& filter) const {
  const bool maps = filter.name == "map";
  const bool selects = filter.name == "select" || filter.name == "reject";
  const bool selects_by = filter.name == "selectattr" || filter.name == "rejectattr";
  const size_t at = selects_by ? 1 : 0;
  if (!(maps || selects || selects_by) || filter.arguments.positional.size() <= at) return;
  const Expr& argument = *filter.arguments.positional[at];
  if (argument.kind != ExprKind::constant || !argument.constant.is(Kind::string)) return;
  const std::string& name = argument.constant.chars();
  if (maps ? find_filter(name) == nullptr : find_test(name) == nullptr) {
    fail(argument.where, concat("no ", maps ? "filter" : "test", " named '", name, "'"));
  }
}

ExprPtr ExpressionParser::test(ExprPtr value) {
  const Where where = advance().where;
  const bool negated = skip_name("not");
  ExprPtr made = node(ExprKind::test, where, std::move(value));
  const Where name_where = current().where;
  made->name = dotted_name();
  made->builtin = find_test(made->name);
  if (made->builtin == nullptr) fail(name_where, concat("no test named '", made->name, "'"));
  const Token& next = current();
  const bool ends = next.is_name("else") || next.is_name("or") || next.is_name("and");
  const bool starts = next.kind == TokenKind::name || next.kind == TokenKind::string ||
                      next.kind == TokenKind::integer || next.kind == TokenKind::real ||
                      next.is_op("[") || next.is_op("{");
  if (next.is_op("(")) {
    arguments(*made);
  } else if (starts && !ends) {
    if (next.is_name("is")) fail(next.where, "tests cannot be chained with 'is'");
    ExprPtr argument = postfix(primary(false));
    made->height = std::max(made->height, argument->height + 1);
    made->arguments.positional.push_back(std::move(argument));
  }
  return negated ? node(ExprKind::logical_not, where, std::move(made)) : std::move(made);
}

ExprPtr ExpressionParser::assign_name() {
  const Where where = current().where;
  ExprPtr made = node(ExprKind::name, where);
  made->name = expect_identifier();
  for (const char* reserved : {"true", "false", "none", "True", "False", "None"}) {
    if (made->name == reserved) fail(where, concat("cannot assign to '", reserved, "'"));
  }
  return made;
}

ExprPtr ExpressionParser::assign_target(bool with_space, std::string_view end) {
  const Level level(*this);
  ExprPtr made = node(ExprKind::tuple, current().where);
  bool has_comma = false;
  while (!is_tuple_end(end) && !current().is_op("=")) {
    if (skip_op("(")) {
      adopt(*made, assign_target(with_space));
      expect_op(")");
    } else {
      ExprPtr target = primary(with_space);
      if (target->kind != ExprKind::name && target->kind != ExprKind::space_ref) {
        fail(target->where, "cannot assign to this: expected a name");
      }
      adopt(*made, std::move(target));
    }
    if (!skip_op(",")) break;
    has_comma = true;
  }
  if (has_comma) return made;
  if (made->children.empty()) unexpected("a name to assign to");
  return std::move(made->children[0]);
}

}  // namespace colonnade::text::jinja
