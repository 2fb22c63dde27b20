// The picture of colonnade plan: one colour for each rank, matrices [rows, cols] with rows from top
// to bottom, one layer of each kind. Sides are to scale within a picture until they would not fit.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "colonnade/cli/plan_report.h"
#include "colonnade/text/utf8.h"

namespace colonnade::cli {
namespace {

constexpr double kWidth = 900, kMargin = 24, kLine = 18;
constexpr double kSide = 165;                                        // of the model dimension
constexpr double kShortest = 42, kLongest = 320, kLongestEnd = 210;  // side of a matrix
constexpr double kGap = 18, kArrow = 44, kTitles = 40;
constexpr double kTickSpace = 3, kLetter = 6.2, kLetterHeight = 10;
constexpr size_t kListedRanks = 16;

constexpr const char* kColours[] = {"#6ea8fe", "#f6a25b", "#6cc68b", "#e88aa4",
                                    "#b59ae8", "#d9bf4f", "#5fc6c6", "#c39b7e"};

constexpr std::string_view kStyle =
    "text{font:12px system-ui,sans-serif;fill:#1f2328}.t{font-weight:600;font-size:15px}"
    ".s{font-weight:600}.i{fill:#10151c;font-size:10px;text-anchor:middle}.c{fill:#59636e;"
    "font-size:11px}.b{fill:#fff}.o{fill:none;stroke:#59636e}.k{stroke:#10151c;stroke-opacity:.35;"
    "fill:none}@media(prefers-color-scheme:dark){text{fill:#e6edf3}.c{fill:#9198a1}.b{fill:#0d1117}"
    ".o{stroke:#9198a1}.i{fill:#10151c}}";

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

std::string colour_of(size_t rank) {
  constexpr size_t kCount = std::size(kColours);
  if (rank < kCount) return kColours[rank];
  // Behind the palette: hues a golden angle apart are far from those of their neighbours.
  return fmt::format("hsl({:.0f},55%,62%)", static_cast<double>(rank) * 137.508);
}

/// Text of a file for XML: no markup, no control characters, valid UTF-8.
std::string escaped(std::string_view words) {
  std::string out;
  const bool is_utf8 = text::first_invalid_utf8(words) < 0;
  for (const char c : words) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !is_utf8) ? '?' : c;
    }
  }
  return out;
}

/// Elements of the cut side that the same ranks hold.
struct Band {
  Range range;
  std::vector<size_t> ranks;
};

std::vector<Band> bands_of(const MatrixCut& cut) {
  std::set<int64_t> ends;
  for (const Range part : cut.parts) ends.insert({part.begin, part.end});
  std::vector<Band> bands;
  for (auto it = ends.begin(); std::next(it) != ends.end(); ++it) {
    Band band{{*it, *std::next(it)}, {}};
    for (size_t r = 0; r < cut.parts.size(); ++r) {
      if (cut.parts[r].contains(band.range.begin)) band.ranks.push_back(r);
    }
    bands.push_back(band);
  }
  return bands;
}

std::string range_label(Range range) {
  return range.size() == 1 ? fmt::format("{}", range.begin)
                           : fmt::format("{}–{}", range.begin, range.end - 1);
}

class Picture {
 public:
  explicit Picture(const PlanReport& report) : plan_(report.plan) {}

