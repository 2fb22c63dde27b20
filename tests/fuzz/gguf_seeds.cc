// Small valid GGUF files, one of each kind of content: gguf_seeds FOLDER.
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/gguf_builder.h"

#include "colonnade/io/rank_file.h"

namespace {

using colonnade::test::gguf_string;
using colonnade::test::GgufBuilder;
using colonnade::test::le;

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

GgufBuilder values() {
  GgufBuilder builder;
  builder.add_string("general.architecture", "llama")
      .add_u32("general.alignment", 32)
      .add_f32("a", 1.0F);
  builder.add_bool("b", true).add_strings("tokenizer.ggml.tokens", {"a", "", "bcd"});
  for (const uint32_t type : {0, 1, 2, 3, 4, 5, 10, 11, 12}) {
    builder.add("v" + std::to_string(type), type,
                std::string(type < 2   ? 1
                            : type < 4 ? 2
                            : type < 6 ? 4
                                       : 8,
                            '\1'));
  }
  return builder;
}

GgufBuilder arrays() {
  GgufBuilder builder;
  for (const uint32_t type : {0, 1, 6, 7, 10, 12}) {
    const int size = type < 2 || type == 7 ? 1 : type == 6 ? 4 : 8;
    builder.add("a" + std::to_string(type), 9,
                le(type) + le<uint64_t>(3) + std::string(3 * size, '\1'));
  }
  const std::string inner = le<uint32_t>(8) + le<uint64_t>(1) + gguf_string("deep");
  return builder.add("nested", 9, le<uint32_t>(9) + le<uint64_t>(2) + inner + inner);
}

GgufBuilder tensors() {
  struct Kind {
    uint32_t type;
    size_t row_bytes;  // of 256 columns
  };
  GgufBuilder builder;
  for (const Kind& kind : {Kind{0, 1024},
                           {1, 512},
                           {2, 144},
                           {3, 160},
                           {6, 176},
                           {7, 192},
                           {8, 272},
                           {12, 144},
                           {13, 176},
                           {14, 210},
                           {30, 512}}) {
    builder.add_tensor("t" + std::to_string(kind.type), {256, 2}, kind.type,
                       std::string(2 * kind.row_bytes, 'x'));
  }
  return builder;
}

GgufBuilder shard() {
  GgufBuilder builder;
  builder.add("split.no", 2, le<uint16_t>(0)).add("split.count", 2, le<uint16_t>(2));
  return builder.add_tensor("t", {4}, 0, std::string(16, 'x'));
}

/// A rank's half of a matrix, and nothing of another.
void write_rank_file(const std::string& path) {
  using colonnade::GgmlType;
  colonnade::RankFileHeader header;
  header.rank = 1;
  header.ranks = 2;
  header.shares = {2, 1};
  header.model = "digest";
  header.tensors = {{"a.weight", GgmlType::q8_0, 4, 64}, {"b.weight", GgmlType::f32, 2, 8}};
  header.pieces = {{{2, 4}, {0, 64}}, {}};
  colonnade::GgufWriter writer(path, rank_metadata(header), rank_tensors(header));
  writer.write(0, 0, std::vector<std::byte>(2 * 68));
  writer.commit();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: gguf_seeds FOLDER\n");
    return 2;
  }
  const std::string folder = arguments[1];
  write(folder + "/values.gguf", values().bytes());
  write(folder + "/arrays.gguf", arrays().bytes());
  write(folder + "/tensors.gguf", tensors().bytes());
  write(folder + "/shard.gguf", shard().bytes());
  write_rank_file(folder + "/rank.gguf");
  return 0;
}
