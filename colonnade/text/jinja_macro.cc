// Macros and callers: binding arguments and running the body. Declared in jinja_render.h.
#include <algorithm>

#include "colonnade/text/jinja_render.h"

namespace colonnade::text::jinja {

Value Renderer::make_macro(const MacroStatement& macro) {
  for (Scope* scope = scope_; scope != nullptr; scope = scope->outer) scope->captured = true;
  Scope* closure = scope_;
  Value made = rt_.callable(macro.name, [this, &macro, closure](Runtime&, const Args& args) {
    return call_macro(macro, closure, args);
  });
  std::vector<Value> names;
  for (const std::string& name : macro.signature.names) names.push_back(rt_.string(name, true));
  static_cast<Callable&>(*made.object).attributes = {
      {"name", rt_.string(macro.name, true)},
      {"arguments", rt_.list(std::move(names), Flavor::tuple)},
      {"caller", make_boolean(macro.uses_caller)},
      {"catch_kwargs", make_boolean(macro.uses_kwargs)},
      {"catch_varargs", make_boolean(macro.uses_varargs)}};
  return made;
}

Value Renderer::call_macro(const MacroStatement& macro, Scope* closure, const Args& args) {
  const Runtime::Level level(rt_);
  const Where caller = rt_.where();
  Value made = rt_.string(capture(*macro.body, macro_scope(macro, closure, args)));
  rt_.at(caller);
  return made;
}

Scope* Renderer::macro_scope(const MacroStatement& macro, Scope* closure, const Args& args) {
  const auto& names = macro.signature.names;
  const auto& defaults = macro.signature.defaults;
  Scope* scope = new_scope(closure);
  Scope* saved = std::exchange(scope_, scope);
  std::vector<bool> used(args.keyword.size(), false);
  for (size_t i = 0; i < names.size(); ++i) {
    Value value = make_undefined(concat("parameter '", names[i], "' was not provided"));
    bool given = i < args.positional.size();
    if (given) value = args.positional[i];
    for (size_t k = 0; k < args.keyword.size() && !given; ++k) {
      if (args.keyword[k].first != names[i]) continue;
      value = args.keyword[k].second;
      used[k] = given = true;
    }
    const size_t first_default = names.size() - defaults.size();
    if (!given && i >= first_default) value = evaluate(*defaults[i - first_default]);
    scope->set(names[i], value);
  }
  bind_rest(macro, scope, args, used);
  scope_ = saved;
  return scope;
}

// caller, varargs and kwargs exist in a macro that names them; without them nothing may be left
// over.
void Renderer::bind_rest(const MacroStatement& macro, Scope* scope, const Args& args,
                         const std::vector<bool>& used) {
  const auto& names = macro.signature.names;
  Value rest = rt_.dict();
  bool has_caller = std::find(names.begin(), names.end(), "caller") != names.end();
  for (size_t k = 0; k < args.keyword.size(); ++k) {
    const auto& [name, value] = args.keyword[k];
    if (used[k]) continue;
    if (name == "caller" && macro.uses_caller && !has_caller) {
      scope->set(name, value);
      has_caller = true;
    } else if (macro.uses_kwargs) {
      rt_.set(as_dict(rest), rt_.string(name, true), value);
    } else {
      rt_.fail(concat("macro '", macro.name, "' takes no keyword argument '", name, "'"));
    }
  }
  if (macro.uses_caller && !has_caller) scope->set("caller", make_undefined("no caller defined"));
  if (macro.uses_kwargs) scope->set("kwargs", rest);
  if (macro.uses_varargs) {
    const size_t taken = std::min(names.size(), args.positional.size());
    std::vector<Value> more(args.positional.begin() + static_cast<std::ptrdiff_t>(taken),
                            args.positional.end());
    scope->set("varargs", rt_.list(std::move(more), Flavor::tuple));
  } else if (args.positional.size() > names.size()) {
    rt_.fail(concat("macro '", macro.name, "' takes not more than ", names.size(), " arguments"));
  }
}

}  // namespace colonnade::text::jinja