  std::string draw() {
    head();
    for (const LayerCut& layer : plan_.layers) draw_layer(layer);
    draw_ends();
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1:.0f}\" width=\"{0}\" "
        "height=\"{1:.0f}\" role=\"img\">\n<style>{2}</style>\n<defs>{3}</defs>\n<rect class=\"b\" "
        "width=\"100%\" height=\"100%\"/>\n{4}</svg>\n",
        kWidth, y_ + kMargin, kStyle, patterns_, body_);
  }

 private:
  void write(double x, double y, const char* style, const std::string& words) {
    body_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", style, x, y,
                         escaped(words));
  }

  void head() {
    const DecoderConfig& c = plan_.config;
    y_ = kMargin + 10;
    write(kMargin, y_, "t",
          fmt::format("{} on {} rank{}", c.name.empty() ? c.architecture : c.name, plan_.size(),
                      plan_.size() == 1 ? "" : "s"));
    y_ += kLine + 4;
    const size_t listed = std::min(plan_.ranks.size(), kListedRanks);
    for (size_t r = 0; r < listed; ++r) legend(r);
    if (listed < plan_.ranks.size()) {
      write(kMargin, y_, "c", fmt::format("and {} more ranks", plan_.ranks.size() - listed));
      y_ += kLine;
    }
  }

  void legend(size_t r) {
    const RankPlan& rank = plan_.ranks[r];
    body_ += fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n",
                         kMargin, y_ - 10.5, colour_of(r));
    const auto some = [](const char* what, Range range) {
      return range.empty() ? fmt::format("no {}", what)
                           : fmt::format("{} {}", what, range_label(range));
    };
    write(kMargin + 20, y_, "",
          fmt::format("rank {}: {}, {}, MLP {} of {}, {}; {:.1f} MiB of weights", r,
                      some("query heads", rank.heads), some("KV heads", rank.kv_heads), rank.hidden,
                      plan_.config.ffn_dim, some("tokens", rank.vocabulary),
                      static_cast<double>(rank.memory.weight_bytes) / 0x1p20));
    y_ += kLine;
  }

  bool has_heads(const MatrixCut& cut) const {
    return cut.unit == plan_.config.head_dim && cut.name.starts_with("attn");
  }

  /// Length of a side of `elements`.
  double side(int64_t elements, double least = kShortest) const {
    const double scaled =
        kSide * static_cast<double>(elements) / static_cast<double>(plan_.config.dim);
    return std::clamp(scaled, least, kLongest);
  }

  Box box_of(const MatrixCut& cut, double x) const {
    const double numbered =  // few KV heads have room for their numbers
        has_heads(cut) ? (kLetterHeight + 1) * static_cast<double>(cut.rows / cut.unit) : 0;
    const double least = std::clamp(numbered, kShortest, kSide);
    return {x, y_ + kTitles, side(cut.cols), side(cut.rows, least)};
  }

  void draw_layer(const LayerCut& layer) {
    title(layer);
    draw_pair({&layer.matrix("attn_q"), &layer.matrix("attn_k"), &layer.matrix("attn_v")},
              layer.matrix("attn_output"));
    draw_pair({&layer.matrix("ffn_gate"), &layer.matrix("ffn_up")}, layer.matrix("ffn_down"));
  }

  void title(const LayerCut& layer) {
    y_ += kLine;
    const size_t count = layer.layers.size();
    const int64_t first = layer.layers.front(), last = layer.layers.back();
    std::string which = fmt::format("Layer {}", first);
    if (count > 1 && last - first + 1 == static_cast<int64_t>(count))
      which = fmt::format("Each of the layers {} to {}", first, last);
    else if (count > 1)
      which = fmt::format("Layer {} and {} more", first, count - 1);
    write(kMargin, y_, "s", which);
  }

  /// Matrices cut by rows, the one that their rows feed, and the sum behind it.
  void draw_pair(const std::vector<const MatrixCut*>& rows, const MatrixCut& cols) {
    double x = kMargin, height = 0;
    for (const MatrixCut* cut : rows) {
      const Box box = box_of(*cut, x);
      draw_matrix(*cut, box);
      x += box.width + kGap;
      height = std::max(height, box.height);
    }
    write(x + kArrow / 2 - kGap, y_ + kTitles + kSide / 2, "t", "→");
    const Box box = box_of(cols, x + kArrow - kGap);
    draw_matrix(cols, box);
    write(box.x, box.y + box.height + kLine - 2, "c",
          plan_.size() == 1 ? "no other rank: nothing to sum"
                            : fmt::format("→ sum over ranks: {} integers", cols.rows));
    y_ += kTitles + std::max(height, box.height + kLine) + 6;
  }

  void draw_ends() {
    y_ += kLine;
    write(kMargin, y_, "s",
          plan_.ends.size() > 1 ? "Embedding and head" : "Embedding, which is the head too");
    double x = kMargin, height = 0;
    for (const MatrixCut& cut : plan_.ends) {
      Box box = box_of(cut, x);
      box.height = std::min(box.height, kLongestEnd);
      draw_matrix(cut, box);
      x += box.width + kGap;
      height = std::max(height, box.height);
    }
    double y = y_ + kTitles + kLine;
    for (const char* line :
         {"Norms are whole on every rank.", "Hatched: several ranks hold the same KV heads.",
          "Ticks: units that no cut parts (heads, leaves, blocks of 256 tokens where they fit).",
          "Long sides are shortened."}) {
      write(x + kGap, y, "c", line);
      y += kLine;
    }
    y_ += kTitles + height;
  }

  void draw_matrix(const MatrixCut& cut, const Box& box) {
    write(box.x, box.y - kLine + 1, "", cut.name);
    write(box.x, box.y - 5, "c", fmt::format("[{}, {}]", cut.rows, cut.cols));
    const bool by_cols = cut.side == CutSide::cols;
    const double scale =
        (by_cols ? box.width : box.height) / static_cast<double>(by_cols ? cut.cols : cut.rows);
    for (const Band& band : bands_of(cut)) {
      const double at = scale * static_cast<double>(band.range.begin);
      const double length = scale * static_cast<double>(band.range.size());
      const Box part = by_cols ? Box{box.x + at, box.y, length, box.height}
                               : Box{box.x, box.y + at, box.width, length};
      body_ += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
          part.x, part.y, part.width, part.height, fill_of(band));
      label_band(cut, band, part, scale);
    }
    draw_ticks(cut, box, scale);
    body_ += fmt::format(
        "<rect class=\"o\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n", box.x,
        box.y, box.width, box.height);
  }

  std::string fill_of(const Band& band) {
    if (band.ranks.size() == 1) return colour_of(band.ranks.front());
    const std::string name = fmt::format("h{}-{}", band.ranks.front(), band.ranks.back());
    if (hatched_.insert(name).second) patterns_ += pattern(name, band.ranks);
    return fmt::format("url(#{})", name);
  }

  /// Slanted stripes in the colours of all `ranks`.
  static std::string pattern(const std::string& name, const std::vector<size_t>& ranks) {
    constexpr double kStripe = 7;
    std::string stripes;
    for (size_t i = 0; i < ranks.size(); ++i)
      stripes += fmt::format("<rect x=\"{:.0f}\" width=\"{:.0f}\" height=\"9\" fill=\"{}\"/>",
                             static_cast<double>(i) * kStripe, kStripe, colour_of(ranks[i]));
    return fmt::format(
        "<pattern id=\"{}\" width=\"{:.0f}\" height=\"9\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\">{}</pattern>",
        name, kStripe * static_cast<double>(ranks.size()), stripes);
  }

  /// Numbers of the heads where they fit, else of the range.
  void label_band(const MatrixCut& cut, const Band& band, const Box& part, double scale) {
    const bool by_cols = cut.side == CutSide::cols;
    const bool heads = has_heads(cut);
    const double unit = scale * static_cast<double>(cut.unit);
    const Range range =
        heads ? Range{band.range.begin / cut.unit, band.range.end / cut.unit} : band.range;
    const double space = by_cols ? 2 * kLetter : kLetterHeight;
    if (!heads || unit < space) {
      label(part, range_label(range));
      return;
    }
    for (int64_t head = range.begin; head < range.end; ++head) {
      const double at = unit * static_cast<double>(head - range.begin);
      label(by_cols ? Box{part.x + at, part.y, unit, part.height}
                    : Box{part.x, part.y + at, part.width, unit},
            std::to_string(head));
    }
  }

  /// In the middle of `box`, upright if it is narrow, not at all if there is no room.
  void label(const Box& box, const std::string& words) {
    const auto letters = std::count_if(words.begin(), words.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xc0) != 0x80;  // the first byte of a character
    });
    const double length = kLetter * static_cast<double>(letters);
    const double x = box.x + box.width / 2, y = box.y + box.height / 2;
    const bool upright = length > box.width;
    if ((upright ? box.width : box.height) < kLetterHeight || (upright && length > box.height))
      return;
    body_ += fmt::format(
        "<text class=\"i\" x=\"{0:.1f}\" y=\"{1:.1f}\"{2}>{3}</text>\n", upright ? x + 3.5 : x,
        upright ? y : y + 3.5,
        upright ? fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", x + 3.5, y) : "", words);
  }

  /// At the units within the matrix, along the side that is cut.
  void draw_ticks(const MatrixCut& cut, const Box& box, double scale) {
    const double step = scale * static_cast<double>(cut.unit);
    if (step < kTickSpace) return;
    const bool by_cols = cut.side == CutSide::cols;
    const double length = by_cols ? box.width : box.height;
    std::string path;
    for (int i = 1; step * i < length - 0.5; ++i)
      path += by_cols ? fmt::format("M{:.1f} {:.1f}v6", box.x + step * i, box.y)
                      : fmt::format("M{:.1f} {:.1f}h6", box.x, box.y + step * i);
    if (!path.empty()) body_ += fmt::format("<path class=\"k\" d=\"{}\"/>\n", path);
  }

  const ModelPlan& plan_;
  std::string body_;
  std::string patterns_;
  std::set<std::string> hatched_;
  double y_ = 0;
};

}  // namespace

std::string plan_svg(const PlanReport& report) { return Picture(report).draw(); }

}  // namespace colonnade::cli
