#include "tests/support/environment.h"

#include <cstdlib>
#include <filesystem>
#include <iterator>

#include <gtest/gtest.h>

namespace colonnade::test {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string cached_model(std::string_view name) {
  std::string folder = variable("COLONNADE_CACHE");
  if (folder.empty()) folder = variable("HOME") + "/.cache/colonnade";
  const std::string path = folder + "/models/" + std::string(name) + ".gguf";
  if (std::filesystem::is_regular_file(path)) return path;
  if (!variable("CI").empty()) ADD_FAILURE() << path << " is missing: tools/get_model " << name;
  return "";
}

int threads_of_this_process() {
  namespace fs = std::filesystem;
  return static_cast<int>(
      std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator()));
}

bool nightly() { return !variable("COLONNADE_NIGHTLY").empty(); }

}  // namespace colonnade::test
