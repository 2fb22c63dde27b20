// Receipts that are right, and some that are almost: receipt_seeds FOLDER.
#include <fstream>
#include <limits>
#include <string>

#include "colonnade/api/receipt.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  colonnade::Receipt receipt;
  receipt.architecture = "llama";
  receipt.files = {{"m.gguf", 9, std::string(64, 'a')}};
  receipt.prompt = {1, 2};
  receipt.sampling.seed = 7;
  receipt.sampling.logit_bias = {{3, -1.5F}, {4, -std::numeric_limits<float>::infinity()}};
  receipt.steps = {{5, std::string(64, '0')}};
  receipt.ran_on = {"0.1.0", 2, {3, 1}, 2, "cpu"};
  const std::string right = colonnade::write_receipt(receipt);
  const std::string texts[] = {right, right.substr(0, right.size() / 2), "{\"format\": [[[[]]]]}",
                               R"({"format": "colonnade receipt", "format_version": 2})"};
  int index = 0;
  for (const std::string& text : texts)
    std::ofstream(std::string(argv[1]) + "/seed" + std::to_string(index++), std::ios::binary)
        << text;
  return 0;
}
