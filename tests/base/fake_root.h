// A folder with files that stand for /proc and /sys, removed at the end.
#pragma once

#include <string>

#include "tests/support/temporary_folder.h"

namespace colonnade {

class FakeRoot {
 public:
  /// Writes `text` to the file at `path` ("/proc/meminfo") below the root.
  void write(const std::string& path, const std::string& text) const {
    folder_.write(path.substr(1), text);
  }

  const std::string& path() const { return path_; }

 private:
  test::TemporaryFolder folder_;
  std::string path_ = folder_.path();
};

}  // namespace colonnade
