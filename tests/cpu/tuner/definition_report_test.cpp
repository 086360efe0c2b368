// SPDX-License-Identifier: Apache-2.0
// What `check-definition` finds in a definition that can be read: formulas, files, launches, values,
// tolerances. By the program itself and the real NVRTC, without a GPU.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/author.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <sstream>

namespace definition_report_test {

using namespace gridsmith;
using test::Author;
using test::count;

namespace {

using Changes = std::vector<std::pair<std::string, std::string>>;

/// The definition with this in its section.
std::pair<std::string, std::string> section(const std::string& more) {
  return {"\"Scalars\"", more + ", \"Scalars\""};
}

nlohmann::json said_in_json(const Author& author, const Changes& changes, int code = 0) {
  REQUIRE(author.check(changes, "--json") == code);
  return nlohmann::json::parse(author.out());
}

} // namespace

TEST_CASE("the first and the last element of each formula are shown, with what they cost") {
  const Author author;
  const Changes both{{"\"Scalars\"", R"("Reference": {"Element": "3 * in[i]"},
      "Inputs": {"in": {"Fill": "expression", "Value": "(i + 2) // 2 / 2"}}, "Scalars")"}};
  CHECK(author.check(both) == 0);
  CHECK_THAT(author.said(), contains_text("element out[0] = 1.5, out[65535] = 49152; "));
  CHECK_THAT(author.said(), contains_text("element in[0] = 0.5, in[65535] = 16384; "));
  CHECK_THAT(author.said(), contains_text(" an element, "));
  CHECK_THAT(author.said(), contains_text(" for all 65536 by this processor"));
  const auto elements = said_in_json(author, both)["elements"];
  REQUIRE(elements.size() == 2);
  CHECK(elements[0]["source"] == "Element");
  CHECK(elements[1]["source"] == "Fill");
  const double ns = elements[0]["ns_per_element"];
  CHECK(ns > 0.1);
  CHECK(ns < 1e6);
  CHECK(elements[0]["seconds_for_all"].get<double>() == Approx(65536 * ns * 1e-9));
}

TEST_CASE("an element of a filled table that is no number is named") {
  const Author author;
  const auto filled = [](const std::string& value) {
    return section(R"("Inputs": {"in": {"Fill": "expression", "Value": ")" + value + "\"}}");
  };
  const std::pair<std::string, std::string> small{"\"FillValue\": 1, \"Size\": \"n\"",
                                                  "\"FillValue\": 1, \"Size\": \"4096\""};
  CHECK(author.check({filled("1 / (i - 1234)"), small}) == 0);
  CHECK_THAT(author.said(),
             contains_text("Gridsmith.Inputs.in.Value: in[1234] is no finite number"));
  CHECK(author.check({filled("1 / (i - 1234.5)"), small}) == 0);
  CHECK(author.said().find("no finite number") == std::string::npos);
}

TEST_CASE("a formula that takes too long is told, soon") {
  const Author author;
  const std::string slow = "sum(a, n, sum(b, n, sum(c, n, in[(a + b + c) % n])))";
  const auto begin = std::chrono::steady_clock::now();
  CHECK(author.check({section(R"("Reference": {"Element": ")" + slow + "\"}")}) == 1);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
  CHECK_THAT(author.said(), contains_text("out[0] was not computed in time"));
  CHECK_THAT(author.said(), contains_text("more than 5"));
  CHECK_THAT(author.said(), contains_text("it can verify no result"));
  CHECK(author.check({section(R"("Reference": {"Kernel": "k", "Element": ")" + slow + "\"}")}) ==
        0);
  CHECK_THAT(author.said(), contains_text("few or none will be checked by it"));
}

TEST_CASE("an element that is an error between the first and the last") {
  const Author author;
  CHECK(author.check(
            {section(R"x("Reference": {"Element": "in[i] / (0 if i == 1040 else 1)"})x")}) == 1);
  CHECK_THAT(author.said(), contains_text("element 1040 of 'out'"));
}

TEST_CASE("all configurations are compiled where that is wanted, and little is said meanwhile") {
  const Author author;
  CHECK(author.check({{"#if METHOD == plain", "#if METHOD == plain && THREADS < 256"}}, "--all") ==
        0);
  CHECK_THAT(author.out(), contains_text("\nok: 6 configurations, 4 of 6 compile\n"));
  CHECK_THAT(author.err(), contains_text("compiled 6 of 6, 2 do not compile"));
  CHECK(count(author.err(), "\n") <= 10);
  CHECK(count(author.out(), " compiles: ") == 1); // the default
  REQUIRE(author.check({}, "--all --json") == 0);
  const auto report = nlohmann::json::parse(author.out());
  CHECK(report["compiled"].size() == 6);
  CHECK(report["samples"] == nlohmann::json::parse(R"({"all": 6, "compile": 6, "launchable": 6})"));
}

