// How close the matrix products come to what limits them: decode (one token) to a plain read of
// memory, prefill (many tokens) to the instruction set's own peak, for every table that this CPU
// runs and every weight format. docs/kernels.md reads the columns.
//
//   bench_kernels [--isa NAME] [--format NAME] [--tier NAME] [--mb 512] [--tokens 512]
//                 [--k 2048] [--rows 2048] [--seconds 0.3] [--only decode|prefill|sums]
//                 [--leaf 512|256|32]
//
// Time is the thread's own CPU time, so that other programs on the machine disturb less; each
// product alternates with the read or peak loop it is compared to, and medians are printed.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <sys/mman.h>

#include "colonnade/base/error.h"
#include "colonnade/device/isa.h"
#include "colonnade/kernels/p16.h"
#include "colonnade/kernels/table.h"

namespace colonnade::kernels {
namespace {

struct Options {
  std::string isa, format, tier, only;
  int64_t mb = 512, tokens = 512, k = 2048, rows = 2048, leaf = 0;
  double seconds = 0.3;
};

Options parse(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; i += 2) {
    CN_CHECK(i + 1 < argc, "bench_kernels: expected a value behind ", argv[i]);
    const std::string flag = argv[i], value = argv[i + 1];
    const std::map<std::string, std::string*> texts = {
        {"--isa", &o.isa}, {"--format", &o.format}, {"--tier", &o.tier}, {"--only", &o.only}};
    const std::map<std::string, int64_t*> numbers = {{"--mb", &o.mb},
                                                     {"--tokens", &o.tokens},
                                                     {"--k", &o.k},
                                                     {"--rows", &o.rows},
                                                     {"--leaf", &o.leaf}};
    if (texts.count(flag) != 0) {
      *texts.at(flag) = value;
    } else if (numbers.count(flag) != 0) {
      *numbers.at(flag) = std::stoll(value);
    } else if (flag == "--seconds") {
      o.seconds = std::stod(value);
    } else {
      CN_CHECK(false, "bench_kernels: unknown flag ", flag, "; see the head of bench/kernels.cc");
    }
  }
  return o;
}

double thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}
double time_of(const std::function<void()>& work) {
  const double start = thread_seconds();
  work();
  return thread_seconds() - start;
}
double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<int64_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

/// Medians of the time of `work` and of its ratio to `yardstick` run right before it.
struct Compared {
  double seconds, ratio;  // ratio: yardstick's time / work's time
};
Compared compare(const std::function<void()>& yardstick, const std::function<void()>& work,
                 double budget_s) {
  std::vector<double> times, ratios;
  work();  // first touch
  for (double spent = 0; times.size() < 3 || (spent < budget_s && times.size() < 101);) {
    const double y = time_of(yardstick), w = time_of(work);
    times.push_back(w);
    ratios.push_back(y / w);
    spent += y + w;
  }
  return {median(times), median(ratios)};
}

