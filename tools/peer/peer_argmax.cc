// The peer's greedy choice at every position of given sequences: what tools/peer_disagreement.py
// counts with.
//
//   peer_argmax MODEL.gguf THREADS < sequences
//
// A line of the input is `first id id id ...`; the answer is one line: the ids with the largest
// logit after positions first .. last of that sequence, each computed from the ids given
// (teacher-forced), prompt and continuation in one batch. Not part of the build: docs/measuring.md
// tells how to compile it against the peer's headers and library.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <llama.h>

namespace {

constexpr int kContext = 2048;

[[noreturn]] void fail(const std::string& message) {
  std::cerr << "peer_argmax: " << message << "\n";
  std::exit(1);
}

llama_context* open(const char* path, int threads) {
  llama_model* model = llama_model_load_from_file(path, llama_model_default_params());
  if (model == nullptr) fail(std::string("cannot load ") + path);
  llama_context_params params = llama_context_default_params();
  params.n_ctx = kContext;
  params.n_batch = kContext;
  params.n_threads = threads;
  params.n_threads_batch = threads;
  llama_context* context = llama_init_from_model(model, params);
  if (context == nullptr) fail("cannot make a context");
  return context;
}

std::vector<int> argmaxes(llama_context* context, int first, const std::vector<llama_token>& ids) {
  const int vocabulary = llama_vocab_n_tokens(llama_model_get_vocab(llama_get_model(context)));
  llama_memory_clear(llama_get_memory(context), true);
  llama_batch batch = llama_batch_init(static_cast<int>(ids.size()), 0, 1);
  for (int i = 0; i < static_cast<int>(ids.size()); ++i) {
    batch.token[i] = ids[i];
    batch.pos[i] = i;
    batch.n_seq_id[i] = 1;
    batch.seq_id[i][0] = 0;
    batch.logits[i] = i >= first;
  }
  batch.n_tokens = static_cast<int>(ids.size());
  if (llama_decode(context, batch) != 0) fail("decode failed");
  std::vector<int> result;
  for (int i = first; i < static_cast<int>(ids.size()); ++i) {
    const float* logits = llama_get_logits_ith(context, i);
    result.push_back(static_cast<int>(std::max_element(logits, logits + vocabulary) - logits));
  }
  llama_batch_free(batch);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) fail("expected MODEL.gguf THREADS");
  llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
  llama_context* context = open(argv[1], std::atoi(argv[2]));
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    int first = 0;
    words >> first;
    std::vector<llama_token> ids;
    for (llama_token id = 0; words >> id;) ids.push_back(id);
    if (ids.empty() || ids.size() > kContext) fail("expected 1 to 2048 ids in a line");
    for (int id : argmaxes(context, first, ids)) std::cout << id << ' ';
    std::cout << std::endl;
  }
  return 0;
}
