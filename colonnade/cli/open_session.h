// From the options of a command to a loaded model.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "colonnade/api/session.h"
#include "colonnade/cli/options.h"

namespace colonnade::cli {

/// Loads the model with a bar on standard error. Throws UsageError for a context longer than the
/// model's or an instruction set that is not here; Error as Session does; Interrupted.
std::unique_ptr<Session> open_session(const ModelOptions& options);

/// The text's tokens as `options` says. Throws UsageError.
std::vector<int32_t> encode_text(const text::Tokenizer& tokenizer, std::string_view text,
                                 const TextOptions& options);

/// Throws UsageError with both numbers if the prompt is empty or longer than the context.
void check_prompt(const Session& session, std::span<const int32_t> prompt);

/// The name of a file without its folder.
std::string_view file_name(std::string_view path);

}  // namespace colonnade::cli
