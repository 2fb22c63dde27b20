#include "colonnade/text/jinja_parser.h"

#include "colonnade/text/jinja_expressions.h"

namespace colonnade::text::jinja {
namespace {

class Parser : public ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;

  Body run() {
    Body body;
    read_body(body, {});
    return body;
  }

 private:
  using Ends = std::initializer_list<std::string_view>;

  // Reads statements up to a tag named by one of `ends`; that name is then current.
  void read_body(Body& body, Ends ends) {
    const Level level(*this);
    const Where opened = current().where;
    while (current().kind != TokenKind::end) {
      const Where where = current().where;
      if (current().kind == TokenKind::text) {
        body.push_back({where, TextStatement{make_string(advance().value, true)}});
      } else if (current().kind == TokenKind::output_begin) {
        advance();
        body.push_back({where, OutputStatement{tuple(Conditional::allowed, Empty::excluded)}});
        expect_end(TokenKind::output_end, "'}}'");
      } else {
        advance();
        for (const std::string_view end : ends) {
          if (current().is_name(end)) return;
        }
        read_statement(body, where);
        expect_end(TokenKind::statement_end, "'%}'");
      }
    }
    if (ends.size() > 0) {
      fail(opened, concat("the block that starts here has no end: expected {% ",
                          *std::prev(ends.end()), " %}"));
    }
  }

  void expect_end(TokenKind kind, std::string_view shown) {
    if (current().kind != kind) unexpected(shown);
    advance();
  }

  // The body of a block: the rest of the tag that opened it, and all up to one of `ends`.
  std::shared_ptr<Body> block(Ends ends) {
    skip_op(":");
    expect_end(TokenKind::statement_end, "'%}'");
    auto body = std::make_shared<Body>();
    read_body(*body, ends);
    return body;
  }

  std::shared_ptr<Body> last_block(std::string_view end) {
    auto body = block({end});
    advance();
    return body;
  }

  void read_statement(Body& body, Where where) {
    if (current().kind != TokenKind::name) unexpected("the name of a statement");
    const Token& token = advance();
    const std::string& tag = token.value;
    if (tag == "for") return body.push_back({where, read_for()});
    if (tag == "if") return body.push_back({where, read_if()});
    if (tag == "set") return read_set(body, where);
    if (tag == "macro") return body.push_back({where, read_macro()});
    if (tag == "call") return body.push_back({where, read_call()});
    if (tag == "filter") return body.push_back({where, read_filter()});
    if (tag == "with") return body.push_back({where, read_with()});
    if (tag == "generation") {
      return body.push_back({where, ScopeStatement{{}, outside_loops("endgeneration")}});
    }
    if (tag == "print") return read_print(body, where);
    if (tag == "break" || tag == "continue") {
      if (loops_ == 0) fail(token.where, concat("'", tag, "' outside a loop"));
      if (tag == "break") return body.push_back({where, BreakStatement{}});
      return body.push_back({where, ContinueStatement{}});
    }
    for (const std::string_view other :
         {"include", "import", "from", "extends", "block", "do", "autoescape", "trans"}) {
      if (tag == other)
        fail(token.where, concat("the statement '", tag, "' is not supported in chat templates"));
    }
    fail(token.where, concat("unknown statement '", tag, "'"));
  }

  ForStatement read_for() {
    ForStatement loop;
    const Where where = current().where;
    loop.target = assign_target(false, "in");
    if (loop.target->kind == ExprKind::name && loop.target->name == "loop") {
      fail(where, "cannot assign to 'loop' in a for statement");
    }
    expect_name("in");
    loop.items = tuple(Conditional::excluded, Empty::excluded, "recursive");
    if (skip_name("if")) loop.filter = expression();
    loop.recursive = skip_name("recursive");
    ++loops_;
    loop.body = block({"else", "endfor"});
    --loops_;
    if (advance().value == "else") loop.otherwise = last_block("endfor");
    return loop;
  }

  IfStatement read_if() {
    IfStatement made;
    while (true) {
      ExprPtr test = tuple(Conditional::excluded, Empty::excluded);
      auto body = block({"elif", "else", "endif"});
      made.branches.emplace_back(std::move(test), std::move(body));
      const std::string next = advance().value;
      if (next == "else") made.otherwise = last_block("endif");
      if (next != "elif") return made;
    }
  }

  void read_set(Body& body, Where where) {
    ExprPtr target = assign_target(true);
    if (skip_op("=")) {
      ExprPtr value = tuple(Conditional::allowed, Empty::excluded);
      return body.push_back({where, SetStatement{std::move(target), std::move(value)}});
    }
    ExprPtr filter = filters(nullptr, false);
    auto content = last_block("endset");
    body.push_back(
        {where, SetBlockStatement{std::move(target), std::move(filter), std::move(content)}});
  }

  // The body of a block that is called like a function: break cannot leave it.
  std::shared_ptr<Body> outside_loops(std::string_view end) {
    const int loops = std::exchange(loops_, 0);
    auto body = last_block(end);
    loops_ = loops;
    return body;
  }

  void read_signature(Signature& signature) {
    expect_op("(");
    while (!current().is_op(")")) {
      if (!signature.names.empty()) expect_op(",");
      const Where where = current().where;
      signature.names.push_back(assign_name()->name);
      if (skip_op("=")) {
        signature.defaults.push_back(expression());
      } else if (!signature.defaults.empty()) {
        fail(where, "a parameter without default follows one with default");
      }
    }
    expect_op(")");
  }

  void read_macro_body(MacroStatement& macro, std::string_view end) {
    const size_t begin = position();
    macro.body = outside_loops(end);
    macro.uses_caller = name_was_read("caller", begin);
    macro.uses_varargs = name_was_read("varargs", begin);
    macro.uses_kwargs = name_was_read("kwargs", begin);
  }

  MacroStatement read_macro() {
    MacroStatement macro;
    macro.name = assign_name()->name;
    read_signature(macro.signature);
    read_macro_body(macro, "endmacro");
    return macro;
  }

  CallStatement read_call() {
    CallStatement made;
    made.caller.name = "caller";
    if (current().is_op("(")) read_signature(made.caller.signature);
    const Where where = current().where;
    made.call = expression();
    if (made.call->kind != ExprKind::call) fail(where, "expected a call");
    read_macro_body(made.caller, "endcall");
    return made;
  }

  FilterStatement read_filter() {
    FilterStatement made;
    made.filter = filters(nullptr, true);
    made.body = last_block("endfilter");
    return made;
  }

  ScopeStatement read_with() {
    ScopeStatement made;
    while (current().kind != TokenKind::statement_end && !current().is_op(":")) {
      if (!made.assignments.empty()) expect_op(",");
      ExprPtr target = assign_target(false);
      expect_op("=");
      ExprPtr value = expression();
      made.assignments.emplace_back(std::move(target), std::move(value));
    }
    made.body = last_block("endwith");
    return made;
  }

  void read_print(Body& body, Where where) {
    while (current().kind != TokenKind::statement_end) {
      body.push_back({where, OutputStatement{expression()}});
      if (!skip_op(",")) break;
    }
  }

  int loops_ = 0;  // for statements around the current place, up to the next macro
};

}  // namespace

Body parse(std::string_view source, std::string_view title) {
  return Parser(lex(source, title), title).run();
}

}  // namespace colonnade::text::jinja
