// Headers that are made by hand, read from a file, right or wrong.
#pragma once

#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"
#include "colonnade/base/file.h"

namespace colonnade::test {

/// `file_name` is what the file is called, `read_header` what is tested.
template <typename Header>
class HeaderFixture : public testing::Test {
 protected:
  HeaderFixture(const char* file_name, Header (*read_header)(const File&))
      : file_name_(file_name), read_header_(read_header) {}

  Header read(const std::string& bytes) const {
    const File file(folder_.write(file_name_, bytes));
    return read_header_(file);
  }

  /// The message, or "accepted".
  std::string error(const std::string& bytes) const {
    try {
      read(bytes);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }

  /// A file and what its message must say.
  struct Case {
    std::string bytes;
    std::vector<std::string> words;
  };
  void expect_words(const std::vector<Case>& cases) const {
    for (const auto& [bytes, words] : cases) {
      const std::string message = error(bytes);
      for (const std::string& word : words) EXPECT_THAT(message, testing::HasSubstr(word));
    }
  }

  TemporaryFolder folder_;

 private:
  const char* file_name_;
  Header (*read_header_)(const File&);
};

}  // namespace colonnade::test
