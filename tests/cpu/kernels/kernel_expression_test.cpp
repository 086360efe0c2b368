// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/source/kernel_expression.hpp"
#include "gridsmith/tests/catch.hpp"

namespace kernel_expression_test {

using namespace gridsmith;

TEST_CASE("a kernel's name and the types that tell it from others") {
  CHECK(kernel_words("a::k<float, 4>").name == "a::k<float, 4>");
  CHECK(kernel_words("a::k<float, 4>").parameters.empty());
  const std::string pair = "k<(4)> (void (*)(int), float*)";
  CHECK(kernel_words(pair).name == "k<(4)>");
  CHECK(kernel_words(pair).parameters == "(void (*)(int), float*)");
  CHECK(kernel_words("(int)").name.empty());
  CHECK(kernel_words("int)").name == "int)");
  CHECK(kernel_words("").name.empty());
}

TEST_CASE("a kernel's address is that of a name, or of the function of a type") {
  const KernelExpression plain = kernel_expression("a::k<float>");
  CHECK(plain.type == "decltype(a::k<float>)");
  CHECK(plain.address == "&a::k<float>");
  CHECK(asking_lines(plain).empty());
  const KernelExpression one = kernel_expression("::a::b::k<c::P>(P*, int)");
  CHECK(one.type == "a::b::gridsmith_overload");
  CHECK(one.address == "static_cast<a::b::gridsmith_overload*>(&::a::b::k<c::P>)");
  CHECK(one.declaration ==
        "namespace a { namespace b { typedef void gridsmith_overload(P*, int); } }");
  CHECK(asking_lines(one) == "\n#line 1 \"gridsmith_asks\"\n" + one.declaration + "\n");
  CHECK(kernel_expression("k(a::P)").declaration == "typedef void gridsmith_overload(a::P);");
}

} // namespace kernel_expression_test
