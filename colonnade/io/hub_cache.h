// Models that Hugging Face's tools have downloaded: "org/name" becomes a folder.
#pragma once

#include <string>

namespace colonnade {

/// The folder of downloads that the environment names: HF_HUB_CACHE, else HUGGINGFACE_HUB_CACHE,
/// else hub in HF_HOME, else huggingface/hub in XDG_CACHE_HOME or in ~/.cache. Empty: it names
/// none.
std::string hub_cache_folder();

/// The path of the model that a user calls `name`: `name` itself if something is there, else the
/// snapshot that `cache` holds of "org/name" or "org/name@revision" (a branch, a tag, a commit;
/// main if none is given). A name of another form is a path. Nothing is fetched. Throws Error that
/// says where it was looked for and what lies there.
std::string resolve_model(const std::string& name, const std::string& cache = hub_cache_folder());

}  // namespace colonnade
