#include "colonnade/models/tensor_names.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"

namespace colonnade {
namespace {

constexpr std::string_view kEndings[] = {".weight", ".bias"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The numbers that stand where `pattern` has '#' and '@', or nothing if `text` is otherwise.
struct Match {
  std::string_view layer;
  std::string_view expert;
};
std::optional<Match> match(std::string_view pattern, std::string_view text) {
  Match found;
  while (!pattern.empty()) {
    if (pattern[0] == '#' || pattern[0] == '@') {
      size_t digits = 0;
      while (digits < text.size() && is_digit(text[digits])) ++digits;
      if (digits == 0) return std::nullopt;
      (pattern[0] == '#' ? found.layer : found.expert) = text.substr(0, digits);
      text.remove_prefix(digits);
    } else {
      if (text.empty() || text[0] != pattern[0]) return std::nullopt;
      text.remove_prefix(1);
    }
    pattern.remove_prefix(1);
  }
  return text.empty() ? std::optional(found) : std::nullopt;
}

std::string fill(std::string_view pattern, const Match& match) {
  std::string text;
  for (const char c : pattern) {
    if (c == '#') {
      text += match.layer;
    } else if (c == '@') {
      text += match.expert;
    } else {
      text += c;
    }
  }
  return text;
}

std::string_view ending_of(std::string_view name) {
  for (const std::string_view ending : kEndings) {
    if (name.ends_with(ending)) return ending;
  }
  return {};
}

/// A tensor's rows, or a vector's elements: what a RowMap counts.
int64_t& extent(TensorEntry& entry) { return entry.rows == 1 ? entry.cols : entry.rows; }

/// Parts of tensors, for one family's configuration.
class Pieces {
 public:
  /// `place`: of the files, for messages.
  Pieces(const DecoderConfig& config, std::string place)
      : place_(std::move(place)),
        dim_(config.head_dim),
        q_(config.heads * dim_),
        kv_(config.kv_heads * dim_),
        experts_(config.experts) {}

  /// The parts of `whole` that `piece` says: one, or one for each expert.
  std::vector<TensorEntry> of(const TensorEntry& whole, Piece piece, bool bias) const {
    if (piece == Piece::unused) return {};
    if (piece >= Piece::expert) return experts_of(whole, piece, bias);
    std::vector<TensorEntry> one = {whole};
    cut(one.front(), piece);
    return one;
  }

 private:
  std::vector<TensorEntry> experts_of(const TensorEntry& whole, Piece piece, bool bias) const {
    const int64_t all = bias               ? whole.rows * whole.cols  // a bias is an expert's row
                        : whole.transposed ? whole.rows * experts_
                                           : whole.rows;
    CN_CHECK(experts_ > 0 && all % experts_ == 0, place_, ": tensor ", quote(whole.file_name),
             ": expected a part for each of ", experts_, " experts, got ", all, " rows");
    const int64_t rows = all / experts_;
    std::vector<TensorEntry> parts;
    for (int64_t expert = 0; expert < experts_; ++expert) {
      TensorEntry& part = parts.emplace_back(whole);
      RowMap map{.first = expert * rows};
      int64_t count = rows;
      if (piece != Piece::expert) {
        map = {
            .first = expert * rows + (piece == Piece::expert_odd ? 1 : 0), .block = 1, .stride = 2};
        count = rows / 2;
      }
      part.rows = bias ? 1 : count;
      if (whole.transposed) {  // experts stand one behind the other in the file's rows
        part.cols = whole.cols / experts_;
        part.first_col = expert * part.cols;
        map.first -= expert * rows;
      }
      if (bias) part.cols = count;
      part.file_bytes = whole.file_bytes / all * count;
      part.map = map;
    }
    return parts;
  }

  /// Makes `entry`, a whole tensor, the part of it that `piece` says.
  void cut(TensorEntry& entry, Piece piece) const {
    switch (piece) {
      case Piece::q:
        return take(entry, q_ + 2 * kv_, q_, {.first = 0});
      case Piece::k:
        return take(entry, q_ + 2 * kv_, kv_, {.first = q_});
      case Piece::v:
        return take(entry, q_ + 2 * kv_, kv_, {.first = q_ + kv_});
      case Piece::q_of_heads:
        return take(entry, 3 * q_, q_, {.first = 0, .block = dim_, .stride = 3 * dim_});
      case Piece::k_of_heads:
        return take(entry, 3 * q_, q_, {.first = dim_, .block = dim_, .stride = 3 * dim_});
      case Piece::v_of_heads:
        return take(entry, 3 * q_, q_, {.first = 2 * dim_, .block = dim_, .stride = 3 * dim_});
      case Piece::first_half:
        return halve(entry, {.first = 0});
      case Piece::second_half:
        return halve(entry, {.first = extent(entry) / 2});
      default:
        break;
    }
  }

  void halve(TensorEntry& entry, RowMap map) const {
    take(entry, extent(entry) / 2 * 2, extent(entry) / 2, map);
  }

  void take(TensorEntry& entry, int64_t expected, int64_t rows, RowMap map) const {
    CN_CHECK(extent(entry) == expected, place_, ": tensor ", quote(entry.file_name), ": expected ",
             expected, " rows for its parts, got ", extent(entry));
    entry.file_bytes = entry.file_bytes / expected * rows;
    extent(entry) = rows;
    entry.map = map;
  }

  std::string place_;
  int64_t dim_, q_, kv_, experts_;
};

void give_form(TensorEntry& entry, Form form) {
  if (form == Form::transposed && entry.rows > 1 && !is_grouped(entry.format)) {
    std::swap(entry.rows, entry.cols);
    entry.transposed = true;
  }
  if (form == Form::minus_one) entry.add = 1;
}

/// Appends to `entries` the parts of `whole`, whose name is `name`, that `rule` names. False: none.
bool add_parts(const TensorEntry& whole, std::string_view name, const NameRule& rule,
               const Pieces& pieces, std::vector<TensorEntry>& entries) {
  const std::string_view ending = ending_of(name);
  const bool all = !ending_of(rule.file_name).empty() || ending.empty();
  std::optional<Match> found =
      match(rule.file_name, all ? name : name.substr(0, name.size() - ending.size()));
  if (!found) return false;
  TensorEntry formed = whole;
  give_form(formed, rule.form);
  const bool bias = ending_of(all ? rule.name : name) == ".bias";
  int64_t expert = 0;
  for (TensorEntry& entry : pieces.of(formed, rule.piece, bias)) {
    const std::string number = std::to_string(expert++);
    if (rule.piece >= Piece::expert) found->expert = number;
    entry.name = fill(rule.name, *found) + std::string(all ? "" : ending);
    entries.push_back(std::move(entry));
  }
  return true;
}

}  // namespace

FilePlace place_in_files(std::string_view name, std::span<const NameRule> rules) {
  const std::string_view ending = ending_of(name);
  const std::string_view start = name.substr(0, name.size() - ending.size());
  for (const NameRule& rule : rules) {
    const bool all = !ending_of(rule.name).empty() || ending.empty();
    const std::optional<Match> found = match(rule.name, all ? name : start);
    if (!found) continue;
    return {fill(rule.file_name, *found) + std::string(all ? "" : ending), rule.piece,
            found->expert.empty() ? 0 : std::stoll(std::string(found->expert))};
  }
  return {std::string(name)};
}

std::string NamedSource::without_prefix(std::string_view name) {
  for (const NamePrefix& prefix : names_.prefixes) {
    if (!name.starts_with(prefix.in_files)) continue;
    prefix_ = prefix;
    name.remove_prefix(std::string_view(prefix.in_files).size());
    return prefix.in_rules + std::string(name);
  }
  return std::string(name);
}

NamedSource::NamedSource(const TensorSource& files, FileNames names, const DecoderConfig& config)
    : files_(files), names_(names) {
  const Pieces pieces(config, files.place());
  for (const TensorEntry& whole : files.entries()) {
    const auto begins_name = [&](const char* part) { return whole.name.starts_with(part); };
    if (std::ranges::any_of(names_.ignored, begins_name)) {
      ignored_.push_back(whole.name);
      continue;
    }
    const std::string name = without_prefix(whole.name);
    bool named = false;
    for (const NameRule& rule : names_.rules)
      named = add_parts(whole, name, rule, pieces, entries_) || named;
    if (!named) entries_.push_back(whole);
  }
  for (size_t i = 0; i < entries_.size(); ++i) {
    const auto [place, is_new] = by_name_.emplace(entries_[i].name, i);
    CN_CHECK(is_new, files.place(), ": tensors ", quote(entries_[place->second].file_name), " and ",
             quote(entries_[i].file_name), ": both are ", quote(entries_[i].name));
  }
}

const TensorEntry* NamedSource::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &entries_[found->second];
}

std::string NamedSource::name_in_files(std::string_view name) const {
  const std::string_view ending = ending_of(name);
  for (const NameRule& rule : names_.rules) {
    const bool all = !ending_of(rule.name).empty();
    const std::optional<Match> found =
        match(rule.name, all ? name : name.substr(0, name.size() - ending.size()));
    if (!found || rule.piece == Piece::unused) continue;
    std::string in_rules = fill(rule.file_name, *found) + std::string(all ? "" : ending);
    if (!in_rules.starts_with(prefix_.in_rules)) return in_rules;
    return prefix_.in_files + in_rules.substr(std::string_view(prefix_.in_rules).size());
  }
  return std::string(name);
}

}  // namespace colonnade
