// SPDX-License-Identifier: Apache-2.0
// Slips in a definition: what cannot be meant is an error or, in files of the community, told.
#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/compile_request.hpp"
#include "gridsmith/kernels/definition/unused_parameters.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"

#include <unistd.h>

namespace remarks_test {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

/// A T1 file as the community writes them, and one for Gridsmith: k.json beside its k.cu.
const std::string plain = R"gs({
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "BX", "Type": "int", "Values": "[32, 64, 128]", "Default": 64},
      {"Name": "FAST", "Type": "bool", "Values": "[True, False]"}
    ],
    "Conditions": [{"Expression": "BX <= 96 or FAST", "Parameters": ["BX", "FAST"]}]
  },
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "k", "KernelFile": "k.cu",
    "ProblemSize": [1000],
    "GridDivX": ["BX"], "LocalSize": {"X": "BX"},
    "Arguments": [
      {"Name": "out", "Type": "float", "MemoryType": "Vector", "Size": "ProblemSize[0]", "Output": 1},
      {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 1000}
    ]
  }
})gs";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  REQUIRE(text.find(from) != text.npos);
  return text.replace(text.find(from), from.size(), to);
}

/// With our section.
std::string ours(const std::string& section = R"("Extents": ["n_x"])") {
  return plain.substr(0, plain.rfind('}')) + ", \"Gridsmith\": {" + section + "}}";
}

/// What reading said: warnings and hints line by line, or the error alone.
std::string said(const std::string& text) {
  const test::Folder folder;
  test::write(folder.path() / "k.cu", "extern \"C\" __global__ void k(float*, int) {}\n");
  test::write(folder.path() / "k.json", text);
  std::string lines;
  try {
    const KernelDefinition definition = read_definition(folder.path() / "k.json");
    for (const Remark& remark : definition.remarks)
      lines += (remark.warning ? "warning: " : "hint: ") + remark.text + "\n";
    instantiate(definition, definition.default_problem(), device_of_capability(90));
  } catch (const InputError& error) {
    lines += std::string("error: ") + error.what() + "\n";
  }
  const std::string path = folder.path().string() + "/";
  for (std::size_t at; (at = lines.find(path)) != lines.npos;)
    lines.erase(at, path.size());
  return lines;
}

struct Slip {
  std::string from, to;
  std::string told;    ///< in a plain T1 file
  std::string of_ours; ///< in a definition for Gridsmith, where it is another
};

} // namespace

TEST_CASE("a definition without slips says nothing") {
  CHECK(said(plain) == "");
  CHECK(said(ours()) == "");
}