TEST_CASE("what compiles and cannot be launched is told with its registers, threads and memory") {
  const Author author;
  const Changes registers{{"256, 512]", "256, 1024]"},
                          {"THREADS == 512", "THREADS == 1024"},
                          {"__launch_bounds__(THREADS) ", ""},
                          {"const int i = ", R"(float v[96];
#pragma unroll
  for (int l = 0; l < 96; ++l) v[l] = ((volatile const float*)in)[l];
  float sum = 0;
#pragma unroll
  for (int l = 0; l < 96; ++l) sum = sum * v[95 - l] + v[l];
  if (n < 0) out[0] = sum;
  const int i = )"}};
  CHECK(author.check(registers) == 0);
  CHECK_THAT(author.said(), contains_text("cannot be launched: too many threads or registers: 1024 "
                                          "threads per block with 1"));
  CHECK_THAT(author.said(), contains_text(" of 65536), this kernel can be launched with "));
  CHECK_THAT(author.said(),
             contains_text("ok: 6 configurations, 5 of 5 samples compile, 3 can be launched"));
  CHECK(author.check({{"__launch_bounds__(THREADS)", "__launch_bounds__(256)"}}) == 0);
  CHECK_THAT(author.said(), contains_text("cannot be launched: a block has 512 threads, the "
                                          "kernel's launch bounds allow 256"));
  const auto report =
      said_in_json(author, {{"__launch_bounds__(THREADS)", "__launch_bounds__(256)"}});
  for (const auto& one : report["compiled"])
    CHECK(one["launchable"] == (one["geometry"]["block"][0] != 512));
}

TEST_CASE("values that no configuration has are named, by 'space' too") {
  const Author author;
  const Changes fewer{{"METHOD == 'plain' or THREADS == 512", "THREADS not in (64, 512)"}};
  CHECK(author.check(fewer) == 0);
  CHECK_THAT(author.said(), contains_text("65536: in no configuration: THREADS=64, 512"));
  CHECK(author.run("space k.json") == 0);
  CHECK_THAT(author.said(), contains_text("In no configuration: THREADS=64, 512"));
  CHECK(said_in_json(author, fewer)["in_no_configuration"]["THREADS"] ==
        nlohmann::json::parse("[64, 512]"));
  CHECK(author.check() == 0);
  CHECK(author.said().find("in no configuration") == std::string::npos);
}

TEST_CASE("a reference's file has the outputs' elements") {
  const Author author;
  const auto of_file = [&](const std::string& name, std::size_t bytes) {
    test::write(author.folder() / name, std::string(bytes, '\x3f'));
    return author.check({section(R"("Reference": {"File": ")" + name + "\"}")});
  };
  CHECK(of_file("right.bin", 262144) == 0);
  CHECK_THAT(author.said(),
             contains_text("out[0] = 0.7470588, out[65535] = 0.7470588, of the file"));
  CHECK(of_file("short.bin", 262140) == 1);
  CHECK_THAT(author.said(),
             contains_text("the expected output has 262140 bytes, the outputs need 262144"));
  const std::string shape = "{'descr': '<f8', 'fortran_order': False, 'shape': (65536,), }\n";
  test::write(author.folder() / "wide.npy", std::string("\x93NUMPY\x01\x00", 8) +
                                                static_cast<char>(shape.size()) + '\0' + shape +
                                                std::string(std::size_t{65536} * 8, '\0'));
  CHECK(author.check({section(R"("Reference": {"File": "wide.npy"})")}) != 0);
  CHECK_THAT(author.said(), contains_text("float64"));
}

