#include "colonnade/api/model_files.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "colonnade/api/gguf_vocabulary.h"
#include "colonnade/api/hf_texts.h"
#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"
#include "colonnade/io/gguf_source.h"
#include "colonnade/io/hf_folder.h"
#include "colonnade/io/hub_cache.h"
#include "colonnade/io/piece_source.h"
#include "colonnade/io/rank_file.h"
#include "colonnade/io/safetensors_source.h"
#include "colonnade/models/family.h"
#include "colonnade/models/gguf_config.h"
#include "colonnade/models/hf_decoder_config.h"
#include "colonnade/models/tensor_names.h"
#include "colonnade/models/text_model.h"

namespace colonnade {

struct ModelFiles::Impl {
  virtual ~Impl() = default;

  virtual const std::string& path() const = 0;
  virtual const std::vector<File>& files() const = 0;
  virtual int64_t bytes_read() const { return total_read(files()); }
  virtual double read_s() const { return total_read_s(files()); }
  virtual text::Vocabulary vocabulary() const = 0;
  virtual std::string chat_template() const = 0;
  virtual std::vector<std::string> warnings() const { return {}; }
  /// What ModelFiles has under these names, or nothing.
  virtual std::shared_ptr<const TensorSource> source_of(int /*rank*/, int /*ranks*/) const {
    return nullptr;
  }
  virtual std::vector<double> shares_of(int /*ranks*/) const { return {}; }

  DecoderConfig config;
  std::optional<NamedSource> source;
};

namespace {

/// What `make` makes of a file's content; its errors name the file.
template <typename Make>
auto of_file(const std::string& path, Make&& make) {
  try {
    return make();
  } catch (const Error& error) {
    if (std::string_view(error.what()).find(path) != std::string_view::npos) throw;
    throw Error(concat(path, ": ", error.what()));
  }
}

struct GgufModel final : ModelFiles::Impl {
  GgufFile file;
  GgufSource tensors;

  explicit GgufModel(const std::string& path) : file(path), tensors(file) {
    config = of_file(file.path(), [this] { return read_config(file.metadata(), tensors); });
    source.emplace(tensors,
                   FileNames{.rules = family_of_architecture(config.architecture).gguf_names},
                   config);
  }

  const std::string& path() const override { return file.path(); }
  const std::vector<File>& files() const override { return file.files(); }
  text::Vocabulary vocabulary() const override { return gguf_vocabulary(file.metadata()); }
  std::string chat_template() const override {
    return file.metadata().text_or("tokenizer.chat_template", "");
  }
};

/// Its tensors have the layers' names already.
struct PieceModel final : ModelFiles::Impl {
  PieceFiles pieces;
  PieceSource tensors;
  std::vector<File> opened;  // as files() wants them; the pieces read through their own

  explicit PieceModel(const std::vector<std::string>& paths) : pieces(paths), tensors(pieces) {
    for (const std::string& path : paths) opened.emplace_back(path);
    const GgufMetadata& keys = pieces.metadata();
    config = of_file(paths.front(), [&] {
      return has_hf_texts(keys) ? read_config(text_fields(hf_config_of(keys, paths.front())))
                                : read_config(keys, tensors);
    });
    source.emplace(tensors, FileNames{}, config);
  }

  const std::string& path() const override { return opened.front().path(); }
  const std::vector<File>& files() const override { return opened; }
  int64_t bytes_read() const override {
    int64_t bytes = 0;
    for (const auto& file : pieces.files()) bytes += file->file.bytes_read();
    return bytes;
  }
  double read_s() const override {
    double seconds = 0;
    for (const auto& file : pieces.files()) seconds += total_read_s(file->file.files());
    return seconds;
  }
  text::Vocabulary vocabulary() const override {
    const GgufMetadata& keys = pieces.metadata();
    return has_hf_texts(keys) ? hf_vocabulary_of(keys, path(), config.vocab)
                              : gguf_vocabulary(keys);
  }
  std::string chat_template() const override {
    const GgufMetadata& keys = pieces.metadata();
    return has_hf_texts(keys) ? hf_chat_template_of(keys)
                              : keys.text_or("tokenizer.chat_template", "");
  }
  std::shared_ptr<const TensorSource> source_of(int rank, int ranks) const override {
    if (ranks != pieces.header().ranks) return nullptr;
    return std::make_shared<PieceSource>(pieces, rank);
  }
  std::vector<double> shares_of(int ranks) const override {
    return ranks == pieces.header().ranks ? pieces.header().shares : std::vector<double>();
  }
};

struct HfModel final : ModelFiles::Impl {
  HfFolder folder;
  SafetensorsSource tensors;

