// SPDX-License-Identifier: Apache-2.0
// How often a compilation is asked again, and whose fault it is then: without any process.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/processes/compile_attempts.hpp"

namespace compile_attempts_test {

using namespace gridsmith;
using namespace std::chrono_literals;
using Verdict = CompileAttempts::Verdict;

TEST_CASE(
    "the second crash is the source's, the third kill and the second shortage the machine's") {
  CompileAttempts crashes, kills, shortages, never;
  CHECK(crashes.after(CompilerEnd::crashed, false) == Verdict::again);
  CHECK(crashes.after(CompilerEnd::killed, false) == Verdict::again);
  CHECK(crashes.after(CompilerEnd::crashed, false) == Verdict::source);
  for (int i = 0; i < 2; ++i)
    CHECK(kills.after(CompilerEnd::killed, false) == Verdict::again);
  CHECK(kills.after(CompilerEnd::killed, false) == Verdict::machine);
  CHECK(shortages.after(CompilerEnd::starved, false) == Verdict::again);
  CHECK(shortages.after(CompilerEnd::starved, false) == Verdict::machine);
  for (int i = 0; i < 10; ++i)
    CHECK(never.after(CompilerEnd::not_begun, false) == Verdict::again);
}

TEST_CASE("a time-out that was guessed from others is followed by the longest one") {
  CompileAttempts guessed, longest;
  CHECK_FALSE(guessed.patient());
  CHECK(guessed.after(CompilerEnd::timed_out, false) == Verdict::again);
  CHECK(guessed.patient());
  CHECK(guessed.after(CompilerEnd::timed_out, false) == Verdict::source);
  CHECK(longest.after(CompilerEnd::timed_out, true) == Verdict::source);
}

TEST_CASE("pauses grow with what is lost in a row, up to a limit") {
  CHECK(pause_after(1) == 0ms);
  CHECK(pause_after(2) > 0ms);
  CHECK(pause_after(3) > pause_after(2));
  CHECK(pause_after(1000) == pause_after(100));
  CHECK(pause_after(1000) < 1s);
}

} // namespace compile_attempts_test
