// A source travels with its own headers, by name and content.
#include "gridsmith/kernels/definition/source_bundle.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"

#include <filesystem>

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

fs::path put(const test::Folder& folder, const std::string& name, const std::string& text) {
  const fs::path file = folder.path() / name;
  fs::create_directories(file.parent_path());
  test::write(file, text);
  return file;
}

std::vector<std::string> names(const SourceBundle& bundle) {
  std::vector<std::string> found;
  for (const SourceFile& header : bundle.headers)
    found.push_back(header.name);
  return found;
}

} // namespace

TEST_CASE("headers of its own are followed, the toolkit's are not") {
  const test::Folder folder;
  const fs::path source = put(folder, "kernels/k.cu",
                              "#include \"a.h\"\n"
                              "  #  include <sub/b.h> // both ways\n"
                              "#include <cuda_fp16.h>\n"
                              "#include \"missing.h\"\n"
                              "#include_next \"a.h\"\n"
                              "int include = 0;\n");
  put(folder, "kernels/a.h", "#include \"../common/c.h\"\n#include \"a.h\"\n");
  put(folder, "kernels/sub/b.h", "#include \"d.h\"\n#include \"./e.h\"\n");
  put(folder, "kernels/sub/d.h", "d of sub");
  put(folder, "kernels/d.h", "another d");
  put(folder, "kernels/e.h", "found beside the main source");
  put(folder, "common/c.h", "c");
  const auto bundle = read_bundle(source);
  REQUIRE(bundle);
  CHECK(bundle->main.name == "k.cu");
  CHECK(names(*bundle) ==
        std::vector<std::string>{"a.h", "../common/c.h", "sub/b.h", "sub/d.h", "e.h"});
  CHECK(bundle->headers[3].text == "d of sub");
}

TEST_CASE("what a bundle is called depends on every text in it") {
  const test::Folder folder;
  const fs::path source = put(folder, "k.cu", "#include \"a.h\"\n");
  put(folder, "a.h", "int a;");
  const std::string before = read_bundle(source)->hash;
  CHECK(read_bundle(source)->hash == before);
  put(folder, "unused.h", "int u;");
  CHECK(read_bundle(source)->hash == before);
  put(folder, "a.h", "int b;");
  CHECK(read_bundle(source)->hash != before);
  CHECK(make_bundle({"k.cu", "ab"}, {{"c", ""}})->hash !=
        make_bundle({"k.cu", "a"}, {{"bc", ""}})->hash);
}

TEST_CASE("a computed include may mean any header beside the source") {
  const test::Folder folder;
  const fs::path source = put(folder, "k.cu", "#include TILE_HEADER\n");
  put(folder, "one.cuh", "1");
  put(folder, "two.h", "2");
  put(folder, "other.cu", "3");
  CHECK(names(*read_bundle(source)) == std::vector<std::string>{"one.cuh", "two.h"});
}

TEST_CASE("a source that cannot be read is no bundle") {
  const test::Folder folder;
  CHECK_FALSE(read_bundle(folder.path() / "absent.cu"));
  CHECK_FALSE(read_bundle(folder.path()));
}

TEST_CASE("resolved includes name files of the bundle and keep the lines") {
  const auto bundle =
      make_bundle({"k.cu", "#include \"./sub/a.h\" // a\n#include <vector>\nint k;"},
                  {{"sub/a.h", "#include \"b.h\"\n#include \"../b.h\"\n"},
                   {"sub/b.h", "inner"},
                   {"b.h", "outer"}});
  const auto files = with_resolved_includes(*bundle);
  REQUIRE(files.size() == 4);
  CHECK(files[0].text == "#include \"sub/a.h\" // a\n#include <vector>\nint k;");
  CHECK(files[1].name == "sub/a.h");
  CHECK(files[1].text == "#include \"sub/b.h\"\n#include \"b.h\"\n");
  CHECK(files[2].text == "inner");
}
