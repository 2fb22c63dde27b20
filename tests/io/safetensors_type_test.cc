#include "colonnade/io/safetensors_type.h"

#include <gtest/gtest.h>

namespace colonnade {
namespace {

TEST(SafetensorsType, NamesLeadToTheirTypesAndSizes) {
  int number = 0;
  for (const SafetensorsTypeInfo& info : kSafetensorsTypes) {
    EXPECT_EQ(find_safetensors_type(info.name), static_cast<SafetensorsType>(number++));
  }
  EXPECT_EQ(info_of(SafetensorsType::u64).bits, 64);
  EXPECT_EQ(info_of(SafetensorsType::bf16).bits, 16);
  EXPECT_STREQ(name_of(SafetensorsType::f8_e8m0), "F8_E8M0");
  EXPECT_EQ(find_safetensors_type("f32"), std::nullopt);
  EXPECT_EQ(safetensors_type_names().substr(0, 8), "BOOL, F4");
}

}  // namespace
}  // namespace colonnade
