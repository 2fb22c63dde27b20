#include "colonnade/text/jinja_render.h"

#include <algorithm>

#include "colonnade/text/jinja_print.h"

namespace colonnade::text::jinja {
namespace {

// Sets a value for as long as it lives.
template <typename T>
class Swap {
 public:
  Swap(T& place, T value) : place_(place), saved_(std::exchange(place, std::move(value))) {}
  ~Swap() { place_ = std::move(saved_); }
  Swap(const Swap&) = delete;
  Swap& operator=(const Swap&) = delete;

 private:
  T& place_;
  T saved_;
};

// Counts memory for as long as it lives.
class MemoryCharge {
 public:
  MemoryCharge(Runtime& rt, size_t bytes) : rt_(rt), bytes_(static_cast<int64_t>(bytes)) {
    rt.charge(bytes_);
  }
  ~MemoryCharge() { rt_.release(bytes_); }
  MemoryCharge(const MemoryCharge&) = delete;
  MemoryCharge& operator=(const MemoryCharge&) = delete;

 private:
  Runtime& rt_;
  int64_t bytes_;
};

}  // namespace

const Value* Scope::find_here(const std::string& name) const {
  for (const auto& [key, value] : names) {
    if (key == name) return &value;
  }
  return nullptr;
}

void Scope::set(const std::string& name, const Value& value) {
  for (auto& [key, old] : names) {
    if (key == name) {
      old = value;
      return;
    }
  }
  names.emplace_back(name, value);
}

Renderer::Renderer(Runtime& rt, std::vector<std::pair<std::string, Value>> variables)
    : rt_(rt), scope_(rt.make<Scope>()) {
  scope_->names = std::move(variables);
}

Text Renderer::render(const Body& body) {
  const Swap<Scope*> inner(scope_, new_scope(scope_));
  execute(body);
  return std::move(out_);
}

Scope* Renderer::new_scope(Scope* outer) {
  auto* made = rt_.make<Scope>();
  made->outer = outer;
  return made;
}

Value Renderer::lookup(const std::string& name) {
  for (const Scope* scope = scope_; scope != nullptr; scope = scope->outer) {
    rt_.step();
    if (const Value* found = scope->find_here(name)) return *found;
  }
  return find_global(rt_, name);
}

void Renderer::write(const Value& value) {
  TextBuilder piece(rt_);
  append_str(rt_, piece, value);
  const auto bytes = static_cast<int64_t>(piece.size());
  rt_.charge(bytes);
  out_charged_ += bytes;
  out_.append(piece.take());
}

void Renderer::assign(const Expr& target, const Value& value) {
  rt_.at(target.where);
  if (target.kind == ExprKind::name) {
    rt_.charge(static_cast<int64_t>(sizeof(Value)));
    return scope_->set(target.name, value);
  }
  if (target.kind == ExprKind::space_ref) {
    const Value space = lookup(target.name);
    if (!space.is(Kind::space)) rt_.fail("cannot assign attribute on non-namespace object");
    auto& object = static_cast<Space&>(*space.object);
    rt_.charge(static_cast<int64_t>(sizeof(Value)));
    if (Value* found = object.find(target.attribute)) {
      *found = value;
    } else {
      object.attributes.emplace_back(target.attribute, value);
    }
    return;
  }
  rt_.need_defined(value);
  const std::vector<Value> items = rt_.iterate(value);
  if (items.size() != target.children.size()) {
    rt_.fail(concat("expected ", target.children.size(), " values to unpack, got ", items.size()));
  }
  for (size_t i = 0; i < items.size(); ++i) assign(*target.children[i], items[i]);
}

Renderer::Flow Renderer::execute(const Body& body) {
  for (const Statement& statement : body) {
    if (const Flow flow = execute(statement); flow != Flow::on) return flow;
  }
  return Flow::on;
}

Renderer::Flow Renderer::execute(const Statement& statement) {
  const Runtime::Level level(rt_);
  rt_.at(statement.where);
  rt_.step();
  if (const auto* text = std::get_if<TextStatement>(&statement.node)) {
    write(text->text);
  } else if (const auto* output = std::get_if<OutputStatement>(&statement.node)) {
    write(evaluate(*output->value));
  } else if (const auto* branch = std::get_if<IfStatement>(&statement.node)) {
    return run(*branch);
  } else if (const auto* loop = std::get_if<ForStatement>(&statement.node)) {
    return run(*loop);
  } else if (const auto* set = std::get_if<SetStatement>(&statement.node)) {
    run(*set);
  } else if (const auto* set_block = std::get_if<SetBlockStatement>(&statement.node)) {
    run(*set_block);
  } else if (const auto* filter = std::get_if<FilterStatement>(&statement.node)) {
    run(*filter);
  } else if (const auto* macro = std::get_if<MacroStatement>(&statement.node)) {
    scope_->set(macro->name, make_macro(*macro));
  } else if (const auto* call = std::get_if<CallStatement>(&statement.node)) {
    run(*call);
  } else if (const auto* scope = std::get_if<ScopeStatement>(&statement.node)) {
    return run(*scope);
  } else {
    return std::holds_alternative<BreakStatement>(statement.node) ? Flow::broken : Flow::continued;
  }
  return Flow::on;
}

Renderer::Flow Renderer::run(const IfStatement& statement) {
  for (const auto& [test, body] : statement.branches) {
    if (truthy(evaluate(*test))) return execute(*body);
  }
  return statement.otherwise ? execute(*statement.otherwise) : Flow::on;
}

Renderer::Flow Renderer::run(const ForStatement& statement) {
  return run_loop(statement, evaluate(*statement.items), 1);
}

std::vector<Value> Renderer::loop_items(const ForStatement& statement, const Value& source) {
  std::vector<Value> items = rt_.iterate(source);
  if (!statement.filter) return items;
  const Swap<Scope*> inner(scope_, new_scope(scope_));
  std::vector<Value> kept;
  for (const Value& item : items) {
    assign(*statement.target, item);
    if (truthy(evaluate(*statement.filter))) kept.push_back(item);
  }
  return kept;
}

Renderer::Flow Renderer::run_loop(const ForStatement& statement, const Value& source, int depth) {
  Value loop_value = rt_.object<Loop>(Kind::loop);
  auto& loop = static_cast<Loop&>(*loop_value.object);
  const std::vector<Value> items = loop_items(statement, source);
  loop.count = items.size();
  loop.depth = depth;
  const MemoryCharge charge(rt_, items.size() * sizeof(Value));
  if (statement.recursive) {
    loop.recurse = [this, &statement, depth, scope = scope_](Runtime&, const Value& items) {
      return recursive_call(statement, items, depth + 1, scope);
    };
  }
  bool finished = false;
  const Swap<Scope*> inner(scope_, new_scope(scope_));
  for (size_t i = 0; i < items.size(); ++i) {
    loop.index = i;
    loop.previous = i > 0 ? items[i - 1] : make_undefined("there is no previous item");
    loop.next = i + 1 < items.size() ? items[i + 1] : make_undefined("there is no next item");
    if (scope_->captured) scope_ = new_scope(scope_->outer);
    scope_->names.clear();
    rt_.step();
    assign(*statement.target, items[i]);
    scope_->set("loop", loop_value);
    const Flow flow = execute(*statement.body);
    if (flow == Flow::broken) break;
    finished = finished || flow == Flow::on;
  }
  // Jinja takes the else unless some iteration reached its end: break in the first one, or only
  // continue, count as none.
  if (finished || !statement.otherwise) return Flow::on;
  scope_ = scope_->outer;
  return execute(*statement.otherwise);
}

Value Renderer::recursive_call(const ForStatement& statement, const Value& source, int depth,
                               Scope* scope) {
  const Runtime::Level level(rt_);
  return rt_.string(capture(scope, [&] { run_loop(statement, source, depth); }));
}

void Renderer::run(const SetStatement& statement) {
  assign(*statement.target, evaluate(*statement.value));
}

Text Renderer::capture(Scope* scope, const std::function<void()>& body) {
  const Swap<Scope*> inner(scope_, scope);
  Text outer = std::exchange(out_, Text());
  const int64_t charged = std::exchange(out_charged_, 0);
  body();
  rt_.release(std::exchange(out_charged_, charged));
  return std::exchange(out_, std::move(outer));
}

Text Renderer::capture(const Body& body, Scope* scope) {
  return capture(scope, [&] { execute(body); });
}

void Renderer::run(const SetBlockStatement& statement) {
  Value text = rt_.string(capture(*statement.body, new_scope(scope_)));
  if (statement.filter) text = apply_filter(*statement.filter, text);
  assign(*statement.target, text);
}

void Renderer::run(const FilterStatement& statement) {
  Scope* scope = new_scope(scope_);
  const Value text = rt_.string(capture(*statement.body, scope));
  const Swap<Scope*> inner(scope_, scope);
  write(apply_filter(*statement.filter, text));
}

void Renderer::run(const CallStatement& statement) {
  Args args = evaluate_arguments(statement.call->arguments);
  args.keyword.emplace_back("caller", make_macro(statement.caller));
  const Value callee = evaluate(*statement.call->children[0]);
  rt_.at(statement.call->where);
  write(rt_.call(callee, args));
}

Renderer::Flow Renderer::run(const ScopeStatement& statement) {
  Scope* scope = new_scope(scope_);
  for (const auto& [target, expr] : statement.assignments) {
    const Value value = evaluate(*expr);
    const Swap<Scope*> inner(scope_, scope);
    assign(*target, value);
  }
  const Swap<Scope*> inner(scope_, scope);
  return execute(*statement.body);
}

}  // namespace colonnade::text::jinja
