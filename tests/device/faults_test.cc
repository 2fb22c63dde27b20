#include "colonnade/device/faults.h"

#include <string>

#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

std::string message_of(FaultBoard& board) {
  try {
    board.raise();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(FaultBoard, WithoutFaultsRaisesNothing) {
  FaultBoard board(2);
  EXPECT_EQ(message_of(board), "");
}

TEST(FaultBoard, TheFirstCommandAndThereTheLowestRowWins) {
  const std::string early = "blk.0.attn_q", late = "blk.3.ffn_down";
  FaultBoard board(3);
  board.report_activation(0, 9, late, 1);
  board.report_activation(1, 5, early, 17);
  board.report_activation(1, 5, early, 12);
  board.report_activation(1, 9, late, 0);
  board.report_activation(2, 5, early, 14);
  EXPECT_EQ(message_of(board), "layer blk.0.attn_q: token 12: activation is not finite");
  EXPECT_EQ(message_of(board), "");
}

TEST(FaultBoard, LeavesOfOneCommandAreCountedOverTheWorkers) {
  const std::string layer = "blk.1.attn_output";
  FaultBoard board(2);
  board.report_leaves(0, 4, layer, 2);
  board.report_leaves(1, 4, layer, 3);
  board.report_leaves(1, 6, layer, 100);
  EXPECT_EQ(message_of(board),
            "layer blk.1.attn_output: 5 leaf sums are not below 2^20, so the sum over ranks is not "
            "exact");
}

}  // namespace
}  // namespace colonnade
