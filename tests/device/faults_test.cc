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

TEST(FaultBoard, LeavesOutOfRangeNameTheLayerOfTheFirstCommand) {
  const std::string layer = "blk.1.attn_output";
  FaultBoard board(2);
  board.report_leaves(0, 4, layer);
  board.report_leaves(1, 4, layer);
  board.report_leaves(1, 6, "blk.2.attn_output");
  EXPECT_EQ(message_of(board),
            "layer blk.1.attn_output: a leaf's sum is not below 2^20 in magnitude, so the sum over "
            "ranks would not be exact");
}

}  // namespace
}  // namespace colonnade
