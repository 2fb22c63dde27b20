// The part of the parser that reads expressions: precedence climbing over the tokens inside a tag.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "colonnade/text/jinja_ast.h"
#include "colonnade/text/jinja_lexer.h"

namespace colonnade::text::jinja {

class ExpressionParser {
 public:
  ExpressionParser(std::vector<Token> tokens, std::string_view title)
      : tokens_(std::move(tokens)), title_(title) {}

 protected:
  enum class Conditional {
    allowed,
    excluded
  };                                       // `a if b else c` at the top level of an expression
  enum class Empty { allowed, excluded };  // `()` is a tuple, nothing at all is not

  const Token& current() const { return tokens_[position_]; }
  const Token& look_ahead() const { return tokens_[std::min(position_ + 1, tokens_.size() - 1)]; }
  const Token& advance() {
    return tokens_[position_ + 1 < tokens_.size() ? position_++ : position_];
  }
  bool skip_op(std::string_view op);
  bool skip_name(std::string_view name);
  void expect_op(std::string_view op);
  void expect_name(std::string_view name);
  std::string expect_identifier();
  [[noreturn]] void fail(Where where, const std::string& words) const;
  [[noreturn]] void unexpected(std::string_view wanted) const;

  ExprPtr expression(Conditional conditional = Conditional::allowed);
  /// An expression, or a tuple if commas follow. `end`: a name that ends it besides the end of the
  /// tag.
  ExprPtr tuple(Conditional conditional, Empty empty, std::string_view end = "");
  ExprPtr assign_target(bool with_space, std::string_view end = "");
  ExprPtr assign_name();
  /// The filters after `value` (| f | g); `first_without_bar` for {% filter f | g %}.
  ExprPtr filters(ExprPtr value, bool first_without_bar);

  /// Counts one level of nesting while it lives.
  class Level {
   public:
    explicit Level(ExpressionParser& parser);
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    ExpressionParser& parser_;
  };

  bool name_was_read(std::string_view name, size_t since) const;
  size_t position() const { return position_; }

 private:
  ExprPtr node(ExprKind kind, Where where) const;
  template <typename... Children>
  ExprPtr node(ExprKind kind, Where where, Children... children) const {
    ExprPtr made = node(kind, where);
    (adopt(*made, std::move(children)), ...);
    return made;
  }
  void adopt(Expr& parent, ExprPtr child) const;

  ExprPtr conditional_expression();
  ExprPtr or_expression();
  ExprPtr and_expression();
  ExprPtr not_expression();
  ExprPtr comparison();
  ExprPtr sum();
  ExprPtr concatenation();
  ExprPtr product();
  ExprPtr power();
  ExprPtr unary(bool with_filters);
  ExprPtr primary(bool with_space);
  ExprPtr list_literal();
  ExprPtr dict_literal();
  ExprPtr postfix(ExprPtr value);
  ExprPtr filters_and_tests(ExprPtr value);
  ExprPtr subscript(ExprPtr value);
  ExprPtr subscript_part(ExprPtr value);
  ExprPtr call(ExprPtr callee);
  ExprPtr filter(ExprPtr value);
  ExprPtr test(ExprPtr value);
  std::string dotted_name();
  void arguments(Expr& into);
  void check_filter_by_name(const Expr& filter) const;
  bool is_tuple_end(std::string_view end) const;
  std::optional<Compare> compare_operator();

  std::vector<Token> tokens_;
  std::string_view title_;
  size_t position_ = 0;
  int depth_ = 0;
};

}  // namespace colonnade::text::jinja