TEST_CASE("files of elements that are no numbers, and archives of them") {
  const Author author;
  const auto of_file = [&](const std::string& name, const std::string& content) {
    test::write(author.folder() / name, content);
    return author.check({section(R"("Inputs": {"in": {"File": ")" + name + "\"}}"),
                         {", \"FillType\": \"Random\", \"FillValue\": 1", ""}});
  };
  const std::string numbers(262140, '\x3f');
  CHECK(of_file("some.bin", numbers + "\xff\xff\xff\x7f") == 0);
  CHECK_THAT(author.said(), contains_text("Inputs.in.File: 1 of 65536 elements are no finite"));
  CHECK(of_file("all.bin", std::string(262144, '\xff')) == 1);
  CHECK_THAT(author.said(), contains_text("65536 of 65536 elements are no finite numbers"));
  CHECK(of_file("right.bin", numbers + "????") == 0);
  CHECK(author.said().find("finite") == std::string::npos);
  CHECK(of_file("vals.npz", "PK\x03\x04") != 0);
  CHECK_THAT(author.said(), contains_text("vals.npz: is an archive of .npy files; unpack it"));
}

TEST_CASE("the memory of a transfer is a word in quotes") {
  const Author author;
  CHECK(author.check({section(R"("Transfer": {"Memory": "pinned", "In": ["in"], "Out": ["out"], )"
                              R"("Elements": "n"})")}) == 2);
  CHECK_THAT(author.said(), contains_text("write the word in quotes, \"'pinned'\" (valid: "
                                          "'pageable', 'pinned', 'zero_copy', 'managed')"));
}

TEST_CASE("little work is told in FLOP") {
  const Author author;
  CHECK(author.check({{"\"Bytes\": \"8 * n\"", "\"Flops\": \"n\""}}) == 0);
  CHECK_THAT(author.said(), contains_text("65536 FLOP"));
}

TEST_CASE("work that is less than nothing, and none") {
  const Author author;
  CHECK(author.check({{"\"8 * n\"", "\"8 * (n - 65537)\""}}) == 1);
  CHECK_THAT(author.said(),
             contains_text("Gridsmith.WorkModel.Bytes: gives -8 at 65536; expected 0 or more"));
  CHECK(author.check({{"\"8 * n\"", "\"8 * (n - 65536)\""}}) == 0);
  CHECK_THAT(author.said(), contains_text("gives 0 at 65536, which means unknown"));
}

TEST_CASE("conditions that are none") {
  const Author author;
  const std::string all = "METHOD == 'plain' or THREADS == 512";
  CHECK(author.check({{all, "'THREADS == 512'"}}) == 2);
  CHECK_THAT(author.said(),
             contains_text("Conditions[0].Expression: is a text, so it always holds"));
  CHECK(author.check({{all, "METHOD"}}) == 2);
  CHECK(author.check({{all, "THREADS * 2"}}) == 1);
  CHECK_THAT(author.said(), contains_text("'THREADS * 2' always holds and excludes nothing: "
                                          "its value is a number, not a comparison"));
  CHECK(author.check({{all, "THREADS <= 512"}}) == 0);
  CHECK_THAT(author.said(), contains_text("'THREADS <= 512' always holds and excludes nothing"));
  CHECK(author.check({{all, "THREADS <= n"}}) == 0); // of another size it may not
  CHECK(author.said().find("always holds") == std::string::npos);
}

TEST_CASE("a tolerance that is large for the outputs") {
  const Author author;
  const auto of_size = [&](const std::string& size) {
    return author.check({section(R"("Reference": {"Element": ")" + size + "\"}")});
  };
  CHECK(of_size("i % 2 * 0.00002") == 0); // zeros are not counted
  CHECK_THAT(author.said(), contains_text("AbsoluteTolerance: 1e-06 for elements of 'out' of about "
                                          "2e-05: an error of 5 % passes"));
  CHECK(of_size("0.0000005") == 1);
  CHECK_THAT(author.said(), contains_text("for elements of 'out' of about 5e-07: a kernel that "
                                          "writes only zeros passes"));
  CHECK(of_size("0.01") == 0);
  CHECK(author.said().find("AbsoluteTolerance") == std::string::npos);
}

TEST_CASE("a relative tolerance that is large") {
  const Author author;
  const auto of = [&](const std::string& tolerance) {
    return author.check(
        {section(R"("Reference": {"Element": "1 + i", "RelativeTolerance": )" + tolerance + "}")});
  };
  CHECK(of("5") == 1);
  CHECK_THAT(author.said(), contains_text("Gridsmith.Reference.RelativeTolerance: 5 is 500 %: a "
                                          "kernel that writes only zeros passes"));
  CHECK(of("1") == 1);
  CHECK(of("0.1") == 0);
  CHECK_THAT(author.said(),
             contains_text("RelativeTolerance: 0.1 is 10 %: so large an error passes"));
  CHECK(of("0.01") == 0);
  CHECK(author.said().find("RelativeTolerance") == std::string::npos);
}

