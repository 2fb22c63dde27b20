// The subcommands. Each returns an exit code.
#pragma once

#include "colonnade/cli/options.h"

namespace colonnade::cli {

int run(const RunOptions& options);
int chat(const ChatOptions& options);
int info(const InfoOptions& options);
int plan(const PlanOptions& options);
int tokenize(const TokenizeOptions& options);
int perplexity(const PerplexityOptions& options);
int verify(const VerifyOptions& options);
int bench(const BenchOptions& options);
int quantize(const QuantizeOptions& options);
int shard(const ShardOptions& options);
/// `what`: bash, zsh, fish or man.
int completion(const std::string& what);

}  // namespace colonnade::cli
