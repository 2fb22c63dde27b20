#include "colonnade/cli/receipt_file.h"

#include "colonnade/api/model_files.h"
#include "colonnade/base/error.h"
#include "colonnade/cli/meters.h"
#include "colonnade/cli/text_input.h"

namespace colonnade::cli {
namespace {

constexpr int64_t kMostReceiptBytes = int64_t{64} << 20;  // of 600,000 steps

}  // namespace

DigestProgress digest_progress(ProgressLine& bar) {
  return bytes_meter(bar, "reading the model for its digest");
}

ReceiptFile::ReceiptFile(const std::string& path, const ModelOptions& model)
    : file_(path), cut_(model.cut) {
  const ModelFiles files(model.path);
  receipt_.architecture = files.config().architecture;
  ProgressLine bar(!model.quiet);
  receipt_.files = digest_files(files.files(), digest_progress(bar));
}

void ReceiptFile::add(const TokenEvent& event) {
  receipt_.steps.push_back({event.id, logits_digest(event.logits)});
}

void ReceiptFile::finish(const Session& session, const GenerationRequest& request, uint64_t seed) {
  receipt_.precision = session.precision();
  receipt_.cache = session.cache_dtype();
  receipt_.prompt = request.prompt;
  receipt_.sampling = request.sampling;
  receipt_.sampling.seed = seed;
  receipt_.choice = request.choice;
  receipt_.ran_on = {COLONNADE_VERSION, session.ranks(), cut_.shares, session.threads(),
                     session.device()};
  file_.append(write_receipt(receipt_));
  file_.commit();
}

Receipt read_receipt_file(const std::string& path) {
  return read_receipt(read_bytes(path, kMostReceiptBytes), path == "-" ? "standard input" : path);
}

}  // namespace colonnade::cli
