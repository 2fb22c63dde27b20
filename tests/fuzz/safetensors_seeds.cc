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
  write(folder + "/mlx", SafetensorsBuilder()
                             .add("w.weight", "U32", {2, 6}, std::string(48, 'x'))
                             .add("w.scales", "F16", {2, 2}, std::string(8, 's'))
                             .add("w.biases", "F16", {2, 2}, std::string(8, 'b'))
                             .add("a.weight", "U32", {1, 4}, std::string(16, 'y'))
                             .add("a.scales", "U8", {1, 1}, "z")
                             .bytes());
  write(folder + "/blocks", SafetensorsBuilder()
                                .add("e_blocks", "U8", {2, 1, 1, 16}, std::string(32, 'x'))
                                .add("e_scales", "U8", {2, 1, 1}, "ab")
                                .bytes());
  return 0;
}
