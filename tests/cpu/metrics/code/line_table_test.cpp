// SPDX-License-Identifier: Apache-2.0
// The table that nvcc left of a source of ours; what NVRTC leaves is in compiled_code_test.cpp.
#include "gridsmith/metrics/code/line_table.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/metrics/code/hand_made_elf.hpp"

namespace line_table_test {

using namespace gridsmith;
using test::Bytes;

namespace {

/// With zeros in it.
template <std::size_t size>
std::string raw(const char (&text)[size]) {
  return {text, size - 1};
}

const std::string files = raw("/src\0\0inl.cu\0\1\0\0\0"),
                  set_address = raw("\0\x09\2\0\0\0\0\0\0\0\0");
constexpr std::size_t address_at = 3; // in set_address

std::string header(char version) {
  return raw("\0\0\0\0") + version + raw("\0\x1f\0\0\0\1\1\xfb\x0e\x0a\0\1\1\1\1\0\0\0\1") + files;
}

const std::string first = set_address + raw("\4\1\3\3\1\xf0" // 4, then 5 (+16)
                                            "\3\2\2\x20\1"   // 7 (+32), and at the same place …
                                            "\0\3\x90\3\0\3\x7b\1" // … 2, which is inlined there
                                            "\0\3\x90\0\0\xf4"     // 7 (+16)
                                            "\2\x20\0\1\1"),       // the end (+32)
    second = set_address + raw("\3\x09\1\2\x10\0\1\1");            // 10, the end (+16)

/// Two functions of "/src/inl.cu"; line 7 of the first calls line 2.
std::string program(char version = 2) {
  std::string bytes = header(version) + first + second;
  bytes[0] = static_cast<char>(bytes.size() - 4);
  return bytes;
}

template <typename T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string symbol(Elf64_Half section) {
  Elf64_Sym one{};
  one.st_shndx = section;
  return bytes_of(one);
}

std::string place(std::size_t offset, std::uint64_t symbol) {
  Elf64_Rela one{};
  one.r_offset = offset;
  one.r_info = ELF64_R_INFO(symbol, 2);
  return bytes_of(one);
}

Bytes cubin(const std::string& lines) {
  const std::size_t begin = header(2).size() + address_at;
  return test::elf_of({{".text.a", std::string(96, '\0')},
                       {".text.b", std::string(16, '\0')},
                       {".symtab", symbol(0) + symbol(0) + symbol(1)},
                       {".debug_line", lines},
                       {".rela.debug_line", place(begin, 1) + place(begin + first.size(), 2)}});
}

std::vector<LineOf> lines_in(const Bytes& bytes, std::size_t section) {
  return lines_of_section(*read_cubin(bytes), section);
}

std::string shown(const std::vector<LineOf>& lines, std::uint64_t offset) {
  const SourceLine* line = line_at(lines, offset);
  return line ? line->file + ":" + std::to_string(line->line) : "none";
}

} // namespace

TEST_CASE("lines of two functions, the innermost of inlined ones") {
  const Bytes bytes = cubin(program());
  const auto a = lines_in(bytes, 0), b = lines_in(bytes, 1);
  CHECK(shown(a, 0) == "/src/inl.cu:4");
  CHECK(shown(a, 16) == "/src/inl.cu:5");
  CHECK(shown(a, 32) == "/src/inl.cu:5");
  CHECK(shown(a, 48) == "/src/inl.cu:2");
  CHECK(shown(a, 64) == "/src/inl.cu:7");
  CHECK(shown(a, 96) == "none");
  CHECK(shown(b, 0) == "/src/inl.cu:10");
  REQUIRE(a.size() > 2);
  CHECK(a[2].places == std::vector<SourceLine>{{"/src/inl.cu", 2}, {"/src/inl.cu", 7}});
  CHECK(shown(b, 16) == "none");
  CHECK(lines_in(bytes, 2).empty());
  CHECK(shown({}, 0) == "none");
}

TEST_CASE("lines of one's own files, by who calls what is not") {
  const std::vector<LineOf> lines{{0, {{"/w/sub/put.h", 2}, {"/w/k.cu", 7}}},
                                  {16, {{"/cuda/put.h", 9}, {"/cuda/all.h", 5}, {"/w/k.cu", 8}}},
                                  {32, {{"/cuda/put.h", 9}}},
                                  {48, {{"/w/../up/tile.h", 3}}}};
  const auto own = lines_of_files(lines, {"k.cu", "put.h", "sub/put.h", "../up/tile.h"});
  CHECK(shown(own, 0) == "sub/put.h:2");
  CHECK(shown(own, 16) == "k.cu:8");
  CHECK(shown(own, 32) == "none");
  CHECK(shown(own, 48) == "../up/tile.h:3");
  const auto all_in_a_header = lines_of_files({lines.back()}, {"k.cu", "../up/tile.h"});
  CHECK(shown(all_in_a_header, 48) == "../up/tile.h:3");
  CHECK(shown(lines_of_files(lines, {}), 0) == "none");
}

TEST_CASE("a table that is cut off, of another version or not there tells nothing") {
  CHECK(lines_in(cubin(program(5)), 0).empty());
  CHECK(lines_in(test::elf_of({{".text.a", "x"}}), 0).empty());
  const std::string whole = program();
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK(lines_in(cubin(whole.substr(0, size) + std::string(3, '\x80')), 0).size() < 10);
}

} // namespace line_table_test
