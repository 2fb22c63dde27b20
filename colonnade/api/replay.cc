#include "colonnade/api/replay.h"

#include <algorithm>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"

namespace colonnade {
namespace {

constexpr const char* kOtherFile =
    "take the file that the receipt was made with: -m FILE; sha256sum shows a file's digest";

std::optional<ReplayDifference> compare(int64_t index, const ReceiptStep& expected,
                                        const TokenEvent& got) {
  const std::string digest = logits_digest(got.logits);
  if (digest != expected.logits_sha256)
    return ReplayDifference{index, ReplayDifference::In::logits, expected.logits_sha256, digest};
  if (got.id != expected.token)
    return ReplayDifference{index, ReplayDifference::In::token, concat(expected.token),
                            concat(got.id)};
  return std::nullopt;
}

}  // namespace

std::optional<Mismatch> numerics_mismatch(const Receipt& receipt) {
  if (receipt.numerics == kNumericsVersion) return std::nullopt;
  return Mismatch{"numerics", concat("version ", receipt.numerics),
                  concat("version ", kNumericsVersion),
                  concat("take a Colonnade with that arithmetic; the receipt was made by version ",
                         quote(receipt.ran_on.version))};
}

std::optional<Mismatch> weights_mismatch(const Receipt& receipt, const std::vector<File>& files,
                                         const DigestProgress& on_block) {
  if (files.size() != receipt.files.size())
    return Mismatch{"weights", concat(receipt.files.size(), " files"),
                    concat(files.size(), " files"), kOtherFile};
  for (size_t i = 0; i < files.size(); ++i) {
    const FileDigest& expected = receipt.files[i];
    if (files[i].size() != expected.bytes)
      return Mismatch{"weights", concat(quote(expected.name), " with ", expected.bytes, " bytes"),
                      concat(files[i].path(), " with ", files[i].size(), " bytes"), kOtherFile};
  }
  const std::vector<FileDigest> here = digest_files(files, on_block);
  for (size_t i = 0; i < here.size(); ++i) {
    const FileDigest& expected = receipt.files[i];
    if (here[i].sha256 != expected.sha256)
      return Mismatch{"weights", concat(quote(expected.name), " with SHA-256 ", expected.sha256),
                      concat(files[i].path(), " with ", here[i].sha256), kOtherFile};
  }
  return std::nullopt;
}

void check_fits(const Receipt& receipt, const std::string& where, const ModelDescription& model) {
  const size_t positions = receipt.prompt.size() + receipt.steps.size();
  CN_CHECK(static_cast<int64_t>(positions) <= model.context, where,
           ": prompt_ids and steps: expected at most ", model.context,
           " positions (the model's context), got ", positions);
  const auto exists = [&](int32_t id) { return id < model.vocab; };
  const auto wrong = std::find_if_not(receipt.prompt.begin(), receipt.prompt.end(), exists);
  CN_CHECK(wrong == receipt.prompt.end(), where, ": prompt_ids[", wrong - receipt.prompt.begin(),
           "]: expected token ids from 0 to ", model.vocab - 1, ", got ", *wrong);
  for (size_t i = 0; i < receipt.steps.size(); ++i) {
    CN_CHECK(exists(receipt.steps[i].token), where, ": steps[", i,
             "].token: expected token ids from 0 to ", model.vocab - 1, ", got ",
             receipt.steps[i].token);
  }
  try {
    validate(receipt.sampling, model.vocab);
  } catch (const Error& error) {
    throw Error(concat(where, ": sampling.", error.what()));
  }
}

Replay replay(Session& session, const Receipt& receipt, const std::function<void()>& on_progress) {
  GenerationRequest request = receipt.request();
  if (on_progress) request.on_prompt = [&](int64_t, int64_t) { on_progress(); };
  Replay result;
  session.generator().reset();
  session.generator().generate(request, [&](const TokenEvent& event) {
    if (on_progress) on_progress();
    result.difference =
        compare(result.steps, receipt.steps[static_cast<size_t>(result.steps)], event);
    if (result.difference) return false;
    ++result.steps;
    return true;
  });
  return result;
}

}  // namespace colonnade
