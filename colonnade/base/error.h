// Errors, and the three checks. CN_CHECK: the caller's or the world's mistake, throws Error.
// CN_ASSERT: our bug, in all builds, ends the process. CN_DCHECK: our bug, debug builds only. The
// library never prints or exits otherwise.
#pragma once

#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>

namespace colonnade {

/// A mistake of the caller or of the world (a file, an argument). what() says what was expected,
/// what came, where.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The numbers of a model cannot be computed with: an activation that is not finite, a sum out of
/// range. The same for every cut of the model.
class ModelError : public Error {
 public:
  /// `row`: of the step's rows the first one that is concerned; of several errors of one layer that
  /// with the lowest row is reported.
  ModelError(const std::string& message, int64_t row) : Error(message), row_(row) {}
  int64_t row() const { return row_; }

 private:
  int64_t row_;
};

/// A peer or a deadline failed; the group it names is dead.
class CommError : public Error {
 public:
  using Error::Error;
};

/// The arguments written one after the other, as operator<< writes them.
template <typename... Args>
std::string concat(const Args&... args) {
  std::ostringstream out;
  (out << ... << args);
  return out.str();
}

/// Writes `message` to stderr and aborts: an invariant of ours is broken.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line,
                                   const std::string& message);

}  // namespace colonnade

#define CN_CHECK(condition, ...)                                                  \
  do {                                                                            \
    if (!(condition)) throw ::colonnade::Error(::colonnade::concat(__VA_ARGS__)); \
  } while (false)

#define CN_ASSERT(condition, ...)                                      \
  do {                                                                 \
    if (!(condition))                                                  \
      ::colonnade::assertion_failed(#condition, __FILE__, __LINE__,    \
                                    ::colonnade::concat(__VA_ARGS__)); \
  } while (false)

#ifdef NDEBUG
namespace colonnade {
constexpr bool kDebugBuild = false;
}
#define CN_DCHECK(condition, ...) \
  do {                            \
  } while (false)
#else
namespace colonnade {
constexpr bool kDebugBuild = true;
}
#define CN_DCHECK(condition, ...) CN_ASSERT(condition, __VA_ARGS__)
#endif
