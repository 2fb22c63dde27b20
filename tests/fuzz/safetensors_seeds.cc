// Small valid safetensors files: safetensors_seeds FOLDER.
#include <cstdio>
#include <fstream>
#include <string>

#include "tests/support/safetensors_builder.h"

namespace {

using colonnade::test::safetensors_file;
using colonnade::test::SafetensorsBuilder;

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: safetensors_seeds FOLDER\n");
    return 2;
  }
  const std::string folder = arguments[1];
  write(folder + "/none", safetensors_file("{}   "));
  write(folder + "/one",
        SafetensorsBuilder().add("w", "F32", {2, 3}, std::string(24, 'x')).bytes());
  write(folder + "/many", SafetensorsBuilder()
                              .add("a", "BF16", {0, 4}, "")
                              .add("b.scales", "F4", {4}, "xy")
                              .add("c", "U32", {}, "abcd")
                              .add("d", "F8_E8M0", {1, 2, 3, 1}, "abcdef")
                              .bytes());
  return 0;
}
