// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/profiles/kernel_name.hpp"
#include "gridsmith/tests/catch.hpp"

namespace kernel_name_test {

using namespace gridsmith;

namespace {

/// "base|arguments"
std::string parts(const std::string& printed) {
  const KernelName name = kernel_name(printed);
  return name.base + "|" + name.template_arguments;
}

} // namespace

TEST_CASE("one kernel is known whoever printed it") {
  for (const char* printed : {
           "void rotate<(int)32, float>(const T2 *, T2 *, int)",     // nsys, ncu
           "void rotate<int=32, float>(float const *, float*, int)", // nvprof
           "void rotate<int=32, float>(float const *, float*, int) [281]",
           "void rotate<32, float>(float const*, float*, int)", // c++filt
           "rotate<32u,float>",
       }) {
    INFO(printed);
    CHECK(parts(printed) == "rotate|32, float");
  }
  CHECK(parts("rotate") == "rotate|");
  CHECK(parts("fill_ones(float *, unsigned int)") == "fill_ones|");
}

TEST_CASE("names as C++ can make them") {
  CHECK(parts("void k<(bool)1, (bool)0>(int)") == "k|true, false");
  CHECK(parts("void k<bool=1, false>(int)") == "k|true, false");
  CHECK(parts("void ns::(anonymous namespace)::k<unsigned int>(unsigned int *)") ==
        "ns::(anonymous namespace)::k|unsigned int");
  CHECK(parts("(anonymous namespace)::k(int)") == "(anonymous namespace)::k|");
  CHECK(parts("void <unnamed>::k(int)") == "<unnamed>::k|");
  CHECK(parts("void k<ns::Pair<int, float>, (long)-3>(ns::Pair<int, float>)") ==
        "k|ns::Pair<int,float>, -3");
  CHECK(parts("std::enable_if<(a<b), void>::type k<float (*)(int, int)>(int)") ==
        "k|float(*)(int,int)");
  CHECK(parts("void Outer<int>::k<float>(float)") == "Outer<int>::k|float");
  CHECK(parts("k(float*)::{lambda(int)#1}::operator()(int) const") ==
        "k(float*)::{lambda(int)#1}::operator()|");
  CHECK(parts("unsigned int k<4ul>(int)") == "k|4");
}

TEST_CASE("what is no name stays what it is") {
  for (const char* printed : {"", " ", "<", ">", "<>", "()", "(", ")", "a<b", "a>b", "a(b", "[1]",
                              "operator<", "operator", "k<(((", "k>>>)", "(int)"}) {
    INFO(printed);
    CHECK_NOTHROW(kernel_name(printed));
  }
  CHECK(parts("a<b") == "a<b|");
  const std::string deep(50000, '(');
  CHECK(kernel_name(deep + std::string(50000, '>')).base.size() == 100000);
}

} // namespace kernel_name_test
