#include "colonnade/base/sha256.h"

#include <algorithm>
#include <array>
#include <vector>

#include <openssl/evp.h>

#include "colonnade/base/error.h"
#include "colonnade/base/file.h"

namespace colonnade {
namespace {

constexpr size_t kDigestBytes = 32;
constexpr size_t kBlockBytes = size_t{1} << 20;  // of a file, read at a time

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  CN_CHECK(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1,
           "SHA-256: this system's OpenSSL does not offer it");
}

void Sha256::update(std::span<const std::byte> bytes) {
  CN_CHECK(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1,
           "SHA-256: OpenSSL failed");
}

std::string Sha256::hex() {
  constexpr char kDigits[] = "0123456789abcdef";
  std::array<unsigned char, kDigestBytes> digest{};
  CN_CHECK(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) == 1,
           "SHA-256: OpenSSL failed");
  std::string text;
  for (const unsigned char byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string sha256_of(std::span<const std::byte> bytes) {
  Sha256 sha;
  sha.update(bytes);
  return sha.hex();
}

std::string sha256_of(const File& file, const std::function<void(int64_t done_bytes)>& on_block) {
  Sha256 sha;
  std::vector<std::byte> block(kBlockBytes);
  for (int64_t done = 0; done < file.size();) {
    const auto count = std::min(static_cast<int64_t>(block.size()), file.size() - done);
    const auto part = std::span(block).first(static_cast<size_t>(count));
    file.read_at(done, part);
    sha.update(part);
    done += count;
    if (on_block) on_block(done);
  }
  return sha.hex();
}

bool is_sha256(std::string_view text) {
  return text.size() == 2 * kDigestBytes && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace colonnade
