// A folder for the files of a test.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace colonnade::test {

/// A folder that is removed with everything in it when it goes out of scope.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path() const { return path_.string(); }
  /// Writes the file `name` ("a", "folder/a") inside and returns its path.
  std::string write(std::string_view name, std::string_view bytes) const;

 private:
  std::filesystem::path path_;
};

}  // namespace colonnade::test
