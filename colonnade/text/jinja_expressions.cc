#include "colonnade/text/jinja_expressions.h"

#include <algorithm>
#include <charconv>

#include "colonnade/text/jinja_parser.h"

namespace colonnade::text::jinja {
namespace {

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::end:
      return "the end of the template";
    case TokenKind::output_end:
      return "'}}'";
    case TokenKind::statement_end:
      return "'%}'";
    case TokenKind::string:
      return "a string";
    case TokenKind::text:
      return "text";
    default:
      return "'" + token.value + "'";
  }
}

Value number(const Token& token, bool& good) {
  const char* begin = token.value.data();
  const char* end = begin + token.value.size();
  if (token.kind == TokenKind::real) {
    double value = 0;
    good = std::from_chars(begin, end, value).ec == std::errc();
    return make_real(value);
  }
  int64_t value = 0;
  good = std::from_chars(begin, end, value).ec == std::errc();
  return make_integer(value);
}

}  // namespace

ExpressionParser::Level::Level(ExpressionParser& parser) : parser_(parser) {
  if (++parser_.depth_ > kMaxNesting) {
    --parser_.depth_;
    throw TemplateError(
        TemplateError::Kind::limit, parser_.title_, parser_.current().where,
        concat("statements and expressions nest deeper than ", kMaxNesting, " levels"));
  }
}

void ExpressionParser::fail(Where where, const std::string& words) const {
  throw TemplateError(TemplateError::Kind::syntax, title_, where, words);
}

void ExpressionParser::unexpected(std::string_view wanted) const {
  fail(current().where, concat("expected ", wanted, ", got ", describe(current())));
}

bool ExpressionParser::skip_op(std::string_view op) {
  if (!current().is_op(op)) return false;
  advance();
  return true;
}

bool ExpressionParser::skip_name(std::string_view name) {
  if (!current().is_name(name)) return false;
  advance();
  return true;
}

void ExpressionParser::expect_op(std::string_view op) {
  if (!skip_op(op)) unexpected(concat("'", op, "'"));
}

void ExpressionParser::expect_name(std::string_view name) {
  if (!skip_name(name)) unexpected(concat("'", name, "'"));
}

std::string ExpressionParser::expect_identifier() {
  if (current().kind != TokenKind::name) unexpected("a name");
  return advance().value;
}

bool ExpressionParser::name_was_read(std::string_view name, size_t since) const {
  for (size_t i = since; i < position_; ++i) {
    if (tokens_[i].is_name(name)) return true;
  }
  return false;
}

ExprPtr ExpressionParser::node(ExprKind kind, Where where) const {
  auto made = std::make_unique<Expr>();
  made->kind = kind;
  made->where = where;
  return made;
}

// Chains like a + b + c grow in height without recursion here; walking them later recurses.
void ExpressionParser::adopt(Expr& parent, ExprPtr child) const {
  if (child) parent.height = std::max(parent.height, child->height + 1);
  if (parent.height > kMaxNesting) {
    throw TemplateError(TemplateError::Kind::limit, title_, parent.where,
                        concat("an expression nests deeper than ", kMaxNesting, " levels"));
  }
  parent.children.push_back(std::move(child));
}

ExprPtr ExpressionParser::expression(Conditional conditional) {
  const Level level(*this);
  return conditional == Conditional::allowed ? conditional_expression() : or_expression();
}

ExprPtr ExpressionParser::conditional_expression() {
  const Level level(*this);
  ExprPtr value = or_expression();
  while (current().is_name("if")) {
    const Where where = advance().where;
    ExprPtr test = or_expression();
    ExprPtr otherwise;
    if (skip_name("else")) otherwise = conditional_expression();
    value =
        node(ExprKind::conditional, where, std::move(test), std::move(value), std::move(otherwise));
  }
  return value;
}

ExprPtr ExpressionParser::or_expression() {
  ExprPtr left = and_expression();
  while (current().is_name("or")) {
    const Where where = advance().where;
    left = node(ExprKind::logical_or, where, std::move(left), and_expression());
  }
  return left;
}

ExprPtr ExpressionParser::and_expression() {
  ExprPtr left = not_expression();
  while (current().is_name("and")) {
    const Where where = advance().where;
    left = node(ExprKind::logical_and, where, std::move(left), not_expression());
  }
  return left;
}

ExprPtr ExpressionParser::not_expression() {
  const Level level(*this);
  if (!current().is_name("not")) return comparison();
  const Where where = advance().where;
  return node(ExprKind::logical_not, where, not_expression());
}

std::optional<Compare> ExpressionParser::compare_operator() {
  constexpr std::pair<std::string_view, Compare> kOperators[] = {
      {"==", Compare::equal},      {"!=", Compare::not_equal}, {"<", Compare::less},
      {"<=", Compare::less_equal}, {">", Compare::greater},    {">=", Compare::greater_equal}};
  for (const auto& [op, compare] : kOperators) {
    if (skip_op(op)) return compare;
  }
  if (skip_name("in")) return Compare::in;
  if (current().is_name("not") && look_ahead().is_name("in")) {
    advance();
    advance();
    return Compare::not_in;
  }
  return std::nullopt;
}