TEST_CASE("slips in T1's part", "[definition]") {
  const std::vector<Slip> slips{
      {"\"Conditions\"", "\"Conditons\"",
       "warning: k.json: ConfigurationSpace: unknown field 'Conditons'; did you mean "
       "'Conditions'?",
       ""},
      {"\"LocalSize\"", "\"LocalSze\"", "unknown field 'LocalSze'; did you mean 'LocalSize'?", ""},
      {"{\"X\": \"BX\"}", "{\"X\": \"BX\", \"y\": \"4\"}",
       "warning: k.json: KernelSpecification.LocalSize: unknown field 'y'; did you mean 'Y'?", ""},
      {"\"GridDivX\"", "\"GridDivx\"", "did you mean 'GridDivX'?", ""},
      {"\"Default\"", "\"Defualt\"", "TuningParameters[0]: unknown field 'Defualt'", ""},
      {"\"Output\"", "\"Ouput\"", "Arguments[0]: unknown field 'Ouput'; did you mean 'Output'?",
       ""},
      {"\"KernelSpecification\"", "\"Weather\": 1, \"KernelSpecification\"",
       "hint: k.json: unknown field 'Weather' is not read", ""},
      {"\"Language\": \"CUDA\"", "\"Language\": \"CUDA\", \"Language\": \"HIP\"",
       "warning: k.json: KernelSpecification.Language: appears twice; the last one counts", ""},
      {"\"Name\": \"FAST\"", "\"Name\": \"SLOW\", \"Name\": \"FAST\"",
       "ConfigurationSpace.TuningParameters[1].Name: appears twice", ""},
      {"\"Default\": 64", "\"Default\": [64]",
       "hint: k.json: ConfigurationSpace.TuningParameters[0].Default: is a list; the one value",
       ""},
      {"\"Default\": 64", "\"Default\": 48",
       "hint: k.json: ConfigurationSpace.TuningParameters[0].Default: 48 is not a value of BX "
       "(32, 64, 128)",
       "error: k.json: ConfigurationSpace.TuningParameters[0].Default: 48 is not a value"},
      {"\"Default\": 64", "\"Default\": \"64\"", "'64', a text, is not a value of BX (32,", ""},
      {", \"FillValue\": 1000", "",
       "warning: k.json: KernelSpecification.Arguments[1]: the scalar 'n' has no value, so it would "
       "be 0",
       "error: k.json: KernelSpecification.Arguments[1]: the scalar 'n' has no value"},
      {"\"Vector\",", "\"Vector\", \"FillType\": \"Random\",",
       "warning: k.json: KernelSpecification.Arguments[0]: the vector 'out' is Random times its "
       "FillValue, which is missing",
       "error: k.json: KernelSpecification.Arguments[0]: the vector 'out' is Random"},
      {"\"Output\": 1", "\"Output\": \"no\"",
       "error: k.json: KernelSpecification.Arguments[0].Output: expected 1 or true", ""},
      {"\"Output\": 1", "\"Output\": 2", "Arguments[0].Output: expected 1 or true", ""},
      {"\"BX <= 96 or FAST\"", "\"BX == 96 or FAST\"",
       "hint: k.json: ConfigurationSpace.Conditions[0].Expression: 96 is not a value of BX (32,",
       ""},
      {"\"KernelName\"", "\"CompilerOptions\": [\"-Inowhere\"], \"KernelName\"",
       "warning: k.json: KernelSpecification.CompilerOptions: '-I nowhere': there is no folder nowhere\n",
       ""},
      {"\"KernelName\"", "\"CompilerOptions\": [\"-DBX=8\"], \"KernelName\"",
       "error: k.json: ConfigurationSpace.TuningParameters[0].Name: parameter 'BX' has the name of a "
       "macro of KernelSpecification.CompilerOptions, '-DBX=8'; omit one of them",
       ""},
      {"\"KernelName\"", "\"CompilerOptions\": [\"-U\", \"FAST\", \"-DBX2\"], \"KernelName\"",
       "parameter 'FAST' has the name of a macro of KernelSpecification.CompilerOptions, '-UFAST'",
       ""},
      {"\"GridDivX\"", "\"GlobalSize\": {\"X\": \"4\"}, \"GridDivX\"",
       "hint: k.json: KernelSpecification.GlobalSize: is ignored because there is GridDiv", ""},
      {"\"[32, 64, 128]\"", "[32, 64, 1.5]",
       "hint: k.json: ConfigurationSpace.TuningParameters[0].Values: parameter 'BX' has the "
       "type int, which its value 1.5 has not",
       "error: k.json: ConfigurationSpace.TuningParameters[0].Values: parameter 'BX' has the type"},
      {"\"int\", \"Values\"", "\"integer64\", \"Values\"", "unknown type 'integer64'",
       "error: k.json: ConfigurationSpace.TuningParameters[0].Type: parameter 'BX': unknown type"},
      {"\"bool\"", "\"uint\"", "has the type uint, which its value True has not", "error: "},
      {"\"[True, False]\"", "[1, \"32\"]", "parameter 'FAST' has texts and numbers", "error: "},
      {"\"Name\": \"n\"", "\"Name\": \"out\"", "argument 'out' appears twice", "error: "},
      {"\"GridDivX\"", "\"GridDivY\": [\"nothing\"], \"GridDivX\"",
       "warning: k.json: KernelSpecification.GridDivY: names something that the definition does not have",
       "error: k.json: KernelSpecification.GridDivY[0]: 'nothing': column 1: unknown name"},
      {"\"GridDivX\": [\"BX\"]", "\"GridDivX\": [\"XB\"]",
       "error: k.json: KernelSpecification.GridDivX[0]: 'XB': column 1: unknown name 'XB'", ""},
      {"\"BX <= 96 or FAST\"", "5",
       "error: k.json: ConfigurationSpace.Conditions[0].Expression: "
       "expected a string",
       ""},
      {"\"CUDA\"", "\"cuda\"",
       "error: k.json: KernelSpecification.Language: unknown language "
       "'cuda'; did you mean 'CUDA'?",
       ""},
      {"\"k.cu\"", "\"none.cu\"",
       "warning: k.json: KernelSpecification.KernelFile: there is no none.cu", ""},
      {"\"k.cu\"", "\".\"", "is not a regular file", ""},
      {"\"k.cu\"", "\"/etc/shadow\"", "error: k.json: KernelSpecification.KernelFile: ", ""},
      {"\"ProblemSize[0]\"", "0",
       "error: k.json: argument 1 (out): '0' gives 0; expected an integer", ""},
      {"\"ProblemSize[0]\"", "\"-4 * BX\"", "gives -512; expected an integer of at least 1", ""},
      {"\"ProblemSize[0]\"", "1.6e16", "expected an integer of at most 2^53", ""},
      {"BX <= 96", "BX <= 96 & BX > 1", "unexpected character '&'; write 'and'", ""},
      {"BX <= 96", "BX ^ 2 <= 96", "unexpected character '^'; a power is '**'", ""},
      {"\"ProblemSize[0]\"", "\"10 ** 18\"", "gives 1e+18; expected an integer of at most 2^53",
       ""},
      {"{", "// a remark\n{ /* and another */", "hint: k.json: has comments", ""},
      {"{", "{ \"$schema\": \"x\", \"_note\": 1,", "", ""},
  };
  for (const Slip& slip : slips) {
    INFO(slip.to);
    const std::string told = said(replaced(plain, slip.from, slip.to));
    CHECK_THAT(told, contains_text(slip.told));
    CHECK(told.empty() == slip.told.empty());
    CHECK_THAT(said(replaced(ours(), slip.from, slip.to)),
               contains_text(slip.of_ours.empty() ? slip.told : slip.of_ours));
  }
}

