#include "colonnade/comm/operation_history.h"

#include <initializer_list>
#include <set>

#include <gtest/gtest.h>

namespace colonnade {
namespace {

uint64_t digest(std::initializer_list<const char*> operations) {
  OperationHistory history;
  for (const char* operation : operations) history.add(operation);
  return history.digest();
}

TEST(OperationHistory, IsEqualForEqualOperations) {
  EXPECT_EQ(digest({"blk.0.ffn_down", "embedding"}), digest({"blk.0.ffn_down", "embedding"}));
}

TEST(OperationHistory, TellsNamesOrderAndNumberApart) {
  const std::set<uint64_t> all = {
      digest({}),
      digest({""}),
      digest({"", ""}),
      digest({"a"}),
      digest({"a", "b"}),
      digest({"b", "a"}),
      digest({"ab"}),
      digest({"blk.0.ffn_down"}),
      digest({"blk.1.ffn_down"}),
      digest({"blk.0.ffn_dowm"}),
      digest({"12345678"}),
      digest({"12345678", ""}),
      digest({"123456789"}),
  };
  EXPECT_EQ(all.size(), 13u);
}

}  // namespace
}  // namespace colonnade
