// SPDX-License-Identifier: Apache-2.0
// An entry of the cubin cache: with whatever checksum, and with the right one.
#include "gridsmith/tuner/processes/cubin_cache.hpp"

#include "gridsmith/base/content_hash.hpp"
#include "gridsmith/tests/fuzz/fuzz.hpp"

namespace gridsmith::fuzz::cubin_cache {

void run(const std::uint8_t* bytes, std::size_t count) {
  static CubinCache cache(folder(), std::uint64_t{1} << 30);
  const std::string text(text_of(bytes, count)), key = "aa11";
  std::filesystem::create_directories(folder() / "aa");
  for (const std::string& entry : {text, sha256_hex(text) + text}) {
    file_with(entry, "aa/aa11.cubin");
    if (const auto code = cache.find(key)) {
      cache.add(key, *code);
      require(!code->cubin || cache.find(key), "what was found is not kept");
    }
  }
}

} // namespace gridsmith::fuzz::cubin_cache
