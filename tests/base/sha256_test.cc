#include "colonnade/base/sha256.h"

#include <string>
#include <vector>

#include "tests/support/gguf_builder.h"
#include <gtest/gtest.h>

#include "colonnade/base/file.h"

namespace colonnade {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// Source: the examples of FIPS 180-2, appendix B.
constexpr const char* kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr const char* kMillion = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

TEST(Sha256, ThePublishedExamplesComeOut) {
  EXPECT_EQ(sha256_of(bytes_of("abc")), kAbc);
  EXPECT_EQ(sha256_of(bytes_of(std::string(1'000'000, 'a'))), kMillion);
}

TEST(Sha256, PartsGiveTheDigestOfTheWhole) {
  Sha256 sha;
  sha.update(bytes_of("a"));
  sha.update({});
  sha.update(bytes_of("bc"));
  EXPECT_EQ(sha.hex(), kAbc);
}

TEST(Sha256, AFileOfSeveralBlocksIsReadToItsEnd) {
  const test::TemporaryFolder folder;
  const std::string text(3'000'000, 'x');
  const File file(folder.write("big", text));
  std::vector<int64_t> done;
  EXPECT_EQ(sha256_of(file, [&](int64_t bytes) { done.push_back(bytes); }),
            sha256_of(bytes_of(text)));
  EXPECT_EQ(done, (std::vector<int64_t>{1 << 20, 2 << 20, 3'000'000}));
}

TEST(Sha256, OnlyItsOwnSpellingIsADigest) {
  const std::string digest = kAbc;
  EXPECT_TRUE(is_sha256(digest));
  EXPECT_FALSE(is_sha256(digest.substr(1)));
  EXPECT_FALSE(is_sha256("B" + digest.substr(1)));
  EXPECT_FALSE(is_sha256(digest + "0"));
}

}  // namespace
}  // namespace colonnade
