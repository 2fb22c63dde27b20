// ModelFiles: a model on the disk, whatever kind of files hold it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "colonnade/base/file.h"
#include "colonnade/io/tensor_source.h"
#include "colonnade/models/decoder_config.h"
#include "colonnade/text/tokenizer.h"
#include "colonnade/text/vocabulary.h"

namespace colonnade {

/// Immutable; any number of threads may use it at once.
class ModelFiles {
 public:
  /// `name` is a GGUF file, any shard of a split one or a folder that holds one model; any file of
  /// a model that was cut into one per rank (`colonnade shard`), or their folder; a folder of
  /// Hugging Face's tools, or one of its files; or "org/name" of a model in their cache. Reads
  /// headers and configuration. Throws Error: no such model, broken files, a family or a feature
  /// that is not supported.
  explicit ModelFiles(const std::string& name);
  ~ModelFiles();
  ModelFiles(ModelFiles&&) noexcept;
  ModelFiles& operator=(ModelFiles&&) noexcept;

  /// Of the first GGUF file, or the folder.
  const std::string& path() const;
  /// Those that hold the tensors.
  const std::vector<File>& files() const;
  /// Bytes of all files, bytes read from them so far, and how long threads of this process read.
  int64_t size_bytes() const;
  int64_t bytes_read() const;
  double read_s() const;

  const DecoderConfig& config() const;
  /// Under the names that the layers ask for (models/tensor_names.h).
  const TensorSource& source() const;
  /// Whether `entry` is a head for which the embedding serves.
  bool ignores(const TensorEntry& entry) const;
  /// The source as rank `rank` of `ranks` reads it: where the model was cut for so many, from its
  /// own file what is there. Valid as long as this is.
  std::shared_ptr<const TensorSource> source_of(int rank, int ranks) const;
  /// What each rank took when the model was cut for so many; empty: equal shares, or no such cut.
  std::vector<double> shares_of(int ranks) const;
  text::Vocabulary vocabulary() const;
  /// Throws Error naming the file and what is wrong with its vocabulary.
  text::Tokenizer tokenizer() const;
  /// Empty if there is none.
  std::string chat_template() const;
  /// What is wrong with the files and was got over.
  std::vector<std::string> warnings() const;

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace colonnade
