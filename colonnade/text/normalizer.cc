#include "colonnade/text/normalizer.h"

#include <utility>

#include "colonnade/base/error.h"
#include "colonnade/text/nfc.h"

namespace colonnade::text {
namespace {

// At byte `pos` of a text `removed` bytes became `inserted` ones.
struct Edit {
  size_t pos;
  size_t removed;
  size_t inserted;
};

// Where the ranges are behind ascending `edits`. What stands before all text belongs to its first
// character; a replacement belongs to a range if all that was replaced did.
void move_ranges(const std::vector<Edit>& edits, std::vector<ByteRange>* ranges) {
  size_t next = 0;
  ptrdiff_t shift = 0;
  const auto moved = [&](size_t pos, bool is_end) {
    const auto is_before = [&](const Edit& e) {
      return e.removed == 0 ? e.pos < pos : e.pos + e.removed <= pos;
    };
    for (; next < edits.size() && is_before(edits[next]); ++next)
      shift += static_cast<ptrdiff_t>(edits[next].inserted) -
               static_cast<ptrdiff_t>(edits[next].removed);
    const auto at = [&](size_t p) {
      return static_cast<size_t>(static_cast<ptrdiff_t>(p) + shift);
    };
    const bool inside = next < edits.size() && edits[next].pos < pos;
    if (!inside) return at(pos);
    return is_end ? at(edits[next].pos) : at(edits[next].pos) + edits[next].inserted;
  };
  for (ByteRange& range : *ranges) {
    range.begin = moved(range.begin, false);
    range.end = moved(range.end, true);
  }
  std::erase_if(*ranges, [](const ByteRange& r) { return r.begin >= r.end; });
}

std::string replaced(std::string_view text, const NormalizerStep& step, std::vector<Edit>* edits) {
  std::string out;
  out.reserve(text.size() + text.size() / 4);
  for (size_t pos = 0;;) {
    const size_t found = text.find(step.from, pos);
    out += text.substr(pos, found - pos);
    if (found == std::string_view::npos) return out;
    edits->push_back({found, step.from.size(), step.to.size()});
    out += step.to;
    pos = found + step.from.size();
  }
}

bool changes(const NormalizerStep& step, std::string_view text, TextStart start) {
  using Kind = NormalizerStep::Kind;
  switch (step.kind) {
    case Kind::nfc:
      return !is_surely_nfc(text);
    case Kind::replace:
      return text.find(step.from) != std::string_view::npos;
    case Kind::prepend:
      return !text.empty();
    case Kind::prepend_unless:
      return !text.empty() && !text.starts_with(step.to);
    case Kind::prepend_first:
      return start == TextStart::of_text && !text.empty() && !text.starts_with(step.to);
  }
  CN_ASSERT(false, "a step of kind ", static_cast<int>(step.kind));
}

}  // namespace

Normalizer::Normalizer(std::vector<NormalizerStep> steps) : steps_(std::move(steps)) {
  for (const NormalizerStep& step : steps_) {
    CN_ASSERT(step.kind != NormalizerStep::Kind::replace || !step.from.empty(),
              "a replacement of nothing");
  }
}

std::string_view Normalizer::apply(std::string_view text, TextStart start, std::string* storage,
                                   std::vector<ByteRange>* ranges) const {
  std::vector<Edit> edits;
  for (const NormalizerStep& step : steps_) {
    if (!changes(step, text, start)) continue;
    edits.clear();
    std::string out;
    if (step.kind == NormalizerStep::Kind::nfc) {
      out = to_nfc(text);
      if (ranges && out != text) ranges->clear();
    } else if (step.kind == NormalizerStep::Kind::replace) {
      out = replaced(text, step, &edits);
    } else {
      edits.push_back({0, 0, step.to.size()});
      out.reserve(step.to.size() + text.size());
      out.append(step.to).append(text);
    }
    if (ranges) move_ranges(edits, ranges);
    *storage = std::move(out);
    text = *storage;
  }
  return text;
}

}  // namespace colonnade::text
