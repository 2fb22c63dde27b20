// Walks a template's tree and writes its text.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "colonnade/text/jinja_ast.h"

namespace colonnade::text::jinja {

/// Names of one block; reading looks outwards, assigning stays here.
struct Scope : Object {
  Scope* outer = nullptr;
  std::vector<std::pair<std::string, Value>> names;
  bool captured = false;  // a macro refers to it: it cannot be used again for the next iteration

  const Value* find_here(const std::string& name) const;
  void set(const std::string& name, const Value& value);
};

/// One rendering of one template. Single use, one thread.
class Renderer {
 public:
  /// `rt` outlives the renderer. `variables` are what the caller passes.
  Renderer(Runtime& rt, std::vector<std::pair<std::string, Value>> variables);

  /// Throws TemplateError.
  Text render(const Body& body);

 private:
  enum class Flow { on, broken, continued };

  Flow execute(const Body& body);
  Flow execute(const Statement& statement);
  Flow run(const IfStatement& statement);
  Flow run(const ForStatement& statement);
  void run(const SetStatement& statement);
  void run(const SetBlockStatement& statement);
  void run(const FilterStatement& statement);
  void run(const CallStatement& statement);
  Flow run(const ScopeStatement& statement);

  std::vector<Value> loop_items(const ForStatement& statement, const Value& source);
  Flow run_loop(const ForStatement& statement, const Value& source, int depth);
  Value recursive_call(const ForStatement& statement, const Value& source, int depth, Scope* scope);
  /// The text that a body writes, in a scope of its own under `outer`.
  Text capture(const Body& body, Scope* scope);
  Text capture(Scope* scope, const std::function<void()>& body);
  Value make_macro(const MacroStatement& macro);
  Value call_macro(const MacroStatement& macro, Scope* closure, const Args& args);
  Scope* macro_scope(const MacroStatement& macro, Scope* closure, const Args& args);
  void bind_rest(const MacroStatement& macro, Scope* scope, const Args& args,
                 const std::vector<bool>& used);
  void write(const Value& value);
  void assign(const Expr& target, const Value& value);
  Scope* new_scope(Scope* outer);
  Value lookup(const std::string& name);

  Value evaluate(const Expr& expr);
  Value evaluate_kind(const Expr& expr);
  Value evaluate_operation(const Expr& expr);
  Value evaluate_list(const Expr& expr);
  Value evaluate_dict(const Expr& expr);
  Value evaluate_compare(const Expr& expr);
  Value evaluate_concat(const Expr& expr);
  Value evaluate_slice(const Expr& expr);
  Value evaluate_call(const Expr& expr);
  Value apply_filter(const Expr& expr, const Value& block_text);
  Args evaluate_arguments(const Arguments& arguments);

  Runtime& rt_;
  Scope* scope_;
  Text out_;
  int64_t out_charged_ = 0;
};

}  // namespace colonnade::text::jinja
