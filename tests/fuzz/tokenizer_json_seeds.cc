// Files of tokenizers in the forms of some families: tokenizer_json_seeds FOLDER.
#include <fstream>
#include <string>

namespace {

std::string bytes(const std::string& pre_tokenizer, const std::string& normalizer,
                  const std::string& post_processor) {
  return R"({"version":"1.0","truncation":null,"padding":null,"added_tokens":[{"id":7,"content":"<|x|>",
"single_word":false,"lstrip":false,"rstrip":true,"normalized":true,"special":true}],"normalizer":)" +
         normalizer + R"(,"pre_tokenizer":)" + pre_tokenizer + R"(,"post_processor":)" +
         post_processor +
         R"(,"decoder":{"type":"ByteLevel"},"model":{"type":"BPE","ignore_merges":true,
"vocab":{"a":0,"b":1,"c":2,"ab":3,"abc":4,"\u0120":5,"\u0120a":6},"merges":["a b",["ab","c"],["\u0120","a"]]}})";
}

std::string pieces(const std::string& steps) {
  return R"({"added_tokens":[{"id":0,"content":"<unk>","special":true}],)" + steps +
         R"(,"decoder":{"type":"Sequence","decoders":[{"type":"Replace","pattern":{"String":"\u2581"},"content":" "},
{"type":"ByteFallback"},{"type":"Fuse"},{"type":"Strip","content":" ","start":1,"stop":0}]},"model":{"type":"BPE",
"unk_token":"<unk>","fuse_unk":true,"byte_fallback":true,"vocab":{"<unk>":0,"a":1,"b":2,"ab":3,"\u2581":4,
"\u2581a":5,"<0xC3>":6,"<0xA9>":7},"merges":["a b","\u2581 a"]}})";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string gpt2 = R"({"type":"ByteLevel","add_prefix_space":true,"use_regex":true})";
  const std::string splits =
      R"({"type":"Sequence","pretokenizers":[{"type":"Digits","individual_digits":true},
{"type":"Split","pattern":{"Regex":"(?i:'s|'t)|[^\\r\\n\\p{L}]?\\p{L}+|\\p{N}{1,3}|\\s+(?!\\S)|\\s+"},"behavior":"Isolated",
"invert":false},{"type":"ByteLevel","add_prefix_space":false,"use_regex":false}]})";
  const std::string around =
      R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<|x|>","type_id":0}},
{"Sequence":{"id":"A","type_id":0}}],"pair":[],"special_tokens":{"<|x|>":{"id":"<|x|>","ids":[7],"tokens":["<|x|>"]}}})";
  const std::string zero(1, '\0');
  const std::string config =
      R"({"bos_token":"<|x|>","eos_token":{"content":"a"},"add_bos_token":true,
"added_tokens_decoder":{"8":{"content":"<y>","special":false}}})";
  const std::string seeds[] = {
      bytes(gpt2, "null", "null"),
      bytes(splits, R"({"type":"NFC"})", around) + zero + config + zero +
          R"({"eos_token_id":[1,2]})" + zero + R"({"vocab_size":12,"eos_token_id":3})",
      pieces(
          R"("normalizer":{"type":"Sequence","normalizers":[{"type":"Prepend","prepend":"\u2581"},
{"type":"Replace","pattern":{"String":" "},"content":"\u2581"}]})"),
      pieces(
          R"("pre_tokenizer":{"type":"Metaspace","replacement":"\u2581","prepend_scheme":"first","split":true})"),
      zero + R"({"add_bos_token":true,"bos_token":"</s>"})" + zero + zero + zero +
          R"({"</s>":0,"a":1,"b":2,"ab":3})" + zero + "#version: 0.2\na b\n"};
  int index = 0;
  for (const std::string& seed : seeds) {
    std::ofstream(std::string(argv[1]) + "/seed" + std::to_string(index++), std::ios::binary)
        << seed;
  }
  return 0;
}
