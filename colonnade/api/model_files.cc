#include "colonnade/api/model_files.h"

#include "colonnade/api/gguf_vocabulary.h"
#include "colonnade/io/gguf_source.h"
#include "colonnade/models/family.h"
#include "colonnade/models/tensor_names.h"

namespace colonnade {

struct ModelFiles::Impl {
  GgufFile file;
  GgufSource tensors;
  DecoderConfig config;
  NamedSource source;

  explicit Impl(const std::string& path)
      : file(path),
        tensors((check_architecture(file.metadata()), file)),
        config(read_config(file.metadata(), tensors)),
        source(tensors, gguf_names(config.architecture), config) {}
};

ModelFiles::ModelFiles(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
ModelFiles::~ModelFiles() = default;
ModelFiles::ModelFiles(ModelFiles&&) noexcept = default;
ModelFiles& ModelFiles::operator=(ModelFiles&&) noexcept = default;

const std::string& ModelFiles::path() const { return impl_->file.path(); }
const std::vector<File>& ModelFiles::files() const { return impl_->file.files(); }
int64_t ModelFiles::size_bytes() const { return impl_->file.size_bytes(); }
int64_t ModelFiles::bytes_read() const { return impl_->file.bytes_read(); }
const DecoderConfig& ModelFiles::config() const { return impl_->config; }
const TensorSource& ModelFiles::source() const { return impl_->source; }
text::Vocabulary ModelFiles::vocabulary() const { return gguf_vocabulary(impl_->file.metadata()); }
std::string ModelFiles::chat_template() const {
  return impl_->file.metadata().text_or("tokenizer.chat_template", "");
}

}  // namespace colonnade
