// colonnade quantize: a model as a GGUF file of another type.
#include "colonnade/api/quantize.h"

#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "colonnade/base/quote.h"
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

struct Sum {
  int64_t tensors = 0;
  int64_t bytes_before = 0;
  int64_t bytes_after = 0;

  void add(const QuantizedTensor& tensor) {
    ++tensors;
    bytes_before += tensor.bytes_before;
    bytes_after += tensor.bytes_after;
  }
};

/// "Q4_K", "Q4_0", and why not as it was asked for.
using Change = std::tuple<std::string, std::string, std::string>;

std::map<Change, Sum> sums_of(const QuantizeReport& report) {
  std::map<Change, Sum> sums;
  for (const QuantizedTensor& tensor : report.tensors)
    sums[{tensor.from, tensor.to, tensor.why}].add(tensor);
  return sums;
}

double bits_per_weight(const QuantizeReport& report) {
  int64_t elements = 0, bytes = 0;
  for (const QuantizedTensor& tensor : report.tensors) {
    elements += tensor.elements;
    bytes += tensor.bytes_after;
  }
  return elements > 0 ? 8.0 * static_cast<double>(bytes) / static_cast<double>(elements) : 0;
}

double megabytes(int64_t bytes) { return static_cast<double>(bytes) / 1e6; }

/// Matrices whose numbers were rounded before.
bool quantized_twice(const QuantizedTensor& tensor) {
  const bool was_dense = tensor.from == "F32" || tensor.from == "F16" || tensor.from == "BF16";
  return !was_dense && tensor.from != tensor.to && tensor.to != "F32";
}

std::string page_of(const QuantizeOptions& options, const QuantizeReport& report) {
  std::string page = fmt::format("{} -> {}\n", options.model, options.output);
  for (const auto& [change, sum] : sums_of(report)) {
    const auto& [from, to, why] = change;
    page += fmt::format("  {:<6} -> {:<6} {:>5} tensors {:>10.1f} MB -> {:>8.1f} MB{}\n", from, to,
                        sum.tensors, megabytes(sum.bytes_before), megabytes(sum.bytes_after),
                        why.empty() ? "" : "  (" + why + ")");
  }
  page += fmt::format("  size {:.1f} MB -> {:.1f} MB, {:.2f} bits per weight\n",
                      megabytes(report.file_bytes_before), megabytes(report.file_bytes_after),
                      bits_per_weight(report));
  const bool twice = std::ranges::any_of(report.tensors, quantized_twice);
  if (twice)
    page +=
        "  note: the model was quantized before; from its original weights the result is "
        "better\n";
  return page;
}

ordered_json json_of(const QuantizeOptions& options, const QuantizeReport& report) {
  ordered_json tensors = ordered_json::array();
  for (const QuantizedTensor& tensor : report.tensors)
    tensors.push_back(
        {{"name", tensor.name},
         {"from", tensor.from},
         {"to", tensor.to},
         {"why", tensor.why.empty() ? ordered_json(nullptr) : ordered_json(tensor.why)},
         {"bytes_before", tensor.bytes_before},
         {"bytes_after", tensor.bytes_after}});
  return {{"model", options.model},
          {"output", options.output},
          {"type", name_of(options.types.type)},
          {"file_bytes_before", report.file_bytes_before},
          {"file_bytes_after", report.file_bytes_after},
          {"bits_per_weight", bits_per_weight(report)},
          {"tensors", std::move(tensors)}};
}

}  // namespace

int quantize(const QuantizeOptions& options) {
  catch_interrupts();
  QuantizeReport report;
  {
    ProgressLine bar(!options.quiet);
    report = quantize_model(
        {.model = options.model,
         .output = options.output,
         .types = options.types,
         .threads = options.threads,
         .progress = bytes_meter(bar, concat("writing ", file_name(options.output)))});
  }
  print(options.json ? to_page(json_of(options, report)) + "\n" : page_of(options, report));
  return kOk;
}

}  // namespace colonnade::cli
