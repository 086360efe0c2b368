// SPDX-License-Identifier: Apache-2.0
// What is read from the compiler's log.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/compiler/log/compile_hint.hpp"
#include "gridsmith/tuner/compiler/log/compile_log.hpp"

namespace compile_log_test {

using namespace gridsmith;

namespace {

const std::string ptxas_log = R"(ptxas info    : 11 bytes gmem
ptxas info    : Compiling entry function 'other' for 'sm_90'
ptxas info    : Function properties for other
ptxas         .     8 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 255 registers, used 2 barriers, 8 bytes stack
ptxas info    : Compiling entry function '_Z3fooILi256EEvPf' for 'sm_90'
ptxas info    : Function properties for _Z3fooILi256EEvPf
ptxas         .     48 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 72 registers, used 1 barriers, 1024 bytes smem, 380 bytes cmem[0]
ptxas info    : Compile time = 8.405 ms
)";

} // namespace

TEST_CASE("facts of the entry function that was asked for") {
  const CompileFacts facts = facts_from_log(ptxas_log, "_Z3fooILi256EEvPf");
  CHECK(facts.registers_per_thread == 72);
  CHECK(facts.static_shared_bytes == 1024);
  CHECK(facts.local_bytes == 48);
  CHECK(facts.spill_store_bytes == 4);
  CHECK(facts.spill_load_bytes == 12);
  CHECK(facts.constant_bytes == 380);
  CHECK(facts.block_barriers == 1);
  CHECK(facts_from_log(ptxas_log, "other").registers_per_thread == 255);
  CHECK(facts_from_log(ptxas_log, "foo") == CompileFacts{});
  CHECK(facts_from_log("", "foo") == CompileFacts{});
}

TEST_CASE("the first line that is an error") {
  CHECK(first_error("") == "");
  CHECK(first_error(ptxas_log) == "");
  CHECK(first_error("a.cu(1): warning #177-D: unused\n  a.cu(2): error: bad\na.cu(3): error: no") ==
        "a.cu(2): error: bad");
  CHECK(first_error(ptxas_log + "ptxas error   : Entry function 'f' uses too much shared data\n") ==
        "ptxas error   : Entry function 'f' uses too much shared data");
  CHECK(first_error("a.cu(2): catastrophic error: #error directive: hi\r\n") ==
        "a.cu(2): catastrophic error: #error directive: hi");
}

TEST_CASE("a kernel that is not there is answered with those that are") {
  const SourceFile source{"k.cu", "template <typename T> __global__ void solve(T*) {}\n"
                                  "__global__ void solve_plain(int*) {}\n"};
  const std::string undefined = "identifier \"solver\" is undefined";
  CHECK(unknown_kernel(source, "solver<float>", undefined) ==
        "k.cu has no kernel 'solver<float>'; did you mean 'solve'? (it has: solve, solve_plain)");
  CHECK(unknown_kernel(source, "x::other", undefined) ==
        "k.cu has no kernel 'x::other' (it has: solve, solve_plain)");
  CHECK(unknown_kernel(source, "solve",
                       "cannot determine which instance of function template \"solve\" is "
                       "intended") == "k.cu has no kernel 'solve': it is a template; give its "
                                      "arguments too, such as 'solve<float>'");
  CHECK(unknown_kernel(source, "solve<int>", "identifier \"solve\" is undefined") ==
        "k.cu has no kernel 'solve<int>': identifier \"solve\" is undefined; in a namespace its "
        "name is 'NAMESPACE::solve<int>'");
  const SourceFile two{"k.cu", "__global__ void f(int*) {} namespace a { __global__ void f(float*, "
                               "const int) {} }\n"};
  CHECK(unknown_kernel(two, "f",
                       "cannot determine which instance of overloaded function \"f\" is "
                       "intended") ==
        "k.cu has no kernel 'f': several functions have this name; the types of its parameters are "
        "part of the kernel's (valid: f(int*), a::f(float*, const int))");
  CHECK(unknown_kernel(two, "f(float*)", "invalid type conversion") ==
        "k.cu has no kernel 'f(float*)': its parameters have other types (valid: f(int*), "
        "a::f(float*, const int))");
  CHECK(unknown_kernel({"k.cu", "MACRO(solver)"}, "solver", undefined) ==
        "k.cu has no kernel 'solver': " + undefined);
}

} // namespace compile_log_test
