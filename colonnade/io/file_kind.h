// What a file is that is not what it was taken for.
#pragma once

#include <string>
#include <string_view>

namespace colonnade {

/// By the first bytes of a file (64 are enough): "; this is a Git LFS pointer, ..." with what to
/// do, to end a message with; empty if they tell nothing.
std::string foreign_file_kind(std::string_view start);

/// What a download that was broken off leaves: ": a link is there, but not ..., to which it leads",
/// to end a message with; empty if `path` is no link, or leads to something.
std::string dangling_link(const std::string& path);

}  // namespace colonnade
