#include "colonnade/models/common_names.h"
#include "colonnade/models/family.h"

namespace colonnade {
namespace {

constexpr auto kGgufNames =
    join(kFusedQkvNames, std::to_array<NameRule>({
                             {"blk.#.ffn_gate", "blk.#.ffn_up", Piece::first_half},
                             {"blk.#.ffn_up", "blk.#.ffn_up", Piece::second_half},
                         }));

constexpr auto kHfNames = join(
    kHfFrameNames, std::to_array<NameRule>({
                       {"blk.#.attn_q", "model.layers.#.self_attn.qkv_proj", Piece::q},
                       {"blk.#.attn_k", "model.layers.#.self_attn.qkv_proj", Piece::k},
                       {"blk.#.attn_v", "model.layers.#.self_attn.qkv_proj", Piece::v},
                       {"blk.#.ffn_gate", "model.layers.#.mlp.gate_up_proj", Piece::first_half},
                       {"blk.#.ffn_up", "model.layers.#.mlp.gate_up_proj", Piece::second_half},
                       {"blk.#.ffn_down", "model.layers.#.mlp.down_proj"},
                   }));

}  // namespace

// Source: Abdin et al. 2024, "Phi-3 Technical Report", section 2.
const Family kPhi3 = {.architecture = "phi3",
                      .model_type = "phi3",
                      .configure = [](DecoderConfig&) {},
                      .gguf_names = kGgufNames,
                      .hf_names = kHfNames,
                      .hf_defaults = R"({"max_position_embeddings": 4096})"};

}  // namespace colonnade
