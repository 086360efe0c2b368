// SPDX-License-Identifier: Apache-2.0
// What counts of a cubin; real ones are in nvrtc_test.cpp.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/metrics/code/hand_made_elf.hpp"
#include "gridsmith/tuner/compiler/log/code_hash.hpp"

namespace code_hash_test {

using namespace gridsmith;
using test::elf_of;

TEST_CASE("names and notes do not count, instructions do") {
  const std::string base = code_hash(elf_of({{".text.k1", "code"}, {".note", "made with -DX=1"}}));
  CHECK(base == code_hash(elf_of({{".text.longer_name", "code"}, {".note", "other"}})));
  CHECK(base != code_hash(elf_of({{".text.k1", "c0de"}, {".note", "made with -DX=1"}})));
  CHECK(base != code_hash(elf_of({{".text.k1", "code"}, {".nv.constant0.k1", "1"}})));
  CHECK(base != code_hash(elf_of({{".text.k1", "code"}}, 80)));
}

TEST_CASE("what is no ELF file is hashed whole, what is cut off does no harm") {
  CHECK(code_hash({1, 2}) == code_hash({1, 2}));
  CHECK(code_hash({1, 2}) != code_hash({1, 3}));
  const Bytes whole = elf_of({{".text.k", std::string(100, 'c')}});
  for (std::size_t size = 0; size < whole.size(); size += 7)
    CHECK(
        code_hash(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))).size() ==
        64);
}

} // namespace code_hash_test