/// Memory in huge pages where the kernel gives them, filled with 16-bit words that are moderate
/// numbers as f16, as bf16 and (in pairs) as f32: no infinities, no denormals.
class Memory {
 public:
  explicit Memory(int64_t bytes) : bytes_((bytes + (2 << 20) - 1) & ~int64_t{(2 << 20) - 1}) {
    void* p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CN_CHECK(p != MAP_FAILED, "bench_kernels: expected ", bytes_, " bytes of memory, got none");
    madvise(p, bytes_, MADV_HUGEPAGE);
    data_ = static_cast<uint8_t*>(p);
    std::mt19937 random(1);
    std::vector<uint16_t> page(1 << 16);
    for (uint16_t& w : page) w = static_cast<uint16_t>((random() & 0x80ffU) | 0x3f00U);
    for (int64_t at = 0; at < bytes_; at += static_cast<int64_t>(page.size()) * 2) {
      std::memcpy(data_ + at, page.data(), page.size() * 2);
    }
  }
  ~Memory() { munmap(data_, bytes_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  uint8_t* data() const { return data_; }
  int64_t bytes() const { return bytes_; }

 private:
  int64_t bytes_;
  uint8_t* data_;
};

struct Format {
  const char* name;
  bool dense;
  int kind;
  int64_t segment = 256;              // elements that share the scale behind them
  ScaleType scales = ScaleType::f16;  // its type
};
constexpr Format grouped(const char* name, GroupedKind kind) {
  return {name, false, static_cast<int>(kind)};
}
constexpr Format affine(const char* name, GroupedKind kind) {
  return {name, false, static_cast<int>(kind), 64, ScaleType::bf16};
}
constexpr Format kFormats[] = {
    grouped("q4_0", GroupedKind::q4_0),
    grouped("q4_1", GroupedKind::q4_1),
    grouped("q5_0", GroupedKind::q5_0),
    grouped("q8_0", GroupedKind::q8_0),
    grouped("iq4_nl", GroupedKind::iq4_nl),
    grouped("mxfp4", GroupedKind::mxfp4),
    grouped("q2_k", GroupedKind::q2_k),
    grouped("q3_k", GroupedKind::q3_k),
    grouped("q4_k", GroupedKind::q4_k),
    grouped("q5_k", GroupedKind::q5_k),
    grouped("q6_k", GroupedKind::q6_k),
    grouped("iq4_xs", GroupedKind::iq4_xs),
    {"q8_k", false, static_cast<int>(GroupedKind::q8_k), 256, ScaleType::f32},
    grouped("nvfp4", GroupedKind::nvfp4),
    grouped("mxfp8", GroupedKind::mxfp8),
    affine("affine2", GroupedKind::affine2),
    affine("affine3", GroupedKind::affine3),
    affine("affine4", GroupedKind::affine4),
    affine("affine5", GroupedKind::affine5),
    affine("affine6", GroupedKind::affine6),
    affine("affine8", GroupedKind::affine8),
    {"bf16", true, static_cast<int>(DenseKind::bf16)},
    {"f32", true, static_cast<int>(DenseKind::f32)}};

bool has_integers(const Format& format) {
  return !format.dense && !float_codes(p16_format(static_cast<GroupedKind>(format.kind)));
}

/// K in leaves of `leaf` and segments of `segment`.
struct Plan {
  Plan(int64_t k, int64_t leaf, int64_t segment) : width(k) {
    const auto most = static_cast<int32_t>(segment / kBlock);
    for (int64_t begin = 0; begin < k; begin += leaf) {
      const auto blocks = static_cast<int32_t>(std::min(leaf, k - begin) / kBlock);
      for (int32_t b = 0; b < blocks; b += most) {
        segments.push_back({std::min(most, blocks - b), b + most >= blocks ? 1 : 0});
      }
      leaf_ends.push_back(static_cast<int32_t>(std::min(k, begin + leaf)));
    }
    for (int32_t b = 0; b < k / kBlock; ++b) runs.push_back({b * kBlock, kBlock, b});
  }
  KPlanView view() const {
    return {segments.data(),
            runs.data(),
            width,
            static_cast<int32_t>(segments.size()),
            static_cast<int32_t>(runs.size()),
            static_cast<int32_t>(leaf_ends.size()),
            1};
  }
  int64_t width;
  std::vector<Segment> segments;
  std::vector<Run> runs;
  std::vector<int32_t> leaf_ends;
};

/// Activations of every tier.
struct Activations {
  Activations(const KernelTable& table, int64_t tokens, int64_t k, bool int15)
      : x(tokens * k),
        hi(tokens * k),
        lo(int15 ? tokens * k : 0),
        scale(tokens * k / kBlock),
        scaled_sum(scale.size()),
        half_sums(2 * scale.size()) {
    std::mt19937 random(2);
    // Below 2^-10: beside these weights, leaves are of ordinary size, as exact sums like them.
    for (float& v : x) v = static_cast<float>(static_cast<int32_t>(random())) * 0x1p-41F;
    codes = {hi.data(),
             int15 ? lo.data() : nullptr,
             scale.data(),
             scaled_sum.data(),
             half_sums.data(),
             tokens,
             static_cast<int32_t>(k / kBlock)};
    const Plan plan(k, k, 256);
    for (int64_t t = 0; t < tokens; ++t) {
      table.quantize(x.data() + t * k, plan.view(), codes, t, {0, codes.blocks});
    }
  }
  std::vector<float> x;
  std::vector<int8_t> hi, lo;
  std::vector<float> scale, scaled_sum;
  std::vector<int32_t> half_sums;
  CodesView codes;
};

/// One product that can be run: a weight laid over `memory`, one tier, leaves of `leaf`.
class Product {
 public:
  Product(const KernelTable& table, Format format, const Memory& memory, int64_t rows,
          const Activations& x, int64_t leaf, bool exact)
      : table_(table),
        format_(format),
        plan_(x.codes.blocks * kBlock, leaf, format.segment),
        x_(x),
        rows_(rows),
        y_(x.codes.tokens * rows),
        scratch_(kScratchBytes + 64),
        exact_(exact) {
    panel_bytes_ = format.dense
                       ? plan_.width * kLanes * (format.kind == 0 ? 4 : 2)
                       : panel_bytes(p16_format(static_cast<GroupedKind>(format.kind)),
                                     format.scales, static_cast<int64_t>(plan_.runs.size()),
                                     static_cast<int64_t>(plan_.segments.size()));
    CN_CHECK(bytes() <= memory.bytes(), "bench_kernels: expected a weight that fits ",
             memory.bytes(), " bytes, got ", bytes());
    panels_ = memory.data();
    if (!format.dense) put_exponents(memory.data());
  }
  int64_t bytes() const { return rows_ / kLanes * panel_bytes_; }
  double operations() const {
    return 2.0 * static_cast<double>(rows_) * static_cast<double>(plan_.width) *
           static_cast<double>(x_.codes.tokens);
  }
  void run(bool f32_tier) {
    const uintptr_t at = reinterpret_cast<uintptr_t>(scratch_.data());
    const Scratch scratch = {scratch_.data() + (64 - at % 64) % 64, kScratchBytes};
    int64_t bad = 0;
    const ProductOut out = {
        .y = y_.data(), .stride = rows_, .bad_leaves = &bad, .exact = exact_ ? 1 : 0};
    const Span all = {0, rows_ / kLanes};
    if (format_.dense) {
      const DenseView w = {panels_,
                           panel_bytes_,
                           rows_,
                           plan_.leaf_ends.data(),
                           plan_.width,
                           static_cast<int32_t>(plan_.leaf_ends.size()),
                           static_cast<DenseKind>(format_.kind)};
      table_.matmul_dense(w, x_.x.data(), plan_.width, x_.codes.tokens, all, out, scratch);
      return;
    }
    const GroupedView w = {
        panels_,       panel_bytes_, rows_, plan_.view(), static_cast<GroupedKind>(format_.kind),
        format_.scales};
    if (f32_tier) {
      table_.matmul_grouped_f32(w, x_.x.data(), plan_.width, x_.codes.tokens, all, out, scratch);
    } else {
      table_.matmul_grouped(w, x_.codes, all, out, scratch);
    }
    CN_CHECK(bad == 0, "bench_kernels: expected leaves in range, got ", bad, " bad ones");
  }

 private:
  /// E8M0 scales that are no huge numbers, and f16 ones for the other formats.
  void put_exponents(uint8_t* at) const {
    const P16Format f = p16_format(static_cast<GroupedKind>(format_.kind));
    if (f.place != ScalePlace::block_e8m0) return;
    for (int64_t done = code_bytes(f); done < bytes(); done += block_bytes(f)) {
      std::memset(at + done, 0x3f, kLanes);
    }
  }

  const KernelTable& table_;
  Format format_;
  Plan plan_;
  const Activations& x_;
  int64_t rows_, panel_bytes_ = 0;
  const uint8_t* panels_ = nullptr;
  std::vector<float> y_;
  std::vector<uint8_t> scratch_;
  bool exact_;
};

struct Leaves {
  int64_t width;
  bool exact;
};
constexpr Leaves kLeafCases[] = {{512, false}, {256, true}, {32, true}};

void decode(const Options& o, const KernelTable& table, Format format, const std::string& tier,
            const Memory& memory) {
  const Activations x(table, 1, o.k, tier == "int15");
  std::string line;
  for (const Leaves& leaves : kLeafCases) {
    if (o.leaf != 0 && o.leaf != leaves.width) continue;
    const int64_t unit = 64;
    Product probe(table, format, memory, unit, x, leaves.width, leaves.exact);
    const int64_t rows = memory.bytes() / probe.bytes() * unit;
    Product product(table, format, memory, rows, x, leaves.width, leaves.exact);
    float sink[64] = {};
    const Compared c =
        compare([&] { table.read_all(memory.data(), product.bytes() / 256 * 256, sink); },
                [&] { product.run(tier == "f32"); }, o.seconds);
    line += fmt::format("  {:6.1f} GB/s {:5.1f} %",
                        static_cast<double>(product.bytes()) / c.seconds * 1e-9, 100 * c.ratio);
  }
  fmt::print("{:10} {:7} {:5} decode {}\n", table.name, format.name, tier, line);
  std::fflush(stdout);
}

void prefill(const Options& o, const KernelTable& table, Format format, const std::string& tier,
             const Memory& memory) {
  const Activations x(table, o.tokens, o.k, tier == "int15");
  std::string line;
  for (const Leaves& leaves : kLeafCases) {
    if (o.leaf != 0 && o.leaf != leaves.width) continue;
    Product product(table, format, memory, o.rows, x, leaves.width, leaves.exact);
    float sink[64] = {};
    const bool f32 = format.dense || tier == "f32";
    const auto peak = f32 ? table.fma_peak : table.dot_peak;
    int64_t rounds = 1000, done = 0;
    while (time_of([&] { done = peak(rounds, sink); }) < 2e-3) rounds *= 2;
    const Compared c =
        compare([&] { peak(rounds, sink); }, [&] { product.run(tier == "f32"); }, o.seconds);
    const double rate = product.operations() / c.seconds;
    const double share = product.operations() * c.ratio / static_cast<double>(done);
    line += fmt::format("  {:6.1f} Gop/s {:5.1f} %", rate * 1e-9, 100 * share);
  }
  fmt::print("{:10} {:7} {:5} prefill{}\n", table.name, format.name, tier, line);
  std::fflush(stdout);
}

/// What exact sums cost: the same product with the same leaves, added as integers and in f32, in
/// turns. Leaves are those of real layers: 32 to 512.
void sums(const Options& o, const KernelTable& table, Format format, const std::string& tier,
          const Memory& memory, int64_t tokens) {
  const Activations x(table, tokens, o.k, tier == "int15");
  std::string line;
  for (const int64_t leaf : {32, 64, 128, 256, 512}) {
    if (o.leaf != 0 && o.leaf != leaf) continue;
    Product plain(table, format, memory, o.rows, x, leaf, false);
    Product exact(table, format, memory, o.rows, x, leaf, true);
    const Compared c =
        compare([&] { plain.run(tier == "f32"); }, [&] { exact.run(tier == "f32"); }, o.seconds);
    line += fmt::format("  {:3}: {:6.1f} {:+5.1f} %", leaf, exact.operations() / c.seconds * 1e-9,
                        100 / c.ratio - 100);
  }
  fmt::print("{:10} {:7} {:5} {:3} tokens{}\n", table.name, format.name, tier, tokens, line);
  std::fflush(stdout);
}

void run(const Options& o) {
  const Memory memory(o.mb << 20);
  fmt::print("columns: {}\n", o.only == "sums"
                                  ? "leaf, Gop/s with exact sums, time above that with f32 sums"
                                  : "leaves of 512 added in f32; of 256, exact; of 32, exact");
  for (const Isa isa : usable_isas()) {
    const KernelTable* table = table_for(isa);
    if (!o.isa.empty() && o.isa != table->name) continue;
    float sink[64] = {};
    std::vector<double> fma, dot;
    for (int n = 0; n < 9; ++n) {
      int64_t done = 0;
      double s = time_of([&] { done = table->fma_peak(100000, sink); });
      fma.push_back(static_cast<double>(done) / s);
      s = time_of([&] { done = table->dot_peak(100000, sink); });
      dot.push_back(static_cast<double>(done) / s);
    }
    fmt::print("{:10} peak: {:.1f} Gop/s f32 FMA, {:.1f} Gop/s integer dot\n", table->name,
               median(fma) * 1e-9, median(dot) * 1e-9);
    for (const Format& format : kFormats) {
      if (!o.format.empty() && o.format != format.name) continue;
      for (const char* tier : {"int8", "int15", "f32"}) {
        if (!o.tier.empty() && o.tier != tier) continue;
        if (!has_integers(format) && std::strcmp(tier, "f32") != 0) continue;
        if (o.only.empty() || o.only == "decode") decode(o, *table, format, tier, memory);
        if (o.only.empty() || o.only == "prefill") prefill(o, *table, format, tier, memory);
        if (o.only == "sums") {
          sums(o, *table, format, tier, memory, 1);
          sums(o, *table, format, tier, memory, o.tokens);
        }
      }
    }
  }
}

}  // namespace
}  // namespace colonnade::kernels

int main(int argc, char** argv) {
  try {
    colonnade::kernels::run(colonnade::kernels::parse(argc, argv));
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 2;
  }
}