ExprPtr ExpressionParser::comparison() {
  ExprPtr first = sum();
  const Where where = current().where;
  auto op = compare_operator();
  if (!op) return first;
  ExprPtr made = node(ExprKind::compare, where, std::move(first));
  for (; op; op = compare_operator()) {
    made->compares.push_back(*op);
    adopt(*made, sum());
  }
  return made;
}

ExprPtr ExpressionParser::sum() {
  ExprPtr left = concatenation();
  while (current().is_op("+") || current().is_op("-")) {
    const Token& op = advance();
    ExprPtr made = node(ExprKind::binary, op.where, std::move(left), concatenation());
    made->operation = op.value == "+" ? Binary::add : Binary::subtract;
    left = std::move(made);
  }
  return left;
}

ExprPtr ExpressionParser::concatenation() {
  ExprPtr first = product();
  if (!current().is_op("~")) return first;
  ExprPtr made = node(ExprKind::concat, current().where, std::move(first));
  while (skip_op("~")) adopt(*made, product());
  return made;
}

ExprPtr ExpressionParser::product() {
  constexpr std::pair<std::string_view, Binary> kOperators[] = {{"*", Binary::multiply},
                                                                {"/", Binary::divide},
                                                                {"//", Binary::floor_divide},
                                                                {"%", Binary::modulo}};
  ExprPtr left = power();
  while (true) {
    const auto* op =
        std::find_if(std::begin(kOperators), std::end(kOperators),
                     [&](const auto& candidate) { return current().is_op(candidate.first); });
    if (op == std::end(kOperators)) return left;
    const Where where = advance().where;
    left = node(ExprKind::binary, where, std::move(left), power());
    left->operation = op->second;
  }
}

ExprPtr ExpressionParser::power() {
  ExprPtr left = unary(true);
  while (current().is_op("**")) {
    const Where where = advance().where;
    left = node(ExprKind::binary, where, std::move(left), unary(true));
    left->operation = Binary::power;
  }
  return left;
}

ExprPtr ExpressionParser::unary(bool with_filters) {
  const Level level(*this);
  const Where where = current().where;
  ExprPtr value;
  if (skip_op("-")) {
    value = node(ExprKind::negate, where, unary(false));
  } else if (skip_op("+")) {
    value = node(ExprKind::plus, where, unary(false));
  } else {
    value = primary(false);
  }
  value = postfix(std::move(value));
  return with_filters ? filters_and_tests(std::move(value)) : std::move(value);
}

ExprPtr ExpressionParser::primary(bool with_space) {
  const Token& token = current();
  ExprPtr made = node(ExprKind::constant, token.where);
  if (token.kind == TokenKind::name) {
    advance();
    if (token.value == "true" || token.value == "True" || token.value == "false" ||
        token.value == "False") {
      made->constant = make_boolean(token.value[0] == 't' || token.value[0] == 'T');
    } else if (token.value == "none" || token.value == "None") {
      made->constant = make_none();
    } else {
      made->kind = ExprKind::name;
      made->name = token.value;
      if (with_space && skip_op(".")) {
        made->kind = ExprKind::space_ref;
        made->attribute = expect_identifier();
      }
    }
    return made;
  }
  if (token.kind == TokenKind::string) {
    std::string joined;
    while (current().kind == TokenKind::string) joined += advance().value;
    made->constant = make_string(joined, true);
    return made;
  }
  if (token.kind == TokenKind::integer || token.kind == TokenKind::real) {
    bool good = true;
    made->constant = number(token, good);
    if (!good) fail(token.where, concat("the number ", token.value, " is too large"));
    advance();
    return made;
  }
  if (skip_op("(")) {
    made = tuple(Conditional::allowed, Empty::allowed);
    expect_op(")");
    return made;
  }
  if (token.is_op("[")) return list_literal();
  if (token.is_op("{")) return dict_literal();
  unexpected("an expression");
}

bool ExpressionParser::is_tuple_end(std::string_view end) const {
  const Token& token = current();
  return token.kind == TokenKind::output_end || token.kind == TokenKind::statement_end ||
         token.is_op(")") || (!end.empty() && token.is_name(end));
}

ExprPtr ExpressionParser::tuple(Conditional conditional, Empty empty, std::string_view end) {
  ExprPtr made = node(ExprKind::tuple, current().where);
  bool has_comma = false;
  while (!is_tuple_end(end)) {
    adopt(*made, expression(conditional));
    if (!skip_op(",")) break;
    has_comma = true;
  }
  if (has_comma) return made;
  if (!made->children.empty()) return std::move(made->children[0]);
  if (empty == Empty::excluded) unexpected("an expression");
  return made;
}

ExprPtr ExpressionParser::list_literal() {
  const Where where = advance().where;
  ExprPtr made = node(ExprKind::list, where);
  while (!current().is_op("]")) {
    adopt(*made, expression());
    if (!skip_op(",")) break;
  }
  expect_op("]");
  return made;
}

ExprPtr ExpressionParser::dict_literal() {
  const Where where = advance().where;
  ExprPtr made = node(ExprKind::dict, where);
  while (!current().is_op("}")) {
    adopt(*made, expression());
    expect_op(":");
    adopt(*made, expression());
    if (!skip_op(",")) break;
  }
  expect_op("}");
  return made;
}

}  // namespace colonnade::text::jinja
