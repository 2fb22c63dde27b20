#include "colonnade/io/hub_cache.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "tests/support/gguf_builder.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/env.h"
#include "colonnade/base/error.h"

namespace colonnade {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kCommit = "1234567890abcdef1234567890abcdef12345678";

/// Sets variables for a test and puts the old values back.
class Environment {
 public:
  using Values = std::map<std::string, std::string>;
  explicit Environment(const Values& values) {
    for (const auto& [name, value] : values) {
      old_[name] = environment_variable(name.c_str());
      ::setenv(name.c_str(), value.c_str(), 1);
    }
  }
  ~Environment() {
    for (const auto& [name, value] : old_) {
      ::unsetenv(name.c_str());
      if (value) ::setenv(name.c_str(), value->c_str(), 1);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::map<std::string, std::optional<std::string>> old_;
};

class HubCacheTest : public ::testing::Test {
 protected:
  /// A model as the tools lay it out: a blob, a snapshot that links to it, a branch.
  void download(const std::string& name, const std::string& commit, const std::string& branch) {
    const fs::path model = fs::path(folder_.path()) / name;
    fs::create_directories(model / "blobs");
    fs::create_directories(model / "snapshots" / commit);
    folder_.write(name + "/blobs/abc", "{}");
    fs::create_symlink("../../blobs/abc", model / "snapshots" / commit / "config.json");
    if (branch.empty()) return;
    fs::create_directories((model / "refs" / branch).parent_path());
    folder_.write(name + "/refs/" + branch, commit);
  }
  std::string snapshot(const std::string& name, const std::string& commit) const {
    return folder_.path() + "/" + name + "/snapshots/" + commit;
  }
  std::string error(const std::string& name) const {
    try {
      return "found " + resolve_model(name, folder_.path());
    } catch (const Error& error) {
      return error.what();
    }
  }

  test::TemporaryFolder folder_;
};

TEST_F(HubCacheTest, TheEnvironmentNamesTheFolderInTheOrderOfTheTools) {
  const Environment::Values none = {{"HF_HUB_CACHE", ""},
                                    {"HUGGINGFACE_HUB_CACHE", ""},
                                    {"HF_HOME", ""},
                                    {"XDG_CACHE_HOME", ""},
                                    {"HOME", ""}};
  const Environment cleared(none);
  EXPECT_EQ(hub_cache_folder(), "");
  const Environment home(Environment::Values{{"HOME", "/h"}});
  EXPECT_EQ(hub_cache_folder(), "/h/.cache/huggingface/hub");
  const Environment xdg(Environment::Values{{"XDG_CACHE_HOME", "/x"}});
  EXPECT_EQ(hub_cache_folder(), "/x/huggingface/hub");
  const Environment hf_home(Environment::Values{{"HF_HOME", "/f"}});
  EXPECT_EQ(hub_cache_folder(), "/f/hub");
  const Environment old(Environment::Values{{"HUGGINGFACE_HUB_CACHE", "/o"}});
  EXPECT_EQ(hub_cache_folder(), "/o");
  const Environment hub(Environment::Values{{"HF_HUB_CACHE", "/c"}});
  EXPECT_EQ(hub_cache_folder(), "/c");
}

TEST_F(HubCacheTest, ANameIsTheSnapshotOfItsMainBranch) {
  download("models--org--Name-1.5B", kCommit, "main");
  const std::string path = resolve_model("org/Name-1.5B", folder_.path());
  EXPECT_EQ(path, snapshot("models--org--Name-1.5B", kCommit));
  EXPECT_TRUE(fs::exists(path + "/config.json"));
  download("models--gpt2", "aa", "main");
  EXPECT_EQ(resolve_model("gpt2", folder_.path()), snapshot("models--gpt2", "aa"));
}

TEST_F(HubCacheTest, ARevisionIsABranchATagOrACommit) {
  download("models--org--m", kCommit, "main");
  download("models--org--m", "beef", "refs/pr/1");
  EXPECT_EQ(resolve_model("org/m@refs/pr/1", folder_.path()), snapshot("models--org--m", "beef"));
  EXPECT_EQ(resolve_model("org/m@beef", folder_.path()), snapshot("models--org--m", "beef"));
  EXPECT_EQ(resolve_model("org/m@main", folder_.path()), snapshot("models--org--m", kCommit));
}

TEST_F(HubCacheTest, APathThatIsThereWins) {
  download("models--org--m", kCommit, "main");
  const std::string path = folder_.write("file", "");
  EXPECT_EQ(resolve_model(path, folder_.path()), path);
  EXPECT_EQ(resolve_model(folder_.path(), folder_.path()), folder_.path());
  EXPECT_EQ(resolve_model(".", folder_.path()), ".");
}

TEST_F(HubCacheTest, WhatCanBeNoNameIsAPath) {
  for (const char* path :
       {"/no/such", "../no/such", "a/b/c", "./a", "no.gguf", "org/no.gguf", "org/no.safetensors",
        "a b/c", "org/", "/org", "org/m@", "org/m@../x", "org//m", ""}) {
    EXPECT_EQ(resolve_model(path, folder_.path()), path);
  }
}

TEST_F(HubCacheTest, AModelThatIsNotThereIsAnErrorThatSaysWhatIs) {
  EXPECT_THAT(error("org/m"), AllOf(HasSubstr("org/m: no such file or folder"),
                                    HasSubstr("no such model in " + folder_.path()),
                                    HasSubstr("which holds: no model")));
  for (const char* name : {"a--1", "b--2", "c--3", "d--4", "e--5", "f"}) {
    download(std::string("models--") + name, kCommit, "main");
  }
  EXPECT_THAT(error("org/m"), HasSubstr("which holds: a/1, b/2, c/3, d/4, e/5 and 1 more"));
  const auto error_in = [](const std::string& cache) -> std::string {
    try {
      return "found " + resolve_model("org/m", cache);
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_THAT(error_in("/no/cache"), HasSubstr("the folder of downloads /no/cache is not there"));
  EXPECT_THAT(error_in(""), HasSubstr("the environment names no folder of downloads"));
}

TEST_F(HubCacheTest, ARevisionThatIsNotThereIsAnErrorThatSaysWhichAre) {
  download("models--org--m", kCommit, "");
  EXPECT_THAT(error("org/m"), AllOf(HasSubstr("org/m: revision main is not in "),
                                    HasSubstr(kCommit), HasSubstr("as org/m@REVISION")));
  EXPECT_THAT(error("org/m@v2"), HasSubstr("org/m: revision v2 is not in "));
  fs::create_directories(folder_.path() + "/models--org--m/refs");
  folder_.write("models--org--m/refs/main", "dead\n");
  EXPECT_THAT(error("org/m"), HasSubstr("org/m: revision main (dead) is not in "));
  folder_.write("models--org--m/refs/main", "../..");
  EXPECT_THAT(error("org/m"), HasSubstr("refs/main: expected the name of a snapshot"));
}

}  // namespace
}  // namespace colonnade
