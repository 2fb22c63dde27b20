// The texts of a model's folder: JSON and templates.
#pragma once

#include <cstdint>
#include <string>

#include "colonnade/base/file.h"

namespace colonnade {

/// The longest text: a tokenizer.json of 262 thousand tokens takes 33 MB.
constexpr int64_t kMostTextBytes = 200'000'000;

/// All of the file. Throws Error if it is longer than kMostTextBytes, or a Git LFS pointer, a web
/// page or the like.
std::string read_model_text(const File& file);

}  // namespace colonnade
