// The receipt of a run, as a file, and receipts that come in.
#pragma once

#include <string>

#include "colonnade/api/receipt.h"
#include "colonnade/api/session.h"
#include "colonnade/base/new_file.h"
#include "colonnade/cli/options.h"
#include "colonnade/cli/terminal.h"

namespace colonnade::cli {

/// Appears with finish().
class ReceiptFile {
 public:
  /// Reads all of the model for its digest, with a bar. Throws Error if a file cannot be read or
  /// created, Interrupted.
  ReceiptFile(const std::string& path, const ModelOptions& model);

  /// One more token.
  void add(const TokenEvent& event);
  /// The last call. Throws Error if there was no token.
  void finish(const Session& session, const GenerationRequest& request, uint64_t seed);

 private:
  NewFile file_;
  CutOptions cut_;
  Receipt receipt_;
};

/// Throws Error as read_receipt does, if it cannot be read, or if it is larger than 64 MiB.
Receipt read_receipt_file(const std::string& path);

/// A bar on standard error that shows how much of a model was read for its digest.
DigestProgress digest_progress(ProgressLine& bar);

}  // namespace colonnade::cli
