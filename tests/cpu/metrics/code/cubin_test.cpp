// SPDX-License-Identifier: Apache-2.0
// What is read of a cubin; real ones are in nvrtc_test.cpp.
#include "gridsmith/metrics/code/cubin.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/metrics/code/hand_made_elf.hpp"

namespace cubin_test {

using namespace gridsmith;
using test::Bytes;
using test::elf_of;

namespace {

/// In the order of the machine, which is the GPU's too.
template <typename... Numbers>
std::string bytes_of(Numbers... numbers) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
  return bytes;
}

/// An attribute EIATTR_KPARAM_INFO as nvcc writes it.
std::string parameter(std::uint16_t number, std::uint16_t offset, std::uint32_t size) {
  return bytes_of(std::uint16_t{0x1704}, std::uint16_t{12}, std::uint32_t{0}, number, offset,
                  size << 18 | 0x1f000);
}

std::string all_parameters(std::uint16_t size) {
  return bytes_of(std::uint16_t{0x1903}, size);
}

} // namespace

TEST_CASE("parameters of a kernel, in whatever order they stand") {
  const std::string info = all_parameters(20) + parameter(2, 16, 4) + parameter(0, 0, 8) +
                           parameter(1, 8, 8) +
                           bytes_of(std::uint16_t{0x0504}, std::uint16_t{12}, std::uint32_t{128},
                                    std::uint32_t{2}, std::uint32_t{1});
  const Bytes cubin =
      elf_of({{".nv.info", "x"}, {".nv.info.other", parameter(0, 0, 4)}, {".nv.info.k", info}});
  CHECK(parameter_bytes(cubin, "k") == std::vector<std::int64_t>{8, 8, 4});
  CHECK(parameter_bytes(cubin, "other") == std::vector<std::int64_t>{4});
  CHECK(launch_bound(cubin, "k") == 256);
  CHECK(launch_bound(cubin, "other") == 0);
  CHECK(parameter_bytes(elf_of({{".nv.info.k", all_parameters(0)}}), "k")->empty());
  const std::string large = bytes_of(std::uint16_t{0x4504}, std::uint16_t{12}, std::uint64_t{0},
                                     std::uint32_t{5u << 24 | 8000});
  CHECK(parameter_bytes(elf_of({{".nv.info.k", large}}), "k") == std::vector<std::int64_t>{8000});
}

TEST_CASE("what a cubin does not tell is not known") {
  CHECK_FALSE(parameter_bytes(Bytes{1, 2}, "k"));
  CHECK_FALSE(parameter_bytes(elf_of({{".text.k", "code"}}), "k"));
  CHECK_FALSE(parameter_bytes(elf_of({{".nv.info.k", all_parameters(8)}}), "k"));
  CHECK_FALSE(parameter_bytes(elf_of({{".nv.info.k", parameter(1, 8, 8)}}), "k")); // and number 0?
  CHECK(variables({}).empty());
  CHECK_FALSE(variable_bytes({}, "v"));
  const Bytes whole = elf_of({{".nv.info.k", parameter(0, 0, 8) + parameter(1, 8, 8)}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const auto told = parameter_bytes(cut, "k");
    CHECK((!told || told->size() <= 2));
    CHECK(variables(cut).empty());
  }
}

} // namespace cubin_test
