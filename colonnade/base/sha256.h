// SHA-256: digests that anybody can make and compare (sha256sum; model hubs show those of their
// files). Source: FIPS 180-4, computed by OpenSSL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace colonnade {

class File;

class Sha256 {
 public:
  Sha256();

  void update(std::span<const std::byte> bytes);
  /// 64 hexadecimal digits; the last call.
  std::string hex();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

std::string sha256_of(std::span<const std::byte> bytes);

/// Of all of the file; `on_block(done)` is called behind every block of it and may throw. Throws
/// Error as File does.
std::string sha256_of(const File& file, const std::function<void(int64_t done_bytes)>& on_block);

/// Whether `text` is what hex() writes.
bool is_sha256(std::string_view text);

}  // namespace colonnade