TEST_CASE("texts in conditions", "[definition]") {
  const std::string texts = replaced(
      replaced(plain, "\"bool\", \"Values\": \"[True, False]\"",
               "\"string\", \"Values\": [\"tree\", \"ring\"]"),
      "BX <= 96 or FAST", "'ring' == FAST or FAST in ['tree', 'tee'] or BX <= 96 or BX + 1 == 3");
  CHECK(said(texts) ==
        "warning: k.json: ConfigurationSpace.Conditions[0].Expression: 'tee' is not a "
        "value of FAST (tree, ring); did you mean 'tree'?\n");
  CHECK_THAT(said(replaced(texts, "'ring' ==", "ring ==")),
             contains_text("column 1: a text stands between quotes: 'ring'"));
}

TEST_CASE("a block that no parameter decides", "[definition]") {
  const std::string unused = replaced(plain, ", \"LocalSize\": {\"X\": \"BX\"}", "");
  CHECK(said(unused) == "");
  std::string named = unused;
  for (std::size_t at = 0; (at = named.find("BX", at)) != named.npos; at += 5)
    named.replace(at, 2, "BLOCK");
  CHECK_THAT(said(named), contains_text("hint: k.json: KernelSpecification: has no LocalSize, so a "
                                        "block has 256 threads whatever 'BLOCK' is"));
}

