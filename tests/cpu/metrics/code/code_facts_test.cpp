// SPDX-License-Identifier: Apache-2.0
// Facts of stored code; of what the compiler makes now they are in compiled_code_test.cpp.
#include "gridsmith/base/error.hpp"
#include "gridsmith/metrics/code/code_facts.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/metrics/code/hand_made_elf.hpp"
#include "gridsmith/tests/cpu/metrics/code/machine_code.hpp"

#include <random>

namespace code_facts_test {

using namespace gridsmith;
using test::Bytes;
using test::elf_of;

namespace {

Bytes cubin(const std::string& kernel = "sum", unsigned flags = 90) {
  return elf_of({{".text." + kernel, test::code_of(test::summing)}}, flags);
}

std::string refusal(const Bytes& bytes, const std::string& kernel = "sum") {
  try {
    code_facts(bytes, kernel);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

} // namespace

TEST_CASE("facts of a small loop") {
  const CodeFacts facts = code_facts(cubin(), "sum");
  CHECK(facts.kernel == "sum");
  CHECK(facts.compute_capability == 90);
  CHECK(facts.mix.instructions == 28); // without what fills up
  CHECK(facts.unknown == 0);
  CHECK(facts.mix.of(CodeClass::fp32) == 1);
  CHECK(facts.mix.of(CodeClass::memory) == 3);
  CHECK(facts.mix.of(CodeClass::constant_load) == 5);
  CHECK(facts.mix.of(CodeClass::move) == 5);
  CHECK(facts.mix.multiply_adds == 1);
  CHECK(facts.mix.memory == std::vector<MemoryCount>{{MemoryKind::global_load, 4, 2},
                                                     {MemoryKind::global_store, 4, 1}});
  CHECK(facts.mix.of(MemoryKind::global_load) == 2);
  CHECK(facts.mix.of(MemoryKind::shared_load) == 0);
  CHECK(facts.code.size() >= static_cast<std::size_t>(facts.mix.instructions));
  CHECK(facts.code[17].memory == MemoryKind::global_load);
  CHECK_FALSE(facts.calls);
  CHECK(facts.stack_bytes == 0);
  CHECK(facts.lines.empty());
  CHECK(lines_of(facts, MemoryKind::global_load).empty());
  int sum = 0;
  for (const int count : facts.mix.by_class)
    sum += count;
  CHECK(sum == facts.mix.instructions);

  REQUIRE(facts.loops.size() == 1);
  const LoopFacts& loop = facts.loops[0];
  CHECK(facts.hottest_loop() == &loop);
  CHECK(loop.begin == 15 * 16);
  CHECK(loop.end == 25 * 16);
  CHECK(loop.mix.instructions == 10);
  CHECK(loop.mix.overhead() == Approx(0.7));
  CHECK(loop.in_flight == LoadsInFlight{2, 8, 0, 0});
}

TEST_CASE("unknown instructions are counted as such") {
  test::Words words = test::summing;
  words[23].first = 0x00000008060771ff;
  const CodeFacts facts = code_facts(elf_of({{".text.k", test::code_of(words)}}), "k");
  CHECK(facts.unknown == 1);
  CHECK(facts.unknown_share() == Approx(1.0 / 28));
  CHECK(facts.mix.of(CodeClass::other) == 1);
  const CodeFacts empty = code_facts(elf_of({{".text.k", ""}}), "k");
  CHECK(empty.mix.instructions == 0);
  CHECK(empty.unknown_share() == 0);
  CHECK_FALSE(empty.hottest_loop());
}

TEST_CASE("a kernel is known by its lowered or by its plain name") {
  const std::string lowered = "_ZN2ns5scaleIfEEvPT_S1_", other = "_Z5scalePd";
  const Bytes two = elf_of({{".text." + lowered, ""}, {".text." + other, ""}});
  CHECK(code_facts(two, lowered).kernel == lowered);
  CHECK(code_facts(two, "ns::scale").kernel == lowered);
  CHECK(code_facts(two, "ns::scale<float>").kernel == lowered);
  CHECK(code_facts(two, "scale<float>").kernel == lowered);
  CHECK_THAT(refusal(two, "scale"), contains_text("2 kernels of the cubin are called 'scale'"));
  CHECK_THAT(refusal(two, "scal"), contains_text("unknown kernel 'scal'"));
  CHECK_THAT(refusal(two, ""), contains_text("unknown kernel ''"));
  CHECK_THAT(refusal(two, "float"), contains_text(other));
}

TEST_CASE("the architecture is where the toolkit put it") {
  CHECK(code_facts(cubin("sum", 0x5a055a), "sum").compute_capability == 90);
  Bytes newer = cubin("sum", 0xa005a04);
  newer[EI_ABIVERSION] = 8;
  CHECK(code_facts(newer, "sum").compute_capability == 90);
  CHECK_THAT(refusal(cubin("sum", 61)), contains_text("compute capability 6.1"));
}

TEST_CASE("what is no whole cubin is refused") {
  const Bytes whole = cubin();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    INFO(size);
    CHECK(refusal(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))) !=
          "no error");
  }
  CHECK_THAT(refusal({1, 2}), contains_text("no cubin: 2 bytes"));
  Bytes far = whole;
  Elf64_Ehdr header;
  std::memcpy(&header, far.data(), sizeof header);
  header.e_shoff = ~std::uint64_t{0} - 8;
  std::memcpy(far.data(), &header, sizeof header);
  CHECK_THAT(refusal(far), contains_text("damaged cubin"));
  Bytes huge = whole;
  std::memcpy(&header, huge.data(), sizeof header);
  const std::uint64_t size = ~std::uint64_t{0};
  std::memcpy(huge.data() + header.e_shoff + offsetof(Elf64_Shdr, sh_size), &size, sizeof size);
  CHECK_THAT(refusal(huge), contains_text("damaged cubin"));
}

TEST_CASE("no damage makes it read elsewhere or run on") {
  const Bytes whole = cubin();
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    Bytes changed = whole;
    for (int flips = 0; flips < 4; ++flips)
      changed[random() % changed.size()] ^= static_cast<std::uint8_t>(1u << random() % 8);
    const std::string told = refusal(changed);
    CHECK_FALSE(told.empty());
  }
}

} // namespace code_facts_test
