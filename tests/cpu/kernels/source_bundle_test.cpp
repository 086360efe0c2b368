// SPDX-License-Identifier: Apache-2.0
// A source travels with its own headers, by name and content.
#include "gridsmith/kernels/source/header_options.hpp"
#include "gridsmith/kernels/source/includes.hpp"
#include "gridsmith/kernels/source/source_bundle.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"

#include <algorithm>
#include <filesystem>

namespace source_bundle_test {

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

TEST_CASE("a byte order mark is no code") {
  const test::Folder folder;
  const fs::path source = put(folder, "k.cu", "\xEF\xBB\xBF#include \"a.h\"\n");
  put(folder, "a.h", "\xEF\xBB\xBFint a;");
  const auto bundle = read_bundle(source);
  CHECK(bundle->main.text == "#include \"a.h\"\n");
  REQUIRE(bundle->headers.size() == 1);
  CHECK(bundle->headers[0].text == "int a;");
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

TEST_CASE("names are found as a preprocessor finds them") {
  const std::string text = R"text(/* a
*/ # /* b */ include /**/ "a.h" // c
#inc\
lude \
  <b.h>
%:include "c//d.h"
#if __has_include(<e.h>) || __has_include ( "f.h" )
#elif defined(__has_include)
#endif
const char* no = "\
#include \"no.h\"", *raw = R"(
#include "no.h"
)"; int thousand = 1'000; /* #include "no.h"
#include "no.h" */ // \
#include "no.h"
it's no literal's end
#include MACRO
#define MACRO "m.h"
#include_next "no.h"
#includes "no.h"
#include "open.h
#include "last.h")text";
  std::vector<std::string> named, meant;
  int computed = 0;
  for (const Include& one : includes_of(text)) {
    if (one.kind == Include::Kind::named)
      named.push_back(one.name);
    else if (one.kind == Include::Kind::mentioned)
      meant.push_back(one.name);
    computed += one.kind == Include::Kind::computed;
    const std::string around = one.quoted ? "\"" + one.name + "\"" : "<" + one.name + ">";
    if (!one.name.empty())
      CHECK(text.substr(one.first, one.last - one.first) == around);
  }
  CHECK(named == std::vector<std::string>{"a.h", "b.h", "c//d.h", "e.h", "f.h", "last.h"});
  CHECK(meant == std::vector<std::string>{"m.h", "no.h", "no.h"});
  CHECK(computed == 1);
}

TEST_CASE("folders of the search come after that of the source, in order") {
  const test::Folder folder;
  const fs::path source = put(folder, "k/k.cu", "#include <a.h>\n#include \"b.h\"\n");
  put(folder, "k/one/b.h", "#include \"in.h\"\n");
  put(folder, "k/one/in.h", "");
  put(folder, "two/a.h", "");
  put(folder, "two/b.h", "");
  put(folder, "k/first.h", "");
  const std::string two = (folder.path() / "two").string();
  const HeaderSearch search{{"one", two}, {"first.h", "toolkit.h"}, {}};
  const auto bundle = read_bundle(source, search);
  CHECK(names(*bundle) == std::vector<std::string>{"first.h", two + "/a.h", "one/b.h", "one/in.h"});
  CHECK(bundle->before == search.before);
  const auto files = with_resolved_includes(*bundle);
  CHECK(files[0].text == "#include \"" + two + "/a.h\"\n#include \"one/b.h\"\n");
  put(folder, "k/one/a.h", ""); // earlier on the path
  CHECK(read_bundle(source, search)->hash != bundle->hash);
}

TEST_CASE("a computed include finds what directives and options name, on the whole path") {
  const test::Folder folder;
  const fs::path source = put(folder, "k.cu", "#define TILE <deep/tile>\n#include TILE\n");
  put(folder, "inc/deep/tile", "1");
  put(folder, "inc/beside.h", "2");
  put(folder, "named", "3");
  const auto bundle = read_bundle(source, {{"inc"}, {}, {"named"}});
  CHECK(names(*bundle) == std::vector<std::string>{"named", "inc/deep/tile", "inc/beside.h"});
  std::vector<std::string> others;
  for (const SourceFile& file : with_resolved_includes(*bundle))
    others.push_back(file.name);
  CHECK(std::find(others.begin(), others.end(), "deep/tile") != others.end());
}

TEST_CASE("options that say where headers are, in every spelling") {
  const HeaderWords options =
      header_options({"-Ione", "-I", "two", "--include-path=three", "-include-path", "four",
                      "-std=c++17", "-I=five", "--pre-include=a.h", "-include", "b.h",
                      "--preinclude", "c.h", "-DH=<d.h>", "-Iast"});
  CHECK(options.folders == std::vector<std::string>{"one", "two", "three", "four", "five", "ast"});
  CHECK(options.before == std::vector<std::string>{"a.h", "b.h", "c.h"});
  CHECK(options.others == std::vector<std::string>{"-std=c++17", "-DH=<d.h>"});
  CHECK(options.defined == std::vector<std::string>{"c++17", "d.h"});
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

} // namespace source_bundle_test
