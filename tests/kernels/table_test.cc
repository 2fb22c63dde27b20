#include "colonnade/kernels/table.h"

#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace colonnade::kernels {
namespace {

std::vector<Isa> every_isa() {
  std::vector<Isa> all;
  for (int isa = 0; isa < static_cast<int>(Isa::count); ++isa) all.push_back(Isa{uint8_t(isa)});
  return all;
}

TEST(KernelTable, TheSpecificationIsAlwaysThere) { EXPECT_NE(table_for(Isa::scalar), nullptr); }

TEST(KernelTable, CarriesTheNameOfItsInstructionSet) {
  for (const Isa isa : every_isa()) {
    const KernelTable* table = table_for(isa);
    if (table == nullptr) continue;
    EXPECT_STREQ(table->name, name_of(isa));
  }
}

// A table is pointers from its first byte to its last: a kernel that one of them lacks is a null
// among them.
TEST(KernelTable, HasEveryKernelWhateverTheInstructionSet) {
  constexpr size_t kPointers = sizeof(KernelTable) / sizeof(void*);
  for (const Isa isa : every_isa()) {
    const KernelTable* table = table_for(isa);
    if (table == nullptr) continue;
    uintptr_t pointers[kPointers];
    std::memcpy(pointers, table, sizeof pointers);
    for (size_t i = 0; i < kPointers; ++i) EXPECT_NE(pointers[i], 0u) << name_of(isa) << " " << i;
  }
}

TEST(KernelTable, NoTwoInstructionSetsShareATableOrAName) {
  std::set<const KernelTable*> tables;
  std::set<std::string> names;
  size_t built = 0;
  for (const Isa isa : every_isa()) {
    names.insert(name_of(isa));
    if (table_for(isa) == nullptr) continue;
    tables.insert(table_for(isa));
    ++built;
  }
  EXPECT_EQ(tables.size(), built);
  EXPECT_EQ(names.size(), every_isa().size());
}

TEST(KernelTable, WhatIsNoInstructionSetHasNeitherTableNorName) {
  EXPECT_EQ(table_for(Isa::count), nullptr);
  EXPECT_STREQ(name_of(Isa::count), "?");
}

}  // namespace
}  // namespace colonnade::kernels
