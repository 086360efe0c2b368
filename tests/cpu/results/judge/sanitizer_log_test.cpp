// SPDX-License-Identifier: Apache-2.0
// Logs as compute-sanitizer 2025.3.1 wrote them on an H200, shortened.
#include "gridsmith/results/judge/sanitizer_log.hpp"
#include "gridsmith/tests/catch.hpp"

namespace sanitizer_log_test {

using namespace gridsmith;

TEST_CASE("a race names the kernel in its first line") {
  const SanitizerLog log =
      read_sanitizer_log("========= COMPUTE-SANITIZER\n"
                         "========= Error: Race reported between Write access at vector_add+0x80\n"
                         "=========     and Read access at vector_add+0x90 [65868 hazards]\n"
                         "========= \n"
                         "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n",
                         "vector_add");
  CHECK(log.whole);
  CHECK(log.findings == 1);
  CHECK(log.first == "Error: Race reported between Write access at vector_add+0x80");
}

TEST_CASE("what is found elsewhere than in the kernel is not its own") {
  constexpr const char* text =
      "========= COMPUTE-SANITIZER\n"
      "========= Program hit cudaErrorInvalidValue (error 1) on CUDA API call to cudaFuncGetParamInfo.\n"
      "=========     Saved host backtrace up to driver entry point at error\n"
      "=========         Host Frame: Kernel::launch(void**) const [0x573ac] in gridsmith-worker\n"
      "========= \n"
      "========= Uninitialized __global__ memory read of size 4 bytes\n"
      "=========     at vector_add+0x1a0\n"
      "=========     by thread (0,0,0) in block (76,0,0)\n"
      "=========     Host Frame: launch [0x573ac] in gridsmith-worker\n"
      "========= ERROR SUMMARY: 2 errors\n";
  CHECK(read_sanitizer_log(text, "launch").findings == 0);
  const SanitizerLog log = read_sanitizer_log(text, "vector_add");
  CHECK(log.findings == 1);
  CHECK(log.first == "Uninitialized __global__ memory read of size 4 bytes");
}

TEST_CASE("a kernel's name within another word is not the kernel") {
  constexpr const char* text = "========= Invalid __global__ read of size 4 bytes at address 0x7f\n"
                               "=========     at other_add+0x1a0\n"
                               "========= ERROR SUMMARY: 1 error\n";
  CHECK(read_sanitizer_log(text, "add").findings == 0);
  CHECK(read_sanitizer_log(text, "other_add").findings == 1);
}

TEST_CASE("without a summary the tool did not come to its end") {
  CHECK_FALSE(read_sanitizer_log("", "k").whole);
  CHECK_FALSE(read_sanitizer_log(
                  "========= COMPUTE-SANITIZER\n========= Target application terminated\n", "k")
                  .whole);
  CHECK(read_sanitizer_log("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n", "k")
            .whole);
}

} // namespace sanitizer_log_test
