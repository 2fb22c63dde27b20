// The logits of a run as a safetensors file. Source: the format's description in the README of
// huggingface/safetensors.
#pragma once

#include <span>
#include <string>

#include "colonnade/base/new_file.h"

namespace colonnade::cli {

/// One tensor, "logits" [steps, V] f32; the file appears with finish().
class LogitsFile {
 public:
  /// Throws Error if it cannot be created.
  explicit LogitsFile(const std::string& path);

  /// One more step's logits [V].
  void add(std::span<const float> logits);
  /// The last call.
  void finish(int64_t vocabulary);

 private:
  NewFile file_;
  int64_t steps_ = 0;
};

}  // namespace colonnade::cli