  explicit HfModel(const std::string& path)
      : folder(path), tensors(folder.weights(), &folder.config()) {
    const TextModel model = of_file(folder.path() + "/config.json", [this] {
      TextModel text = text_model(folder.config());
      config = read_config(text.fields);
      return text;
    });
    source.emplace(tensors, model.names, config);
  }

  const std::string& path() const override { return folder.path(); }
  const std::vector<File>& files() const override { return tensors.files().files(); }
  std::string chat_template() const override { return folder.chat_template(); }
  std::vector<std::string> warnings() const override {
    std::vector<std::string> all = tensors.files().warnings();
    const std::vector<std::string>& ignored = source->ignored();
    if (!ignored.empty()) {
      all.push_back(concat(folder.path(), ": ", ignored.size(), " tensors of the part that sees ",
                           "images are not read (", ignored.front(),
                           ignored.size() > 1 ? ", ..." : "", "): this model answers texts only"));
    }
    return all;
  }

  text::Vocabulary vocabulary() const override {
    return hf_vocabulary([this](const std::string& name) { return folder.text(name).value_or(""); },
                         folder.path(), config.vocab);
  }
};

/// Bytes of row `row` of a dense matrix.
std::vector<std::byte> row_of(const TensorSource& source, const TensorEntry& entry, int64_t row) {
  std::vector<std::byte> bytes(static_cast<size_t>(entry.cols) * 4);
  source.rows(entry, {{row, row + 1}, {0, entry.cols}}).dense({0, 1}, bytes.data());
  return bytes;
}

/// A head beside an embedding that is said to serve for it: is it a copy? Some rows tell.
bool is_copy(const TensorSource& source, const TensorEntry& a, const TensorEntry& b) {
  constexpr int64_t kRows = 64;
  if (a.format != b.format || a.rows != b.rows || a.cols != b.cols) return false;
  if (is_grouped(a.format)) return true;  // never written twice
  for (int64_t i = 0; i < std::min(kRows, a.rows); ++i) {
    const int64_t row = i * a.rows / std::min(kRows, a.rows);
    if (row_of(source, a, row) != row_of(source, b, row)) return false;
  }
  return true;
}

std::unique_ptr<ModelFiles::Impl> open(const std::string& path) {
  const std::vector<std::string> pieces = find_rank_files(path);
  if (!pieces.empty()) return std::make_unique<PieceModel>(pieces);
  if (is_hf_model(path)) return std::make_unique<HfModel>(path);
  return std::make_unique<GgufModel>(path);
}

}  // namespace

ModelFiles::ModelFiles(const std::string& name) : impl_(open(resolve_model(name))) {}
ModelFiles::~ModelFiles() = default;
ModelFiles::ModelFiles(ModelFiles&&) noexcept = default;
ModelFiles& ModelFiles::operator=(ModelFiles&&) noexcept = default;

const std::string& ModelFiles::path() const { return impl_->path(); }
const std::vector<File>& ModelFiles::files() const { return impl_->files(); }
int64_t ModelFiles::size_bytes() const { return total_size(files()); }
int64_t ModelFiles::bytes_read() const { return impl_->bytes_read(); }
double ModelFiles::read_s() const { return impl_->read_s(); }
const DecoderConfig& ModelFiles::config() const { return impl_->config; }
const TensorSource& ModelFiles::source() const { return *impl_->source; }
bool ModelFiles::ignores(const TensorEntry& entry) const {
  return entry.name == "output.weight" && config().tied.value_or(false);
}
std::shared_ptr<const TensorSource> ModelFiles::source_of(int rank, int ranks) const {
  if (auto own = impl_->source_of(rank, ranks)) return own;
  return {std::shared_ptr<const void>(), &source()};  // owned by this
}
std::vector<double> ModelFiles::shares_of(int ranks) const { return impl_->shares_of(ranks); }
text::Vocabulary ModelFiles::vocabulary() const { return impl_->vocabulary(); }
text::Tokenizer ModelFiles::tokenizer() const {
  return of_file(path(), [this] { return text::Tokenizer(vocabulary()); });
}
std::string ModelFiles::chat_template() const { return impl_->chat_template(); }
std::vector<std::string> ModelFiles::warnings() const {
  std::vector<std::string> all = impl_->warnings();
  const TensorEntry* embedding = source().find("token_embd.weight");
  const TensorEntry* head = source().find("output.weight");
  const bool both = embedding != nullptr && head != nullptr;
  if (both && ignores(*head) && !is_copy(source(), *embedding, *head)) {
    all.push_back(
        concat(path(), ": tensor ", quote(head->file_name),
               " is ignored: the embedding serves for it (tie_word_embeddings), but it is "
               "no copy of the embedding"));
  }
  return all;
}

}  // namespace colonnade
