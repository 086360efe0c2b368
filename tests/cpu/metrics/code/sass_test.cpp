// SPDX-License-Identifier: Apache-2.0
// Listings as nvdisasm and cuobjdump lay them out, of code of ours: what is the same code is the same
// text.
#include "gridsmith/metrics/code/sass.hpp"
#include "gridsmith/tests/catch.hpp"

namespace sass_test {

using namespace gridsmith;

namespace {

const std::string by_nvdisasm = R"(	.headerflags	@"EF_CUDA_SM90"
//--------------------- .nv.info.sum --------------------------
	.section	.nv.info.sum,"",@"SHT_CUDA_INFO"
	.align	4
//--------------------- .text.sum --------------------------
	.section	.text.sum,"ax",@progbits
	.align	128
        .global         sum
sum:
.text.sum:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!P0 BRA `(.L_x_7) ;
.L_x_3:
        /*0020*/                   LDG.E.128 R4, desc[UR4][R2.64] ;
        /*0030*/               @P1 BRA `(.L_x_3) ;
.L_x_7:
        /*0040*/                   EXIT ;
.L_x_8:
        /*0050*/                   BRA `(.L_x_8);
        /*0060*/                   NOP;
	.section	.text.other,"ax",@progbits
other:
        /*0000*/                   EXIT ;
)";

/// The same code, and an instruction that is elsewhere than before.
const std::string by_cuobjdump = R"(
	code for sm_90
		Function : sum
	.headerflags	@"EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;    /* 0x00000a00ff017b82 */
                                                             /* 0x000fe20000000800 */
        /*0010*/                   NOP ;                     /* 0x0000000000007918 */
        /*0020*/              @!P0 BRA 0x50 ;                /* 0x00000000003c0947 */
        /*0030*/                   LDG.E.128  R4, desc[UR4][R2.64] ;
        /*0040*/               @P1 BRA 0x30 ;
        /*0050*/                   EXIT ;
        /*0060*/                   BRA 0x60;
		..........
		Function : other
        /*0000*/                   EXIT ;
)";

} // namespace

TEST_CASE("addresses, encodings and the compiler's numbers of labels are no part of the code") {
  const auto code = sass_of(by_nvdisasm, "sum");
  CHECK(normalised_text(code) == "LDC R1, c[0x0][0x28]\n"
                                 "@!P0 BRA L0\n"
                                 "LDG.E.128 R4, desc[UR4][R2.64]\n"
                                 "@P1 BRA L1\n"
                                 "EXIT\n");
  CHECK(code == sass_of(by_cuobjdump, "sum"));
  CHECK(code[2].mnemonic == "LDG.E.128");
  CHECK(sass_of(by_nvdisasm, "other") == sass_of(by_cuobjdump, "other"));
}

TEST_CASE("another operand is another code; no listing is none") {
  std::string other = by_nvdisasm;
  other.replace(other.find("R4, desc"), 2, "R8");
  CHECK_FALSE(sass_of(other, "sum") == sass_of(by_nvdisasm, "sum"));
  CHECK(sass_of(by_nvdisasm, "su").empty());
  CHECK(sass_of("", "sum").empty());
  CHECK(sass_of("\t.section\t.text.sum,\n/*zz*/ NOP\n/*00", "sum").empty());
}

} // namespace sass_test
