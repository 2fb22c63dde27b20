// Collectives, made of a group's exchanges. Every rank calls the same ones in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "colonnade/comm/group.h"

namespace colonnade {

/// Element-wise sum over the ranks, in place; integers wrap around.
void all_reduce(Group& group, std::span<int64_t> values, const char* operation);
void all_reduce(Group& group, std::span<uint32_t> values, const char* operation);

/// The ranks' `mine`, by rank; of any size each.
std::vector<std::vector<std::byte>> all_gather(Group& group, std::span<const std::byte> mine,
                                               const char* operation);

/// On `root`, `all` becomes the ranks' `mine`, by rank, of any size each; elsewhere empty. Memory
/// of `all` is used again.
void gather(Group& group, std::span<const std::byte> mine, int root,
            std::vector<std::vector<std::byte>>& all, const char* operation);

/// `bytes` become those of `root`, on every rank.
void broadcast(Group& group, std::vector<std::byte>& bytes, int root, const char* operation);

/// Returns once every rank has come here.
void barrier(Group& group, const char* operation);

}  // namespace colonnade
