#include "colonnade/io/header_reader.h"

#include <string>

#include "tests/support/gguf_builder.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace colonnade {
namespace {

using test::le;
using ::testing::AllOf;
using ::testing::HasSubstr;

template <typename Function>
std::string error_of(Function&& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class HeaderReaderTest : public ::testing::Test {
 protected:
  File file(const std::string& bytes) const { return File(folder_.write("file", bytes)); }
  test::TemporaryFolder folder_;
};

TEST_F(HeaderReaderTest, ReadsLittleEndianFieldsInOrder) {
  const File bytes = file(le<uint16_t>(0x1234) + le<int32_t>(-5) + le<double>(2.5));
  HeaderReader in(bytes);
  EXPECT_EQ(in.read<uint16_t>("a"), 0x1234);
  EXPECT_EQ(in.position(), 2);
  EXPECT_EQ(in.read<int32_t>("b"), -5);
  EXPECT_EQ(in.read<double>("c"), 2.5);
  EXPECT_EQ(in.left(), 0U);
}

TEST_F(HeaderReaderTest, AFieldMayCrossTheWindowAndBeLargerThanIt) {
  std::string content(200000, '\0');
  for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 7 >> 3);
  const File bytes = file(content);
  HeaderReader in(bytes);
  in.seek((64 << 10) - 3);
  EXPECT_EQ(le(in.read<uint64_t>("crossing")), content.substr((64 << 10) - 3, 8));
  in.seek(5);
  std::string large(150000, '?');
  in.read_bytes("large", std::as_writable_bytes(std::span(large)));
  EXPECT_EQ(large, content.substr(5, 150000));
  EXPECT_EQ(in.position(), 150005);
}

TEST_F(HeaderReaderTest, SaysWhereTheFileEndsTooEarly) {
  const File bytes = file("123456");
  HeaderReader in(bytes);
  in.set_subject("tensor 7");
  in.skip(4);
  EXPECT_THAT(error_of([&] { in.read<uint32_t>("n_dims"); }),
              AllOf(HasSubstr("tensor 7: n_dims: expected 4 bytes"), HasSubstr("ends at offset 6"),
                    HasSubstr("(offset 4)")));
}

TEST_F(HeaderReaderTest, ACountIsBoundedByTheBytesThatAreLeft) {
  const File bytes = file(le<uint32_t>(3) + std::string(30, 'x'));
  HeaderReader in(bytes);
  EXPECT_EQ(in.read_count<uint32_t>("count", 10), 3U);
  in.seek(0);
  EXPECT_THAT(error_of([&] { in.read_count<uint32_t>("count", 11); }),
              AllOf(HasSubstr("count: expected at most 2 (30 bytes are left in the file), got 3"),
                    HasSubstr("(offset 0)")));
}

}  // namespace
}  // namespace colonnade
