// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/definition/filling.hpp"
#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/worker/steps/spot_check.hpp"

#include <bit>
#include <map>

namespace spot_check_test {

using namespace gridsmith;

namespace {

constexpr std::chrono::milliseconds limit(2000);

constexpr Tolerance strict{.absolute = 0, .relative = 1e-6};

/// n floats `in`, an output of their doubles, and one of their places.
OpenWork work(std::uint64_t n, const std::string& doubles, const std::string& places = "i") {
  OpenWork work;
  BufferSpec in{.name = "in", .elements = n, .fill = Fill::random, .numbers = {.value = 1}};
  BufferSpec out{.name = "out", .elements = n, .output = true, .tolerance = strict};
  BufferSpec where{.name = "where", .type = ElementType::uint32, .elements = n, .output = true};
  work.arguments = {
      {.buffer = in, .scalar = {}}, {.buffer = out, .scalar = {}}, {.buffer = where, .scalar = {}}};
  work.reference.element = {{"out", doubles}, {"where", places}};
  work.reference.extents = {{"n", static_cast<std::int64_t>(n)}};
  return work;
}

/// What a right kernel gives, but for one element of `out`.
AnswerBits answer_of(const OpenWork& work, std::uint64_t wrong = ~0ULL) {
  return [&work, wrong](const std::string& output, std::uint64_t element) -> std::uint64_t {
    if (output == "where")
      return element;
    const auto twice =
        static_cast<float>(2 * filled_value(*work.arguments[0].buffer, work.seed, 0, element));
    return std::bit_cast<std::uint32_t>(element == wrong ? 7.0f : twice);
  };
}

} // namespace

TEST_CASE("a right answer is checked at 64 elements of every output") {
  const OpenWork right = work(1000, "in[i] + in[i]");
  const SpotChecked checked = spot_check(right, 1, answer_of(right), AnswerOf::kernel, limit);
  CHECK(checked.elements == 128);
  CHECK_FALSE(checked.problem);
}

TEST_CASE("corners are checked, and what differs is told") {
  const OpenWork right = work(100'000, "in[i] * 2");
  for (const std::uint64_t corner : {0, 99'999}) {
    const SpotChecked checked =
        spot_check(right, 1, answer_of(right, corner), AnswerOf::kernel, limit);
    REQUIRE(checked.problem);
    CHECK_THAT(*checked.problem, contains_text("element " + std::to_string(corner) +
                                               " of 'out' is 7 by the reference kernel and "));
    CHECK(checked.elements < 128);
  }
  const OpenWork other = work(1000, "in[i] * 2", "i + (i == 0)");
  CHECK_THAT(
      spot_check(other, 1, answer_of(other), AnswerOf::kernel, limit).problem.value_or(""),
      contains_text("element 0 of 'where' is 0 by the reference kernel and 1 by its formula"));
}

TEST_CASE("what the device makes of a formula is the host's to the bit") {
  const auto next_float = [](const OpenWork& work) {
    return [right = answer_of(work)](const std::string& output, std::uint64_t element) {
      return right(output, element) + (output == "out" && element == 0);
    };
  };
  const OpenWork right = work(1000, "in[i] * 2"), rounded = work(1000, "in[i] * 2 * exp(0)");
  CHECK_FALSE(spot_check(right, 1, answer_of(right), AnswerOf::formula, limit).problem);
  CHECK_FALSE(spot_check(right, 1, next_float(right), AnswerOf::kernel, limit)
                  .problem); // a kernel rounds as it likes
  CHECK_FALSE(spot_check(rounded, 1, answer_of(rounded), AnswerOf::formula, limit).problem);
  CHECK(spot_check(rounded, 1, next_float(rounded), AnswerOf::formula, limit).problem);
  CHECK_THAT(spot_check(right, 1, next_float(right), AnswerOf::formula, limit).problem.value_or(""),
             contains_text("element 0 of 'out' is ") && contains_text(" by the GPU and ") &&
                 contains_text(" by the host, both by Reference.Element"));
}

TEST_CASE("an element that cannot be computed is a problem of the reference") {
  const OpenWork outside = work(10, "2 * in[i] + 0 * in[i + 1]");
  const SpotChecked checked = spot_check(outside, 1, answer_of(outside), AnswerOf::kernel, limit);
  CHECK_THAT(
      checked.problem.value_or(""),
      contains_text("Reference.Element: element 9 of 'out': expression '2 * in[i] + 0 * in[i + "
                    "1]', column 17: index 10 is outside 'in'"));
}

TEST_CASE("an element that takes too long is not counted as checked") {
  const auto begun = std::chrono::steady_clock::now();
  const OpenWork slow = work(1000, "sum(l, 1000000 * n, in[l % n]) if i else in[i] * 2");
  const SpotChecked checked =
      spot_check(slow, 1, answer_of(slow), AnswerOf::kernel, std::chrono::milliseconds(50));
  CHECK(checked.elements == 2); // the first of both, then it was late
  CHECK_FALSE(checked.problem);
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(5)); // on a busy machine
}

TEST_CASE("of few elements each is checked once") {
  for (const std::uint64_t n : {1, 2, 3, 64, 65}) {
    const OpenWork right = work(n, "in[i] * 2");
    std::map<std::uint64_t, int> asked;
    const AnswerBits answer = answer_of(right);
    const SpotChecked checked = spot_check(
        right, 1,
        [&](const std::string& output, std::uint64_t element) {
          if (output == "out")
            ++asked[element];
          return answer(output, element);
        },
        AnswerOf::kernel, limit);
    CHECK_FALSE(checked.problem);
    CHECK(checked.elements == 2 * std::min<std::uint64_t>(n, 64));
    if (n <= 64)
      CHECK(asked.size() == n);
  }
}

TEST_CASE("a kernel of which something was checked is checked for less time") {
  SpotCheckTime time;
  OpenWork first, other;
  first.label = "first", other.label = "other";
  time.checked(first, 0); // it took too long
  CHECK(time.limit(first) == std::chrono::milliseconds(200));
  time.checked(first, 1);
  CHECK(time.limit(first) == std::chrono::milliseconds(20));
  CHECK(time.limit(other) == std::chrono::milliseconds(200));
}

} // namespace spot_check_test
