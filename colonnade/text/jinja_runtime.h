// What one rendering offers to operators, filters and methods: memory with a limit, counted work,
// errors with a place.
#pragma once

#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "colonnade/text/jinja_value.h"
#include "colonnade/text/template_error.h"

namespace colonnade::text::jinja {

struct RuntimeOptions {
  std::string_view title;
  int64_t steps;
  int64_t memory_bytes;
  std::optional<std::tm> now;
};

/// Owns every container that a rendering makes. None is freed before the rendering ends, so values
/// may form cycles and tearing down never recurses; strings give their bytes back when the last
/// value lets go of them.
class Runtime {
 public:
  explicit Runtime(const RuntimeOptions& options) : options_(options) {}
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// The time for strftime_now: as given, else this machine's local time.
  std::tm now() const;

  /// Where errors are reported from now on.
  void at(Where where) { where_ = where; }
  Where where() const { return where_; }
  [[noreturn]] void fail(const std::string& words) const {
    fail(TemplateError::Kind::runtime, words);
  }
  [[noreturn]] void fail(TemplateError::Kind kind, const std::string& words) const;
  /// Fails with the story of an undefined value.
  void need_defined(const Value& value) const;

  /// Counts `count` units of work; throws at the limit, so no template runs forever.
  void step(int64_t count = 1) {
    steps_ += count;
    if (steps_ > options_.steps) out_of_steps();
  }
  /// Counts the work of writing `added` bytes, and refuses a text of more than the memory limit.
  void text_work(size_t added, size_t total);
  /// Counts memory that lives until the rendering ends, or until release.
  void charge(int64_t bytes);
  void release(int64_t bytes) { used_bytes_ -= bytes; }

  Value string(Text text);
  Value string(std::string_view chars, bool trusted) { return string(Text(chars, trusted)); }
  /// A list whose punctuation, if printed, is the template's or the caller's.
  Value list(std::vector<Value> items, Flavor flavor = Flavor::list, bool trusted = true);
  Value dict(bool trusted = true);
  /// Sets a key of a dict. Throws if `name` cannot be a key.
  void set(Dict& dict, const Value& name, const Value& value);
  Value callable(std::string name, std::function<Value(Runtime&, const Args&)> call);
  template <typename T>
  Value object(Kind kind) {
    Value v;
    v.kind = kind;
    v.object = make<T>();
    return v;
  }
  template <typename T>
  T* make() {
    charge(static_cast<int64_t>(sizeof(T)) + 32);
    auto owned = std::make_unique<T>();
    T* made = owned.get();
    objects_.push_back(std::move(owned));
    return made;
  }

  Value call(const Value& callee, const Args& args);

  /// The items of any iterable, in order; an iterator is used up. Throws if the value cannot be
  /// iterated.
  std::vector<Value> iterate(const Value& value);

  /// Counts one level of nested values or calls while it lives; throws beyond kMaxDepth.
  class Level {
   public:
    explicit Level(Runtime& runtime);
    ~Level() { --runtime_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Runtime& runtime_;
  };

 private:
  [[noreturn]] void out_of_steps() const;

  RuntimeOptions options_;
  Where where_;
  int64_t steps_ = 0;
  int64_t used_bytes_ = 0;
  int depth_ = 0;
  std::vector<std::unique_ptr<Object>> objects_;
};

/// Levels of statements, expressions and values inside each other while rendering. All of them take
/// less than 512 KB of stack (2 MB with the address sanitizer; measured with a macro that calls
/// itself), so any thread has room for them.
constexpr int kMaxDepth = 600;

/// Builds a string and counts the work.
class TextBuilder {
 public:
  explicit TextBuilder(Runtime& runtime) : runtime_(runtime) {}
  void append(std::string_view chars, bool trusted) {
    runtime_.text_work(chars.size(), text_.size() + chars.size());
    text_.append(chars, trusted);
  }
  void append(const Text& other) { append(other, 0, other.size()); }
  void append(const Text& other, size_t begin, size_t end);
  size_t size() const { return text_.size(); }
  Text take() { return std::move(text_); }
  Value value() { return runtime_.string(std::move(text_)); }

 private:
  Runtime& runtime_;
  Text text_;
};

}  // namespace colonnade::text::jinja
