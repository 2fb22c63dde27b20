#include "colonnade/io/safetensors_index.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "colonnade/base/error.h"
#include "colonnade/base/json.h"
#include "colonnade/base/quote.h"
#include "colonnade/io/model_text.h"

namespace colonnade {
namespace {

using nlohmann::json;

constexpr const char* kWeightMap = "weight_map";

/// Nothing but a file of the index's own folder: an index must not lead elsewhere.
bool is_file_name(std::string_view name) {
  return name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos &&
         name.ends_with(".safetensors");
}

const json& weight_map(const json& index, const std::string& path) {
  CN_CHECK(index.is_object(), path, ": expected an object with the field '", kWeightMap, "'");
  const auto found = index.find(kWeightMap);
  CN_CHECK(found != index.end(), path, ": field '", kWeightMap, "' is missing");
  CN_CHECK(found->is_object(), path, ": ", kWeightMap,
           ": expected an object of tensors and their files");
  CN_CHECK(!found->empty(), path, ": ", kWeightMap, ": expected tensors, got none");
  return *found;
}

}  // namespace

SafetensorsIndex read_safetensors_index(const File& file) {
  const json all = parse_json(read_model_text(file), file.path());
  SafetensorsIndex index;
  for (const auto& [tensor, name] : weight_map(all, file.path()).items()) {  // sorted by key
    CN_CHECK(name.is_string(), file.path(), ": ", kWeightMap, ": ", quote(tensor),
             ": expected the name of a file");
    const auto& text = name.get_ref<const std::string&>();
    CN_CHECK(is_file_name(text), file.path(), ": ", kWeightMap, ": ", quote(tensor),
             ": expected the name of a safetensors file in the same folder, got ", quote(text));
    index.places.push_back({tensor, text});
    index.files.push_back(text);
  }
  std::ranges::sort(index.files);
  index.files.erase(std::unique(index.files.begin(), index.files.end()), index.files.end());
  return index;
}

}  // namespace colonnade