TEST_CASE("geometry of a kernel that is not run may name anything", "[definition]") {
  std::string other = replaced(plain, "\"CUDA\"", "\"OpenCL\"");
  other = replaced(other, "\"GridDivX\": [\"BX\"]", "\"GridDivX\": [\"a\"]");
  other = replaced(other, "{\"X\": \"BX\"}", "{\"X\": \"b\"}, \"GlobalSize\": {\"X\": \"c\"}");
  const std::string told = said(other);
  CHECK(told.find("error: ") == told.npos);
  for (const char* field : {"GridDivX", "LocalSize.X", "GlobalSize.X"})
    CHECK_THAT(told, contains_text("hint: k.json: KernelSpecification." + std::string(field) +
                                   ": names something that the definition does not have"));
}

TEST_CASE("names that a parameter cannot have", "[definition]") {
  for (const std::string name : {"sm_count", "max_threads_per_block", "int", "and", "in",
                                 "blockIdx", "grö", "1X", "A B", "A-B", ""}) {
    INFO(name);
    std::string text = replaced(plain, "\"FAST\", \"Type\"", "\"" + name + "\", \"Type\"");
    text = replaced(text, "BX <= 96 or FAST", "BX <= 96");
    CHECK_THAT(said(text),
               contains_text("error: k.json: ConfigurationSpace.TuningParameters[1].Name"
                             ": parameter '" +
                             name + "' "));
  }
}

TEST_CASE("a name that no condition could have is told at the name", "[definition]") {
  CHECK_THAT(said(replaced(replaced(plain, "\"FAST\", \"Type\"", "\"for\", \"Type\""),
                           "BX <= 96 or FAST", "BX <= 96 or for")),
             contains_text("TuningParameters[1].Name: parameter 'for' has the name of a word"));
}

TEST_CASE("booleans are told as JSON has them", "[definition]") {
  CHECK_THAT(said(replaced(ours(), "\"Values\": \"[True, False]\"",
                           "\"Values\": [true, false], \"Default\": \"true\"")),
             contains_text("'true', a text, is not a value of FAST (true, false)"));
}

TEST_CASE("a division by zero is why no configuration is left", "[definition]") {
  const test::Folder folder;
  test::write(folder.path() / "k.cu", "extern \"C\" __global__ void k(float*, int) {}\n");
  test::write(folder.path() / "k.json", replaced(plain, "BX <= 96 or FAST", "BX % 0 == 0"));
  const KernelDefinition definition = read_definition(folder.path() / "k.json");
  const KernelInstance instance =
      instantiate(definition, definition.default_problem(), device_of_capability(90));
  CHECK_THROWS_WITH(refuse_empty(build_space(instance)),
                    contains_text("'BX % 0 == 0' (a division by zero does not)"));
}

TEST_CASE("the folder above is the same however the file is named", "[definition]") {
  const test::Folder folder;
  fs::create_directories(folder.path() / "def/below");
  test::write(folder.path() / "k.cu", "extern \"C\" __global__ void k(float*, int) {}\n");
  test::write(folder.path() / "def/k.json", plain);
  const fs::path before = fs::current_path();
  fs::current_path(folder.path() / "def/below");
  for (const char* name : {"../k.json", "../../def/k.json", ".././k.json"}) {
    INFO(name);
    CHECK(fs::equivalent(read_definition(name).source, folder.path() / "k.cu"));
  }
  fs::current_path(folder.path() / "def");
  for (const char* name : {"k.json", "./k.json"}) {
    INFO(name);
    CHECK(fs::equivalent(read_definition(name).source, folder.path() / "k.cu"));
  }
  test::write(folder.path() / "def/k.json", replaced(plain, "k.cu", "/etc/hostname"));
  std::string refusal;
  try {
    read_definition("./k.json");
  } catch (const InputError& error) {
    refusal = error.what();
  }
  fs::current_path(before);
  CHECK_THAT(refusal,
             contains_text("may read (" + fs::canonical(folder.path() / "def").string() + ");"));
}

