// SPDX-License-Identifier: Apache-2.0
// Compiled code on disk: found by content, bounded, and never wrong.
#include "gridsmith/base/content_hash.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tuner/processes/cubin_cache.hpp"

#include <fstream>

namespace cubin_cache_test {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t large = 1 << 20;

CodeObject example() {
  CodeObject code;
  code.cubin = std::make_shared<const Bytes>(Bytes{1, 2, 3});
  code.kernel = "_Z1kPf";
  code.code_hash = "abc";
  code.facts.registers_per_thread = 40;
  code.log = "ptxas info";
  code.command = "nvcc -cubin";
  code.ms = 12;
  return code;
}

fs::path only_file(const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      return entry.path();
  return {};
}

} // namespace

TEST_CASE("an entry comes back whole") {
  const test::Folder folder;
  const std::string key(64, 'a');
  CHECK_FALSE(CubinCache(folder.path() / "cache", large).contains(key));
  CubinCache(folder.path() / "cache", large).add(key, example());
  const CubinCache cache(folder.path() / "cache", large);
  CHECK(cache.contains(key));
  const auto code = cache.find(key);
  REQUIRE(code);
  CHECK(*code->cubin == Bytes{1, 2, 3});
  CHECK(code->kernel == "_Z1kPf");
  CHECK(code->code_hash == "abc");
  CHECK(code->facts.registers_per_thread == 40);
  CHECK(code->log == "ptxas info");
  CHECK(code->command == "nvcc -cubin");
  CHECK(code->ms == 12);
}

TEST_CASE("what did not compile is not kept") {
  const test::Folder folder;
  CubinCache cache(folder.path(), large);
  CodeObject failed;
  failed.error = "no";
  cache.add("aabb", failed);
  CHECK_FALSE(cache.contains("aabb"));
}

TEST_CASE("a damaged entry counts as absent and is removed") {
  const test::Folder folder;
  CubinCache cache(folder.path(), large);
  const std::string key(64, 'a');
  const auto checked = [](const std::string& document) { return sha256_hex(document) + document; };
  for (const int damage : {0, 1, 2, 3, 4, 5}) {
    cache.add(key, example());
    const fs::path file = only_file(folder.path());
    const auto size = fs::file_size(file);
    if (damage == 0)
      fs::resize_file(file, size / 2); // power was lost
    else if (damage == 1)
      test::write(file, "half");
    else if (damage == 3)
      fs::resize_file(file, 0);
    else if (damage == 4) // whole, and something else
      test::write(file, checked("another version"));
    else if (damage == 5) // nested deeper than any stack
      test::write(file, std::string(3'000'000, '\x81'));
    else { // one bit, in the last byte
      std::fstream entry(file, std::ios::in | std::ios::out | std::ios::binary);
      entry.seekp(static_cast<std::streamoff>(size) - 1);
      entry.put('\x7f');
    }
    INFO("damage " << damage);
    CHECK_FALSE(cache.find(key));
    CHECK_FALSE(fs::exists(file));
  }
}

TEST_CASE("the folder is kept below its limit, the longest unused goes first") {
  const test::Folder folder;
  CubinCache cache(folder.path(), large);
  cache.add("aaaa", example());
  const auto one = fs::file_size(only_file(folder.path()));
  const fs::path old = only_file(folder.path());
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(1));
  cache.add("bbbb", example());
  const CubinCache smaller(folder.path(), one + 10); // trims at its start
  CHECK_FALSE(smaller.contains("aaaa"));
  CHECK(smaller.contains("bbbb"));
}

TEST_CASE("a folder that cannot be written is no cache and no error") {
  const test::Folder folder;
  test::write(folder.path() / "file", "");
  CubinCache cache(folder.path() / "file" / "cache", large);
  cache.add("aaaa", example());
  CHECK_FALSE(cache.find("aaaa"));
}

TEST_CASE("everything that changes the code is part of its key") {
  const CompileRequest request{
      make_bundle({"a.cu", "#include \"a.h\""}, {{"a.h", "int a;"}}), "k", {"-DX=1", "-DY=2"}};
  const std::string key = compile_key(request, 90, "13.0");
  CHECK(key == compile_key(request, 90, "13.0"));
  CHECK(key != compile_key(request, 80, "13.0"));
  CHECK(key != compile_key(request, 90, "12.8"));
  CompileRequest other = request;
  other.source = make_bundle({"a.cu", "#include \"a.h\""}, {{"a.h", "int b;"}});
  CHECK(key != compile_key(other, 90, "13.0"));
  other = request;
  other.options = {"-DX=1-DY=2"};
  CHECK(key != compile_key(other, 90, "13.0"));
  other.options = {"-DX=1", "-DY=2", "k"}; // no part of a key runs into the next
  other.kernel = "";
  CHECK(key != compile_key(other, 90, "13.0"));
  other = request;
  other.options = {std::string("-DX=1\0-DY=2", 11)};
  CHECK(key != compile_key(other, 90, "13.0"));
  other.options = {"-DX=1", "-DY=2"};
  other.source = make_bundle(request.source->main, request.source->headers, {"inc"});
  CHECK(key != compile_key(other, 90, "13.0"));
  other = request;
  other.kernel = "k2";
  CHECK(key != compile_key(other, 90, "13.0"));
}

} // namespace cubin_cache_test
