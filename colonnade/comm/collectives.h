// Collectives, made of a group's exchanges. Every rank calls the same ones in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "colonnade/base/dtype.h"
#include "colonnade/base/partition.h"
#include "colonnade/comm/group.h"
#include "colonnade/comm/reduction.h"

namespace colonnade {

/// Element-wise over the ranks, in rank order, in place: every rank has the same bits, whatever the
/// size of a part is. data [count] dtype. Throws Error, on every rank, if their counts differ
/// within the first part of largest_part().
void all_reduce(Group& group, void* data, int64_t count, DType dtype, Reduction reduction,
                const char* operation);
/// Sums.
void all_reduce(Group& group, std::span<int64_t> values, const char* operation);
void all_reduce(Group& group, std::span<uint32_t> values, const char* operation);

/// The same bits, but this rank's piece alone. data [pieces.total()] dtype  ->  mine
/// [pieces.of(rank)] dtype; they do not overlap.
void reduce_scatter(Group& group, const void* data, void* mine, const Partition& pieces,
                    DType dtype, Reduction reduction, const char* operation);

/// The ranks' `mine`, by rank; of any size each.
std::vector<std::vector<std::byte>> all_gather(Group& group, std::span<const std::byte> mine,
                                               const char* operation);

/// On `root`, `all` becomes the ranks' `mine`, by rank, of any size each; elsewhere empty. Memory
/// of `all` is used again.
void gather(Group& group, std::span<const std::byte> mine, int root,
            std::vector<std::vector<std::byte>>& all, const char* operation);

/// `bytes` become those of `root`, on every rank.
void broadcast(Group& group, std::vector<std::byte>& bytes, int root, const char* operation);

/// What the ranks have for this one, by rank. `to` [N]: what this one has for each, of any size.
std::vector<std::vector<std::byte>> all_to_all(Group& group,
                                               std::span<const std::span<const std::byte>> to,
                                               const char* operation);

/// Returns once every rank has come here.
void barrier(Group& group, const char* operation);

}  // namespace colonnade
