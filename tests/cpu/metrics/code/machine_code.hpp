// SPDX-License-Identifier: Apache-2.0
// Machine code for tests: words as they stand in cubins that were made of sources of ours.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gridsmith::test {

using Words = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

inline std::string code_of(const Words& words) {
  std::string code;
  for (const auto& [low, high] : words)
    code.append(reinterpret_cast<const char*>(&low), sizeof low)
        .append(reinterpret_cast<const char*>(&high), sizeof high);
  return code;
}

/// For 9.0, of
///   for (int k = threadIdx.x; k < n; k += 32) sum += a[k] * a[k + 1];
/// not unrolled, up to the store of the sum.
inline const Words summing{{0x00000a00ff017b82, 0x000fe20000000800},  // LDC R1
                           {0x0000000000007919, 0x000e2e0000002100},  // S2R
                           {0x00008400ff047b82, 0x000e620000000a00},  // LDC.64
                           {0x0000880000067ab9, 0x000fe20000000800},  // ULDC
                           {0x0000820000047ab9, 0x000fe20000000a00},  // ULDC.64
                           {0x0000014000007945, 0x000fe20003800000},  // BSSY
                           {0x0000000600007c0c, 0x041fe2000bf06270},  // ISETP
                           {0x0000000400047825, 0x002fd800078e0204},  // IMAD.WIDE
                           {0x000000ffff070224, 0x000fe200078e00ff},  // IMAD.MOV
                           {0x00000000003c0947, 0x000fec0003800000},  // BRA
                           {0x00008600ff027b82, 0x000e220000000a00},  // LDC.64
                           {0x00000000ff077435, 0x000fe200000001ff},  // HFMA2: 0
                           {0x0000000400027825, 0x001fc600078e0202},  // IMAD.WIDE
                           {0x0000000402097810, 0x000fca0007f1e0ff},  // IADD3
                           {0x000000ffff0a7224, 0x000fd000000e0603},  // IMAD.X
                           {0x0000000900027202, 0x000fe20000000f00},  // MOV: the loop begins
                           {0x000000ffff037224, 0x000fca00078e000a},  // IMAD.MOV
                           {0x0000000402067981, 0x000ea8000c1e1900},  // LDG
                           {0xfffffc0402087981, 0x000ea2000c1e1900},  // LDG
                           {0x0000002000007810, 0x000fe40007ffe0ff},  // IADD3
                           {0x0000008002097810, 0x000fe40007f3e0ff},  // IADD3
                           {0x0000000600007c0c, 0x000fc6000bf06270},  // ISETP
                           {0x000000ffff0a7224, 0x000fe400008e0603},  // IMAD.X
                           {0x0000000806077223, 0x004fd00000000007},  // FFMA
                           {0xfffffffc00d88947, 0x000fea000383ffff},  // BRA: and ends
                           {0x0000000000007941, 0x000fea0003800000},  // BSYNC
                           {0x0000000704007986, 0x000fe2000c101904},  // STG
                           {0x000000000000794d, 0x000fea0003800000},  // EXIT
                           {0xfffffffc00fc7947, 0x000fc0000383ffff},  // BRA: to itself
                           {0x0000000000007918, 0x000fc00000000000},  // NOP
                           {0x0000000000007918, 0x000fc00000000000}}; // NOP

} // namespace gridsmith::test
