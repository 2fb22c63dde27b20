// What the surroundings of a test run offer: real models in the cache, and time.
#pragma once

#include <string>
#include <string_view>

namespace colonnade::test {

/// The path of a model that tools/get_model knows by `name`, or an empty string when it is not in
/// the cache. In CI (CI is set) its absence is a failure of the running test. Use:
///   const std::string path = cached_model("smollm2-135m");
///   if (path.empty()) GTEST_SKIP() << "fetch it with tools/get_model smollm2-135m";
std::string cached_model(std::string_view name);

/// Threads of this process. A thread sanitizer has one of its own; such a process is no copy of one
/// thread.
int threads_of_this_process();

/// True in `make nightly` (COLONNADE_NIGHTLY is set): run the long form.
bool nightly();

}  // namespace colonnade::test
