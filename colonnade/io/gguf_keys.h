// GgufKeys: the key-value part of a GGUF file that is to be written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "colonnade/io/gguf_metadata.h"

namespace colonnade {

/// Keys in the order of the file.
class GgufKeys {
 public:
  /// 0 to 2^32 - 1.
  void integer(std::string key, int64_t value);
  /// As f32.
  void number(std::string key, double value);
  void flag(std::string key, bool value);
  void text(std::string key, std::string value);
  void texts(std::string key, const std::vector<std::string>& values);
  void numbers(std::string key, const std::vector<int32_t>& values);
  void numbers(std::string key, const std::vector<int64_t>& values);
  void numbers(std::string key, const std::vector<float>& values);
  void numbers(std::string key, const std::vector<double>& values);

  std::vector<GgufEntry> entries;

 private:
  void add(std::string key, GgufValue value);
};

}  // namespace colonnade
