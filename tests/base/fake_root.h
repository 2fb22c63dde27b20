// A folder with files that stand for /proc and /sys, removed at the end.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace colonnade {

class FakeRoot {
 public:
  FakeRoot() : path_((std::filesystem::temp_directory_path() / "colonnade_root_XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("mkdtemp: " + path_);
  }
  ~FakeRoot() { std::filesystem::remove_all(path_); }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

  /// Writes `text` to the file at `path` ("/proc/meminfo") below the root.
  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = path_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace colonnade
