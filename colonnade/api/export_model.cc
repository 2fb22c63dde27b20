#include "colonnade/api/export_model.h"

#include "colonnade/api/hf_export.h"
#include "colonnade/base/error.h"
#include "colonnade/io/gguf.h"
#include "colonnade/io/gguf_source.h"
#include "colonnade/io/hf_folder.h"
#include "colonnade/io/hub_cache.h"
#include "colonnade/io/number_rows.h"
#include "colonnade/io/rank_file.h"

namespace colonnade {
namespace {

class GgufExport final : public ExportModel {
 public:
  explicit GgufExport(const std::string& path)
      : file_(path), source_(file_), metadata_(unsplit_metadata(file_)) {
    for (const GgufTensor& tensor : file_.tensors())
      tensors_.push_back({tensor.name,
                          {tensor.dims.begin(), tensor.dims.begin() + tensor.dim_count},
                          name_of(tensor.type),
                          tensor.type,
                          tensor.size_bytes});
  }

  const std::vector<File>& files() const override { return file_.files(); }
  const std::vector<GgufEntry>& metadata() const override { return metadata_; }
  const std::vector<ExportTensor>& tensors() const override { return tensors_; }

  void read_raw(size_t index, Range rows, std::span<std::byte> out) const override {
    const GgufTensor& tensor = file_.tensors()[index];
    file_.read(tensor, rows.begin * tensor.row_bytes(), out);
  }

  void read_numbers(size_t index, Range rows, std::span<float> out) const override {
    const TensorEntry& entry = source_.entries()[index];
    colonnade::read_numbers(source_.rows(entry, {rows, {0, entry.cols}}), entry.format,
                            {0, rows.size()}, out);
  }

 private:
  GgufFile file_;
  GgufSource source_;
  std::vector<GgufEntry> metadata_;
  std::vector<ExportTensor> tensors_;
};

}  // namespace

int64_t ExportTensor::rows() const {
  int64_t rows = 1;
  for (size_t d = 1; d < dims.size(); ++d) rows *= dims[d];
  return rows;
}

std::unique_ptr<ExportModel> open_export_model(const std::string& path) {
  const std::string place = resolve_model(path);
  if (is_hf_model(place)) return open_hf_export(place);
  CN_CHECK(find_rank_files(place).empty(), place,
           ": is cut into one file per rank: expected the whole model");
  return std::make_unique<GgufExport>(place);
}

}  // namespace colonnade