TEST_CASE("the reference is shown by its own name and values") {
  const Author author;
  const std::string naive =
      "extern \"C\" __global__ void naive(float* out, const float* in, int n) "
      "{ out[threadIdx.x] = in[threadIdx.x] * THREADS; }\nextern";
  CHECK(author.check({section(R"("Reference": {"Kernel": "naive", "Values": {"THREADS": 64}})"),
                      {"extern", naive}}) == 0);
  CHECK_THAT(author.said(), contains_text("reference 'naive' compiles: "));
  CHECK_THAT(author.said(), contains_text("(THREADS=64, else as the default)"));
}

TEST_CASE("where a vector begins and how its rows lie is shown") {
  const Author author;
  CHECK(author.check({section(R"("Inputs": {"in": {"Offset": 3, "Row": "n // 64"}})")}) == 0);
  CHECK_THAT(author.said(), contains_text("Offset of 3 elements"));
  CHECK_THAT(author.said(), contains_text("rows of 1024 with a pitch"));
}

TEST_CASE("types of C++ that have another name here") {
  const Author author;
  CHECK(author.check({{"\"int\"", "\"size_t\""}, {"int n)", "size_t n)"}}) == 0);
  CHECK(author.check({{"\"Type\": \"float\"", "\"Type\": \"Atom\""}}) == 2);
  CHECK_THAT(author.said(), contains_text("unknown type 'Atom'"));
  CHECK_THAT(author.said(), contains_text("a struct is described in Gridsmith.Types"));
}

TEST_CASE("a struct by value is compared with what the compiler knows of it") {
  const Author author;
  const std::string given = R"("Scalars": {"n": {"count": "n", "scale": 2}}, "Types": )";
  const std::string type = "struct Shape { int count; float scale; "
                           "__device__ operator int() const { return count; } };\nextern";
  const auto check = [&](const char* types) {
    return author.check({{"\"int\"", "\"Shape\""},
                         {"\"Scalars\": {\"n\": \"n\"}", given + types},
                         {"extern", type},
                         {"int n)", "Shape n)"}});
  };
  CHECK(check(R"({"Shape": {"Source": "Shape", "Fields": ["int count", "float scale"]}})") == 0);
  CHECK_THAT(author.said(), contains_text("n: struct of 8 bytes = {.count = 65536, .scale = 2}"));
  CHECK(check(R"({"Shape": {"Fields": ["int count", "double scale"]}})") == 1);
  CHECK_THAT(author.said(),
             contains_text("argument 3 (n) has 8 bytes in the kernel and 16 in the definition"));
  CHECK(check(R"({"Shape": {"Source": "Shape", "Fields": ["float scale", "int count"]}})") == 1);
  CHECK_THAT(author.said(), contains_text("Gridsmith.Types.Shape of the definition: scale has not "
                                          "4 bytes at offset 0"));
}

TEST_CASE("what is piped has one line for each thing, and the last one is the verdict") {
  const Author author;
  CHECK(author.check() == 0);
  CHECK(author.out().find("\n            ") != std::string::npos);
  CHECK_THAT(author.out(), contains_text(" compiles: "));
  std::istringstream lines(author.out());
  std::string last;
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line); last = line) {
    longest = std::max(longest, line.size());
    if (line.find(" compiles: ") != std::string::npos)
      CHECK(line.ends_with(")"));
  }
  CHECK(longest > 80);
  CHECK(last == "ok: 6 configurations, 5 of 5 samples compile");
}

TEST_CASE("no parameter at all is one configuration") {
  const Author author;
  const std::string list =
      R"({"Name": "THREADS", "Values": [32, 64, 128, 256, 512], "Default": 128},
      {"Name": "METHOD", "Values": ["plain", "turned"], "Default": "plain"})";
  CHECK(author.check({{list, ""},
                      {"{\"Expression\": \"METHOD == 'plain' or THREADS == 512\"}", ""},
                      {"{\"X\": \"THREADS\"}, \"GridDivX\": \"THREADS\"",
                       "{\"X\": \"128\"}, \"GridDivX\": \"128\""},
                      {"__launch_bounds__(THREADS) ", ""},
                      {"* THREADS +", "* 128 +"},
                      {"METHOD == plain", "1"}}) == 0);
  CHECK_THAT(author.out(), contains_text("\nok: 1 configuration, 1 of 1 sample compiles\n"));
}

} // namespace definition_report_test