TEST_CASE("slips in our section are errors", "[definition]") {
  const auto error_of = [](const std::string& section) { return said(ours(section)); };
  CHECK_THAT(error_of(R"("WorkModl": {"Bytes": 1})"), contains_text("did you mean 'WorkModel'?"));
  CHECK(
      said(replaced(ours(R"("Extents": [])"), "Gridsmith", "GridSmith")) ==
      "error: k.json: unknown section 'GridSmith'; did you mean 'Gridsmith'? (valid: Gridsmith)\n");
  CHECK_THAT(error_of(R"("Extents": ["a"], "Extents": ["b"])"),
             contains_text("error: k.json: Gridsmith.Extents: appears twice"));
  CHECK_THAT(error_of(R"("WorkModel": {"Bytes": 1, "Bytes": 2})"),
             contains_text("error: k.json: Gridsmith.WorkModel.Bytes: appears twice"));
  CHECK_THAT(error_of(R"("AutomaticShape": {"Dimensions": 1})"),
             contains_text("LocalSize.X is 'BX'; omit one of the two, or write 'block_size_x'"));
  CHECK(said(replaced(ours(R"("AutomaticShape": {"Dimensions": 1})"), "\"X\": \"BX\"",
                      "\"X\": \"block_size_x\"")) == "");
  const std::string reference = R"("Reference": {"Kernel": "r"})";
  CHECK(error_of(reference) == "");
  CHECK_THAT(said(replaced(ours(reference), ", \"Output\": 1", "")),
             contains_text("error: k.json: Gridsmith.Reference: no argument is marked"));
  CHECK_THAT(error_of(R"("Reference": {"Kernel": "r", "Source": "no.cu"})"),
             contains_text("error: k.json: Gridsmith.Reference.Source: there is no no.cu"));
  CHECK_THAT(error_of(R"("Reference": {"File": "no.bin"})"),
             contains_text("error: k.json: Gridsmith.Reference.File: there is no no.bin"));
}

TEST_CASE("an output that is ReadOnly verifies nothing", "[definition]") {
  const auto with = [](const std::string& access) {
    return said(replaced(plain, "\"Output\": 1", "\"Output\": 1" + access));
  };
  CHECK_THAT(with(R"(, "AccessType": "ReadOnly")"),
             contains_text("warning: k.json: KernelSpecification.Arguments[0].AccessType: 'out' is "
                           "marked Output and is ReadOnly"));
  CHECK(with("") == "");
  CHECK(with(R"(, "AccessType": "WriteOnly")") == "");
}

TEST_CASE("fields are known by the names of other tools", "[definition]") {
  for (const char* name : {"Constraints", "Restrictions"})
    CHECK(said(replaced(ours(), "Conditions", name)) ==
          "warning: k.json: ConfigurationSpace: unknown field '" + std::string(name) +
              "'; did you mean 'Conditions'?\n");
  CHECK_THAT(said(replaced(plain, "LocalSize", "BlockSize")),
             contains_text("unknown field 'BlockSize'; did you mean 'LocalSize'?"));
}

