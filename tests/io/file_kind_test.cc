#include "colonnade/io/file_kind.h"

#include <filesystem>
#include <string>

#include "tests/support/gguf_builder.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace colonnade {
namespace {

using ::testing::HasSubstr;

TEST(FileKind, WhatIsOftenFoundInAModelsPlaceIsNamed) {
  EXPECT_THAT(foreign_file_kind("version https://git-lfs.github.com/spec/v1\noid sha256:00"),
              HasSubstr("Git LFS pointer"));
  for (const char* page : {"<!doctype html>", "<!DOCTYPE HTML PUBLIC", "<html lang=en>", "<HTML>",
                           "\n  <Html>", "\xef\xbb\xbf<html>", "<?xml version='1.0'?><Error>"}) {
    EXPECT_THAT(foreign_file_kind(page), HasSubstr("web page")) << page;
  }
  EXPECT_THAT(foreign_file_kind("PK\x03\x04rest"), HasSubstr("PyTorch"));
  EXPECT_THAT(foreign_file_kind("GGUF\x03"), HasSubstr("GGUF file"));
  EXPECT_THAT(foreign_file_kind("lmgg"), HasSubstr("before GGUF"));
}

TEST(FileKind, OtherBytesTellNothing) {
  for (const char* start : {"", "<", "{\"a\": 1}", "htm", "version", "PK"}) {
    EXPECT_EQ(foreign_file_kind(start), "") << start;
  }
}

TEST(FileKind, ALinkThatLeadsNowhereIsTold) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/link";
  EXPECT_EQ(dangling_link(path), "");
  std::filesystem::create_symlink("there", path);
  EXPECT_EQ(dangling_link(path),
            ": a link is there, but not there, to which it leads: the download is not complete");
  folder.write("there", "");
  EXPECT_EQ(dangling_link(path), "");
}

}  // namespace
}  // namespace colonnade
