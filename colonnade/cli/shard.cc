// colonnade shard: a model as one file per rank.
#include "colonnade/api/shard.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "colonnade/cli/commands.h"
#include "colonnade/cli/exit_codes.h"
#include "colonnade/cli/interrupt.h"
#include "colonnade/cli/json.h"
#include "colonnade/cli/meters.h"
#include "colonnade/cli/open_session.h"
#include "colonnade/cli/terminal.h"

namespace colonnade::cli {
namespace {

using nlohmann::ordered_json;

std::string page_of(const ShardOptions& options, const ShardModelReport& report) {
  std::string page =
      fmt::format("{} ({:.1f} MB) -> {} files\n", options.model,
                  static_cast<double>(report.model_bytes) / 1e6, report.paths.size());
  for (size_t rank = 0; rank < report.paths.size(); ++rank)
    page += fmt::format("  rank {:<3} {:>10.1f} MB  {:>5.1f} %  {}\n", rank,
                        static_cast<double>(report.file_bytes[rank]) / 1e6,
                        100.0 * static_cast<double>(report.file_bytes[rank]) /
                            static_cast<double>(report.model_bytes),
                        report.paths[rank]);
  return page;
}

ordered_json json_of(const ShardOptions& options, const ShardModelReport& report) {
  ordered_json files = ordered_json::array();
  for (size_t rank = 0; rank < report.paths.size(); ++rank)
    files.push_back(
        {{"rank", rank}, {"path", report.paths[rank]}, {"bytes", report.file_bytes[rank]}});
  return {{"model", options.model},
          {"model_bytes", report.model_bytes},
          {"ranks", report.paths.size()},
          {"files", std::move(files)}};
}

}  // namespace

int shard(const ShardOptions& options) {
  catch_interrupts();
  ShardModelReport report;
  {
    ProgressLine bar(!options.quiet);
    report = naming_flags([&] {
      return shard_model(
          {.model = options.model,
           .folder = options.folder,
           .ranks = options.cut.ranks,
           .shares = options.cut.shares,
           .threads = options.threads,
           .progress = bytes_meter(bar, concat("cutting ", file_name(options.model)))});
    });
  }
  print(options.json ? to_page(json_of(options, report)) + "\n" : page_of(options, report));
  return kOk;
}

}  // namespace colonnade::cli
