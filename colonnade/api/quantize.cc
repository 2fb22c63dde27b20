#include "colonnade/api/quantize.h"

#include <algorithm>
#include <filesystem>

#include "colonnade/api/row_items.h"
#include "colonnade/base/cpu_float_env.h"
#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"
#include "colonnade/io/ggml_quantize.h"
#include "colonnade/io/gguf_keys.h"
#include "colonnade/io/gguf_writer.h"

namespace colonnade {
namespace {

constexpr uint32_t kQuantizationVersion = 2;  // source: ggml.h, GGML_QNT_VERSION
/// Numbers that a thread has in memory at a time: a few megabytes as f32, many rows for the disk.
constexpr int64_t kItemElements = 1 << 20;

/// Keys that say how the tensors were made are true of the new ones.
std::vector<GgufEntry> new_metadata(const std::vector<GgufEntry>& before, GgmlType type) {
  constexpr const char* kFileType = "general.file_type";
  constexpr const char* kVersion = "general.quantization_version";
  GgufKeys keys;
  for (const GgufEntry& entry : before) {
    const bool about_tensors =
        entry.key == kFileType || entry.key == kVersion || entry.key.starts_with("quantize.");
    if (!about_tensors) keys.entries.push_back(entry);
  }
  keys.integer(kFileType, file_type_of(type));
  keys.integer(kVersion, kQuantizationVersion);
  return std::move(keys.entries);
}

void check_output(const ExportModel& model, const std::string& output) {
  std::error_code ignored;
  for (const File& file : model.files())
    CN_CHECK(!std::filesystem::equivalent(file.path(), output, ignored), output,
             ": is a file of the model: expected another name for the output");
}

class Quantizer {
 public:
  Quantizer(const ExportModel& model, const std::vector<GgufTensorSpec>& specs, GgufWriter& writer)
      : model_(model), specs_(specs), writer_(writer) {}

  void write(const RowItem& item) const {
    const GgufTensorSpec& spec = specs_[item.tensor];
    std::vector<std::byte> out(static_cast<size_t>(item.rows.size() * spec.row_bytes()));
    if (model_.tensors()[item.tensor].type == spec.type) {
      model_.read_raw(item.tensor, item.rows, out);
    } else {
      convert(item, out);
    }
    writer_.write(item.tensor, item.rows.begin * spec.row_bytes(), out);
  }

 private:
  void convert(const RowItem& item, std::span<std::byte> out) const {
    const GgufTensorSpec& spec = specs_[item.tensor];
    const auto cols = static_cast<size_t>(spec.dims[0]);
    std::vector<float> numbers(static_cast<size_t>(item.rows.size()) * cols);
    model_.read_numbers(item.tensor, item.rows, numbers);
    for (int64_t row = 0; row < item.rows.size(); ++row) {
      const auto values = std::span(numbers).subspan(static_cast<size_t>(row) * cols, cols);
      CN_CHECK(quantize_row(spec.type, values, out.data() + row * spec.row_bytes()),
               model_.files().front().path(), ": tensor ", quote(spec.name), ": row ",
               item.rows.begin + row, ": expected finite numbers that ", name_of(spec.type),
               " can hold, got others: choose a wider type (BF16, F32), or the model is damaged");
    }
  }

  const ExportModel& model_;
  const std::vector<GgufTensorSpec>& specs_;
  GgufWriter& writer_;
};

void write_tensors(const ExportModel& model, const std::vector<GgufTensorSpec>& specs,
                   const QuantizeRequest& request, GgufWriter& writer) {
  std::vector<RowsOfTensor> rows;
  for (const ExportTensor& tensor : model.tensors())
    rows.push_back({tensor.rows(), tensor.file_bytes / tensor.rows(),
                    std::max<int64_t>(1, kItemElements / tensor.cols())});
  const Quantizer quantizer(model, specs, writer);
  for_row_items(rows, request.threads, request.progress,
                [&](const RowItem& item) { quantizer.write(item); });
}

}  // namespace

QuantizeReport quantize_model(const QuantizeRequest& request) {
  const FloatEnvironment environment;
  const std::unique_ptr<ExportModel> model = open_export_model(request.model);
  check_output(*model, request.output);
  const std::vector<TensorType> types = choose_types(model->tensors(), request.types);
  std::vector<GgufTensorSpec> specs;
  QuantizeReport report;
  for (size_t i = 0; i < types.size(); ++i) {
    const ExportTensor& tensor = model->tensors()[i];
    specs.push_back({tensor.name, types[i].type, tensor.dims});
    report.tensors.push_back({tensor.name, tensor.format, name_of(types[i].type), types[i].why,
                              tensor.rows() * tensor.cols(), tensor.file_bytes,
                              specs.back().size_bytes()});
  }
  GgufWriter writer(request.output, new_metadata(model->metadata(), request.types.type), specs);
  write_tensors(*model, specs, request, writer);
  writer.commit();
  for (const File& file : model->files()) report.file_bytes_before += file.size();
  report.file_bytes_after = writer.size_bytes();
  return report;
}

}  // namespace colonnade