TEST_CASE("what is no definition", "[definition]") {
  CHECK_THAT(
      said(R"({"kernel_name": "k", "tune_params": {"block_size_x": [32]}})"),
      contains_text("error: k.json: has neither ConfigurationSpace nor KernelSpecification"));
  CHECK(said("") == "error: k.json: is empty; expected a kernel definition in JSON\n");
  CHECK_THAT(said(std::string("\xFF\xFE{\0", 4)), contains_text("is in UTF-16; save it as UTF-8"));
  CHECK_THAT(said(std::string("{\0}\0", 4)), contains_text("is in UTF-16"));
  CHECK_THAT(said("SQLite format 3"), contains_text("is a store of measurements"));
  for (const char* table : {"==PROF== Connected to process 88\n", "\"ID\",\"Process ID\",\"CC\"\n",
                            "Time(%),Total Time (ns),Name\n1,2,k\n"})
    CHECK_THAT(said(table), contains_text("is a profile or another table; 'gridsmith show' and"));
  CHECK_THAT(said("prose, not a table, at all\n"), contains_text("malformed JSON"));
  CHECK_THAT(said("// gridsmith header 2, sha256 0\n"),
             contains_text("k.json: is a header of Gridsmith's, which 'gridsmith show' and"));
  CHECK_THAT(said(R"({"gridsmith recording": 1})"), contains_text("is a recording"));
  CHECK_THAT(said(R"({"results": []})"), contains_text("'gridsmith tune --recording FILE'"));
  CHECK_THAT(said("{\n \"a\": 1e400}"),
             contains_text("k.json:2:7: malformed JSON: number overflow"));
  CHECK_THAT(said("{ # no comment\n}"), contains_text("k.json:1:3: malformed JSON"));
  CHECK_THAT(said("2-"), contains_text("k.json:1:1: malformed JSON: '2-' is no number"));
  CHECK_THAT(said("nullf"), contains_text("k.json:1:1: malformed JSON: 'nullf' is no value"));
  CHECK_THAT(said("{ # no comment\n}"), contains_text("; JSON has no # comments, // are skipped"));
  CHECK_THAT(said("{\"a\": True}"), contains_text("; JSON writes true, false and null"));
  for (const char* yaml : {"---\nGeneral:\n", "General:\n  BenchmarkName: k\n"})
    CHECK_THAT(said(yaml), contains_text("this looks like YAML, a definition is JSON"));
  for (const char* toml : {"[General]\nname = 'k'\n", "name = 'k'\n"})
    CHECK_THAT(said(toml), contains_text("this looks like TOML, a definition is JSON"));
  CHECK_THAT(said("\x1F\x8B\x08"), contains_text("is packed with gzip; unpack it first"));
  for (const std::string& foreign :
       {"{\"a\": " + std::string(1'000'000, '1') + "}", "{\"a\": \"" + std::string(1'000'000, 'a')})
    CHECK(said(foreign).size() < 300);
  const std::string deep = replaced(plain, "BX <= 96", std::string(20'000, '(') + "1");
  CHECK(said(deep).size() < 400);
  const auto error_of = [](const fs::path& file) {
    try {
      read_definition(file);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const test::Folder folder;
  CHECK_THAT(error_of(folder.path()), contains_text(": is a folder; expected"));
  CHECK_THAT(error_of("/dev/null"), contains_text(": is a device; expected"));
  CHECK_THAT(error_of(folder.path() / "none"), contains_text("cannot be read: No such file"));
  test::write(folder.path() / "k.cu", "void k();");
  CHECK_THAT(error_of(folder.path() / "k.cu"), contains_text("is a source; give the kernel def"));
}

TEST_CASE("our section takes no macro away that the source uses", "[definition]") {
  const test::Folder folder;
  test::write(folder.path() / "h.h", "int blocks = grid_size_x;\n");
  test::write(folder.path() / "k.cu", "#include \"h.h\"\n#ifdef kernel_tuner\n#endif\n");
  test::write(folder.path() / "k.json", ours());
  const auto instance =
      instantiate(read_definition(folder.path() / "k.json"), {{1000}}, device_of_capability(90));
  const auto options =
      compile_request(instance, {{"BX", std::int64_t{64}}, {"FAST", true}}).options;
  CHECK(options ==
        std::vector<std::string>{"-DBX=64", "-DFAST=true", "-Dgrid_size_x=16", "-Dkernel_tuner=1"});
}

TEST_CASE("which file a name means", "[definition]") {
  const test::Folder place;
  const fs::path catalogue = place.path() / "catalogue", here = place.path() / "here";
  for (const fs::path& folder : {catalogue / "a", here / "a", here / "several", here / "none"})
    fs::create_directories(folder);
  for (const char* file : {"catalogue/a/a.json", "here/a/a.json", "here/a/b.json", "here/own.json",
                           "here/a.json", "here/several/x.json", "here/several/y.json"})
    test::write(place.path() / file, "{}");
  const fs::path before = fs::current_path();
  REQUIRE(::chdir(here.c_str()) == 0);
  const auto found = [&](const std::string& name) -> std::string {
    try {
      return find_definition(name, catalogue).string();
    } catch (const InputError& error) {
      return error.what();
    }
  };
  CHECK(found("a") == (catalogue / "a/a.json").string());
  CHECK(found("./a") == "./a/a.json");
  CHECK(found("a/") == "a/a.json");
  CHECK(found("a.json") == "a.json");
  CHECK(found("own.json") == "own.json");
  CHECK_THAT(found("several"), contains_text("several JSON files; name one of x.json, y.json"));
  CHECK_THAT(found("./none"),
             contains_text("./none: is a folder without a kernel definition, none"));
  CHECK(found("own") == "unknown kernel 'own'; did you mean the file ./own.json?");
  CHECK_THAT(found("own.jsn"), contains_text("unknown kernel 'own.jsn'"));
  CHECK(found("./own") == "./own: no such file; did you mean ./own.json?");
  CHECK_THAT(found("no/own.json"), contains_text("no/own.json: no such file"));
  CHECK_THAT(found(""), contains_text("unknown kernel ''"));
  CHECK_THAT(find_definition("a/b.json", "/nowhere").string(), contains_text("a/b.json"));
  try {
    find_definition("transpose", "/nowhere");
    FAIL("found");
  } catch (const InputError& error) {
    CHECK_THAT(error.what(), contains_text("no catalogue found next to"));
  }
  REQUIRE(::chdir(before.c_str()) == 0);
}

TEST_CASE("parameters that nothing asks for", "[definition]") {
  const auto unused = [](const std::string& source, const std::string& text = plain) {
    const test::Folder folder;
    test::write(folder.path() / "k.cu", source);
    test::write(folder.path() / "own.h", "#pragma once\n#if FAST\n#endif\n");
    test::write(folder.path() / "k.json", text);
    const KernelDefinition definition = read_definition(folder.path() / "k.json");
    return unused_parameters(
        instantiate(definition, definition.default_problem(), device_of_capability(90)));
  };
  using Names = std::vector<std::string>;
  const std::string without = replaced(
      plain, R"("Conditions": [{"Expression": "BX <= 96 or FAST", "Parameters": ["BX", "FAST"]}])",
      R"("Conditions": [])");
  CHECK(unused("__global__ void k() {}\n").empty()); // in a condition, and the launch
  CHECK(unused("__global__ void k() {} // FAST\n/* FAST\nFAST */\n", without) == Names{"FAST"});
  CHECK(unused("__global__ void k() { int SLOW_FAST = 1; }\n", without) == Names{"FAST"});
  CHECK(unused("__global__ void k() { const char* s = \"//\"; int x = FAST; }\n", without).empty());
  CHECK(unused("#include \"own.h\"\n__global__ void k() {}\n", without).empty());
  CHECK(unused("_Pragma(\"unroll FAST\")\n", without).empty());
  CHECK(unused("__global__ void k() {}\n",
               replaced(without, "\"KernelName\": \"k\"", "\"KernelName\": \"k<FAST>\""))
            .empty());
  CHECK(unused("__global__ void k() {}\n",
               replaced(without, "\"KernelName\"",
                        "\"CompilerOptions\": [\"-DX=FAST\"], \"KernelName\""))
            .empty());
  CHECK(unused("__global__ void k() {}\n", replaced(without, "[True, False]", "[True]")).empty());
}

} // namespace remarks_test
