// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/files.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>

namespace definition_test {

using namespace gridsmith;

namespace {

const std::filesystem::path shared = GRIDSMITH_SOURCE_DIR "/../shared";

class Folder : public test::Folder {
public:
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((*this / name).parent_path());
    test::write(*this / name, text);
    return *this / name;
  }
};

/// A small definition with one piece replaced.
std::string small(const std::string& from = "", const std::string& to = "") {
  std::string text = R"gs({
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "block_size_x", "Type": "int", "Values": "list(range(32, 129, 32))", "Default": 64},
      {"Name": "TYPE", "Type": "string", "Values": ["float", "double"]}
    ],
    "Conditions": [{"Expression": "block_size_x <= 96 or TYPE == 'float'", "Parameters": []}]
  },
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "k", "KernelFile": "k.cu",
    "ProblemSize": [1000, 10],
    "GridDivX": ["block_size_x"],
    "Arguments": [
      {"Name": "a", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly",
       "FillType": "Random", "FillValue": 2.0, "Size": "ProblemSize[0] * max(block_size_x)"},
      {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 7}
    ]
  },
  "Gridsmith": {"Extents": ["width", "height"], "Scalars": {"n": "width"}}
})gs";
  if (!from.empty())
    text.replace(text.find(from), from.size(), to);
  return text;
}

std::string error_of(const std::string& text) {
  const Folder folder;
  try {
    read_definition(folder.write("k.json", text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

bool contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos)
    return true;
  std::cerr << "expected '" << part << "' in: " << text << '\n';
  return false;
}

} // namespace

TEST_CASE("a T1 file with conditions", "[definition]") {
  const auto definition = read_definition(GRIDSMITH_SOURCE_DIR "/tests/data/scaled_copy.t1.json");
  CHECK(definition.community);
  CHECK(definition.runnable());
  CHECK(definition.kernel == "scaled_copy");
  CHECK(definition.source.filename() == "scaled_copy.cu");
  CHECK(definition.problem_sizes == std::vector<ProblemSize>{{{1048576}}});
  CHECK(definition.arguments.size() == 4);
  CHECK(definition.arguments.at(0).output);
  CHECK(definition.constraints.size() == 2);
  const Device device = device_of_capability(80);
  const SearchSpace space = build_space(instantiate(definition, {{1048576}}, device));
  CHECK(space.product() == 24);
  CHECK(space.size() == 14);
}

TEST_CASE("the community's T1 files are read unchanged", "[.][needs:shared]") {
  const Device device = device_of_capability(80);
  const auto convolution = read_definition(shared / "spaces/t1/convolution_milo.json");
  CHECK(convolution.community);
  CHECK(convolution.runnable());
  CHECK(convolution.kernel == "convolution_kernel");
  CHECK(convolution.problem_sizes == std::vector<ProblemSize>{{{4096, 4096}}});
  CHECK(find_value(convolution.defaults, "filter_width"));
  CHECK(convolution.arguments.at(2).constant_memory);
  CHECK(convolution.arguments.at(0).output);
  CHECK_FALSE(convolution.grid[0]); // GlobalSize is stale beside GridDiv
  CHECK(build_space(instantiate(convolution, {{4096, 4096}}, device)).size() == 4362);
  const auto dedispersion = read_definition(shared / "spaces/t1/dedispersion_milo.json");
  CHECK(build_space(instantiate(dedispersion, {{25000, 2048, 1}}, device)).size() == 11130);
}

TEST_CASE("a small definition", "[definition]") {
  const Folder folder;
  const auto definition = read_definition(folder.write("deep/k.json", small()));
  CHECK(definition.name == "k");
  CHECK_FALSE(definition.community);
  CHECK(definition.parameters.at(0).values.size() == 4);
  CHECK(definition.extent_names == std::vector<std::string>{"width", "height"});
  CHECK(definition.arguments.at(0).fill == Fill::random);
  CHECK(definition.arguments.at(0).fill_value == 2.0);
  CHECK(definition.arguments.at(1).value->text() == "width");
  CHECK_FALSE(definition.reference.any());
}

TEST_CASE("the source is looked for beside the definition, then above", "[definition]") {
  const Folder folder;
  const auto above = folder.write("k.cu", "// above");
  const auto file = folder.write("deep/k.json", small());
  CHECK(std::filesystem::equivalent(read_definition(file).source, above));
  const auto beside = folder.write("deep/k.cu", "// beside");
  CHECK(std::filesystem::equivalent(read_definition(file).source, beside));
}

TEST_CASE("errors name file, field and column", "[definition]") {
  CHECK(contains(error_of("{\n  \"a\": 1,\n  oops\n}"), "k.json:3:3: malformed JSON"));
  CHECK(contains(error_of("[1]"), "expected an object"));
  CHECK(contains(error_of("{}"), "has neither ConfigurationSpace nor KernelSpecification"));
  CHECK(contains(error_of(small("block_size_x <= 96", "block_sizex <= 96")),
                 "ConfigurationSpace.Conditions[0].Expression"));
  CHECK(contains(error_of(small("block_size_x <= 96", "block_sizex <= 96")),
                 "column 1: unknown name 'block_sizex'; did you mean 'block_size_x'?"));
  CHECK(contains(error_of(small("block_size_x <= 96", "block_size_x <= ")), "column"));
  CHECK(contains(error_of(small("list(range(32, 129, 32))", "list(rang(32))")),
                 "TuningParameters[0].Values"));
  CHECK(contains(error_of(small("\"Extents\"", "\"Extent\"")),
                 "Gridsmith: unknown field 'Extent'; did you mean 'Extents'?"));
  CHECK(contains(error_of(small("[\"width\", \"height\"]", "[\"width\"]")),
                 "Gridsmith.Extents: has 1 name, and "));
  CHECK(contains(error_of(small("[\"width\", \"height\"]", "[\"width\", \"TYPE\"]")),
                 "'TYPE' is a parameter already"));
  CHECK(contains(error_of(small("{\"n\": \"width\"}", "{\"m\": \"width\"}")), "Gridsmith.Scalars"));
  CHECK(contains(error_of(small("{\"n\": \"width\"}", "{\"n\": \"block_size_x\"}")),
                 "unknown name 'block_size_x'"));
  CHECK(contains(error_of(small("\"float\", \"MemoryType\": \"Vector\"",
                                "\"flot\", \"MemoryType\": \"Vector\"")),
                 "Arguments[0].Type: unknown type 'flot'; did you mean 'float'?"));
  CHECK(
      contains(error_of(small("[1000, 10]", "[1000, -1]")), "ProblemSize[1]: expected a positive"));
  CHECK(contains(error_of(small("\"Extents\"", "\"ProblemSizes\": [[8]], \"Extents\"")),
                 "ProblemSizes[0]: 8 has another number of extents than 1000x10"));
}

TEST_CASE("numbers beyond 64 bits and deep nesting are refused", "[definition]") {
  const auto with = [](const std::string& values) {
    return error_of(small("\"list(range(32, 129, 32))\"", values));
  };
  for (const char* values : {"[1, 9223372036854775808]", "[18446744073709551615]",
                             "[32, 1180591620717411303424]", "[-9223372036854775809, -1e300]"}) {
    INFO(values);
    CHECK(contains(with(values), "TuningParameters[0].Values"));
    CHECK(contains(with(values),
                   "too large; numbers lie between -9223372036854775808 and 9223372036854775807"));
  }
  CHECK(contains(with("\"[1, 2**70]\""), "Values: expression '[1, 2**70]'"));
  CHECK(contains(with("\"[1, 2**70]\""), "the result has more than 64 bits"));
  CHECK(contains(with("\"[1, 1e308 * 10]\""), "a value must be finite"));
  CHECK(contains(with("[1e999]"), "malformed JSON"));
  CHECK(contains(error_of(std::string(100'000, '[')), "nested too deeply, the limit is 100"));
  CHECK(contains(with(std::string(200, '[') + std::string(200, ']')), "nested too deeply"));
}

TEST_CASE("errors of the reference and of automatic shapes", "[definition]") {
  const auto with = [](const std::string& field) {
    return error_of(small("\"Extents\"", field + ", \"Extents\""));
  };
  CHECK(contains(with(R"("Reference": {"AbsoluteTolerance": 1})"), "is needed"));
  CHECK(contains(with(R"("Reference": {"Element": "1", "Grid": ["1"]})"),
                 "is valid only with Kernel"));
  CHECK(contains(with(R"("Reference": {"Kernel": "r", "Values": {"TYP": 1}})"),
                 "did you mean 'TYPE'?"));
  CHECK(contains(with(R"("Reference": {"Kernel": "r", "RelativeTolerance": -1})"), "negative"));
  CHECK(contains(with(R"("AutomaticShape": {"Dimensions": 4})"), "expected 1, 2 or 3"));
  CHECK(contains(with(R"("AutomaticShape": {"Dimensions": 1})"),
                 "parameter 'block_size_x' is left to Gridsmith and tuned by hand"));
  CHECK(contains(with(R"("WorkModel": {"Flops": "2 * widht"})"), "did you mean 'width'?"));
}

TEST_CASE("counters and metrics of a definition's own", "[definition]") {
  const auto with = [](const std::string& fields) {
    return small("\"Extents\"", fields + ", \"Extents\"");
  };
  const Folder folder;
  folder.write("k.cu", "");
  const OwnMetrics own = read_definition(folder.write("k.json", with(R"(
    "Counters": {"barriers": "smsp__inst_executed_op_barrier.sum"},
    "Metrics": [{"Name": "per_warp", "Formula": "barriers / warps", "Unit": "b", "Better": "lower"},
                {"Name": "per_ms", "Formula": "per_warp * sm_count / time_ms", "Source": "mine"}])")))
                             .own_metrics;
  REQUIRE(own.counters.size() == 1);
  CHECK(own.counters[0].cupti == "smsp__inst_executed_op_barrier.sum");
  REQUIRE(own.metrics.size() == 2);
  CHECK(own.metrics[0].formulas == std::vector<std::string>{"barriers / warps"});
  CHECK(own.metrics[0].better == Better::lower);
  CHECK(own.metrics[0].unit == "b");
  CHECK(own.metrics[0].source == "the definition");
  CHECK(own.metrics[1].better == Better::neither);
  CHECK(own.metrics[1].source == "mine");

  const auto better = [&](const std::string& formula) {
    return read_definition(folder.write("b.json", with(R"("Metrics": [{"Name": "m", "Formula": ")" +
                                                       formula + "\"}]")))
        .own_metrics.metrics.at(0)
        .better;
  };
  CHECK(better("2 * width * height / time_ms / 1e6") == Better::higher);
  CHECK(better("time_ms / ProblemSize[1]") == Better::lower);
  CHECK(better("time_ms * block_size_x + 1") == Better::lower);
  CHECK(better("(width - 100) / time_ms") == Better::neither); // rises at some widths
  CHECK(better("time_ms * warps") == Better::neither);
  CHECK(better("width") == Better::neither);
  CHECK(better("1 / (time_ms - 10)") == Better::neither);

  const auto wrong = [&](const std::string& fields) { return error_of(with(fields)); };
  CHECK(
      contains(wrong(R"("Counters": {"warps": "a__b.sum"})"), "Counters.warps: 'warps' is taken"));
  CHECK(contains(wrong(R"("Counters": {"1st": "a__b.sum"})"), "begins with no digit"));
  CHECK(
      contains(wrong(R"("Counters": {"b": "barriers"})"), "expected CUPTI's name with its rollup"));
  const auto metric = [&](const std::string& fields) {
    return wrong(R"("Metrics": [{"Name": "m", )" + fields + "}]");
  };
  CHECK(contains(
      metric(R"("Formula": "warp + 1")"),
      "Metrics[0].Formula: 'warp + 1': column 1: unknown counter or metric 'warp'; did you "
      "mean 'warps'?"));
  CHECK(contains(metric(R"("Formula": "1 +")"), "Metrics[0].Formula"));
  CHECK(contains(metric(R"("Formula": "time_ms * TYPE")"), "the values of 'TYPE' are texts"));
  CHECK(contains(metric(R"("Formula": "ProblemSize[2]")"), "unknown counter or metric"));
  CHECK(contains(wrong(R"("Metrics": [{"Name": "width", "Formula": "warps"}])"),
                 "'width' is taken by a parameter, an extent"));
  CHECK(contains(metric(R"("Formula": "m + 1")"), "unknown counter or metric 'm'"));
  CHECK(contains(metric(R"("Formula": "warps", "Better": "more")"), "higher"));
  CHECK(contains(metric(R"("Formula": "warps", "Units": "b")"), "did you mean 'Unit'?"));
  CHECK(contains(wrong(R"("Metrics": [{"Name": "ipc", "Formula": "warps"}])"), "'ipc' is taken"));
  CHECK(contains(wrong(R"("Metrics": [{"Name": "ipc2"}])"), "Formula"));
}

TEST_CASE("what an element is, and what a definition is for", "[definition]") {
  // Two outputs, c that is read too; a is an input.
  const auto read = [](const std::string& fields) {
    const Folder folder;
    std::string text = small("\"Extents\"", fields + ", \"Extents\"");
    const auto add = [&](const std::string& name, const std::string& access) {
      const std::string argument =
          R"({"Name": ")" + name + R"(", "Type": "int32", "MemoryType": )" +
          R"("Vector", "AccessType": ")" + access + R"(", "Size": "width", "Output": 1}, )";
      text.insert(text.find(R"({"Name": "n")"), argument);
    };
    add("b", "WriteOnly");
    add("c", "ReadWrite");
    return read_definition(folder.write("k.json", text));
  };
  const auto error = [&](const std::string& element) {
    try {
      read("\"Reference\": {\"Element\": " + element + "}");
    } catch (const InputError& failure) {
      return std::string(failure.what());
    }
    return std::string("no error");
  };
  const auto definition = read(R"("Description": "It teaches.", "Reference": {"Element":
      {"b": "a[i] > 0", "c": "c[i] + n + width * height"}})");
  CHECK(definition.description == "It teaches.");
  CHECK(definition.reference.any());
  CHECK(definition.reference.element.at("c") == "c[i] + n + width * height");
  CHECK(contains(error(R"("i")"),
                 R"(Element: one text is for one output; name all of them: {"b": "…)"));
  CHECK(contains(error(R"({"b": "i"})"), "Gridsmith.Reference.Element.c: required, but missing"));
  CHECK(contains(error(R"({"b": "i", "c": "i", "d": "i"})"), "Element: unknown field 'd'"));
  CHECK(
      contains(error(R"({"b": 5, "c": "i"})"), "Gridsmith.Reference.Element.b: expected a string"));
  CHECK(contains(error(R"({"b": "int(a[j]) + 0", "c": "i"})"),
                 "Element.b: expression 'int(a[j]) + 0', column 7: unknown name 'j'"));
  CHECK(contains(error(R"({"b": "b[i]", "c": "i"})"), "'b' is an output that is not ReadWrite"));
  CHECK(contains(error(R"({"b": "block_size_x", "c": "i"})"), "'block_size_x' is a parameter"));
  CHECK(contains(error(R"({"b": "sm_count", "c": "i"})"), "'sm_count' is a fact of the device"));
  CHECK(
      contains(error(R"({"b": "a[i]", "c": "i"})"), "gives a real, the elements of 'b' are int32"));
  CHECK(contains(error_of(small("\"Extents\"", R"("Description": "", "Extents")")),
                 "Gridsmith.Description: expected one to three sentences in one line"));
}

TEST_CASE("parts of expressions have names", "[definition]") {
  const Folder folder;
  const auto with = [&](const std::string& let) {
    return small("\"Scalars\": {\"n\": \"width\"}",
                 R"("Let": )" + let +
                     R"(, "Scalars": {"n": "area + 1"}, "WorkModel": {"Bytes": "4 * area"})");
  };
  // In any order; each in brackets.
  const auto definition = read_definition(
      folder.write("k.json", with(R"({"area": "side * height", "side": "width - 1"})")));
  CHECK(definition.arguments.back().value->text() == "((width - 1) * height) + 1");
  CHECK(definition.bytes->text() == "4 * ((width - 1) * height)");
  CHECK(contains(error_of(with(R"({"area": "b", "b": "2 * area"})")),
                 "Gridsmith.Let.area: is defined by itself: area, b, area"));
  CHECK(contains(error_of(with(R"({"area": "1 +"})")), "Gridsmith.Let.area: expression '1 +'"));
  CHECK(contains(error_of(with(R"({"area": "hight"})")), "did you mean 'height'?"));
  CHECK(contains(error_of(with(R"({"area": "1", "width": "2"})")),
                 "Gridsmith.Let.width: the name already means something else"));
  CHECK(contains(error_of(with(R"({"area": "1", "i": "2"})")), "'i' cannot name a part"));
  CHECK(contains(error_of(with(R"({"area": "1", "a-b": "2"})")), "'a-b' cannot name a part"));
  std::string grown = R"({"area": "p12")";
  for (int k = 12; k > 0; --k)
    grown += ", \"p" + std::to_string(k) + "\": \"p" + std::to_string(k - 1) + " + p" +
             std::to_string(k - 1) + "\"";
  CHECK(contains(error_of(with(grown + R"(, "p0": "width"})")), "more than 10000 characters"));
}

TEST_CASE("a scalar of an extent's name is that extent", "[definition]") {
  const Folder folder;
  std::string text =
      small("\"n\", \"Type\": \"int32\", \"MemoryType\": \"Scalar\", \"FillValue\": 7",
            "\"width\", \"Type\": \"int32\", \"MemoryType\": \"Scalar\"");
  text.replace(text.find(", \"Scalars\""), std::string::npos, "}}");
  CHECK(read_definition(folder.write("k.json", text)).arguments.back().value->text() == "width");
  text.replace(text.find("\"width\", \"Type\""), 7, "\"depth\"");
  CHECK(contains(error_of(text), "the scalar 'depth' has no value"));
}

TEST_CASE("macros that are no parameters", "[definition]") {
  const auto with = [](const std::string& macros) {
    return small("\"Extents\"", "\"Macros\": " + macros + ", \"Extents\"");
  };
  const Folder folder;
  const auto definition =
      read_definition(folder.write("k.json", with(R"({"NI": "width + 2", "B": "block_size_x"})")));
  REQUIRE(definition.macros.size() == 2);
  CHECK(definition.macros.at("NI").text() == "width + 2");
  CHECK(contains(error_of(with(R"({"NI": "widht"})")), "Gridsmith.Macros.NI: 'widht'"));
  CHECK(contains(error_of(with(R"({"NI": []})")), "Gridsmith.Macros.NI"));
  CHECK(contains(error_of(with(R"(["NI"])")), "Gridsmith.Macros"));
  CHECK(contains(error_of(with(R"({"TYPE": "width"})")), "is a parameter, and so a macro already"));
  CHECK(contains(error_of(with(R"({"N-I": "width"})")), "'N-I' cannot be a macro of the source"));
  CHECK(contains(error_of(with(R"({"int": "width"})")), "a word of C++"));
  std::string twice = with(R"({"NI": "width"})");
  twice.replace(twice.find("\"KernelFile\""), 0, R"("CompilerOptions": ["-DNI=4"], )");
  CHECK(contains(error_of(twice), "a macro of KernelSpecification.CompilerOptions, '-DNI=4'"));
}

TEST_CASE("what is verified, within which tolerance, and what the reference is passed",
          "[definition]") {
  const auto with = [](const std::string& fields) {
    std::string text = small("\"Extents\"", fields + ", \"Extents\"");
    for (const char* name : {"b", "c"})
      text.insert(text.find(R"({"Name": "n")"),
                  std::string(R"({"Name": ")") + name +
                      R"(", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", )" +
                      R"("Size": "width", "Output": 1}, )");
    return text;
  };
  const Folder folder;
  const auto definition = read_definition(folder.write(
      "k.json",
      with(R"gs("Verify": {"b": "i < n"}, "Reference": {"Kernel": "r", "AbsoluteTolerance": 0,
              "RelativeTolerance": {"c": 0.5}, "MagnitudeTolerance": 1e-3,
              "Arguments": ["c", {"Name": "count", "Type": "double", "Value": "sqrt(width)"}, "a"]})gs")));
  const Argument &b = definition.arguments[1], &c = definition.arguments[2];
  CHECK(b.verified == "i < n");
  CHECK(c.verified.empty());
  CHECK(b.tolerance.absolute == 0);
  CHECK(b.tolerance.relative == 1e-4);
  CHECK(c.tolerance.relative == 0.5);
  CHECK(c.tolerance.magnitude == 1e-3);
  REQUIRE(definition.reference.arguments.size() == 3);
  CHECK(definition.reference.arguments[1].type == ElementType::float64);
  CHECK(definition.reference.arguments[2].name == "a");
  CHECK(contains(error_of(with(R"("Verify": {"b": "a[i] > 0"})")),
                 "Gridsmith.Verify.b: reads 'a'; which elements are verified depends on i alone"));
  CHECK(contains(error_of(with(R"("Verify": "i < n")")), "name those that are meant"));
  CHECK(contains(error_of(with(R"("Verify": {"a": "i"})")), "Verify: unknown field 'a'"));
  CHECK(contains(error_of(with(R"("Reference": {"Kernel": "r", "Arguments": ["d"]})")),
                 "Reference.Arguments[0]: unknown argument 'd'"));
  CHECK(contains(
      error_of(with(
          R"("Reference": {"Kernel": "r", "Arguments": [{"Name": "a", "Type": "int", "Value": 1}]})")),
      "'a' is an argument of the tuned kernel; give its name alone"));
  CHECK(contains(
      error_of(with(R"("Reference": {"Element": {"b": "1", "c": "1"}, "Arguments": ["a"]})")),
      "is valid only with Kernel"));
  CHECK(contains(error_of(with(R"("Reference": {"Kernel": "r", "AbsoluteTolerance": {"a": 1}})")),
                 "AbsoluteTolerance: unknown field 'a'"));
}

TEST_CASE("KTT's generators, files and references", "[definition]") {
  const auto plain = [](const std::string& arguments, const std::string& more = "") {
    return R"({"ConfigurationSpace": {"TuningParameters": [{"Name": "A", "Type": "int", "Values": "[1, 2]", "Default": 3},
                {"Name": "A", "Type": "int", "Values": "[1, 2]", "Default": 3}]},
              "KernelSpecification": {"Language": "CUDA", "KernelName": "k", "KernelFile": "k.cu", "ProblemSize": [100],
                "CompilerOptions": [""], "Arguments": [)" +
           arguments + "]" + more + "}}";
  };
  const std::string out =
      R"({"Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": "100", "FillType": "Constant"})";
  const auto generated = [](const std::string& source) {
    return R"({"Name": "x", "Type": "float", "MemoryType": "Vector", "Size": 100, "FillType": "Generator", "DataSource": ")" +
           source + "\"}, ";
  };
  const Folder folder;
  const auto definition = read_definition(folder.write(
      "k.json",
      plain(
          generated("1+(i//4)*(0.1 + 0.05*(i%4)) if i%4 < 3 else ((i//4)%10)*0.1") + out,
          R"(, "ReferenceArguments": [{"TargetName": "arg1", "FillType": "Generator", "DataSource": "2 * i + 3",
               "ValidationMethod": "SideBySideRelativeComparison", "ValidationThreshold": 0.01}])")));
  CHECK(definition.parameters.size() == 1); // alike, and so one
  CHECK(definition.defaults.empty());       // 3 is none of its values
  CHECK(definition.compiler_options.empty());
  REQUIRE(definition.arguments.size() == 2);
  CHECK(definition.arguments[0].input->fill == Fill::expression);
  CHECK(definition.arguments[1].name == "arg1");
  CHECK(definition.arguments[1].output);
  CHECK(definition.arguments[1].tolerance.relative == 0.01);
  CHECK(definition.reference.element.at("arg1") == "2 * i + 3");
  CHECK(contains(error_of(plain(generated("[j for j in range(3)]") + out)),
                 "of Python only arithmetic of i has a meaning here"));
  CHECK(contains(
      error_of(plain(
          R"({"Name": "x", "Type": "float", "MemoryType": "Vector", "Size": 9, "FillType": "Script"})")),
      "a script would be run, which Gridsmith does for no definition"));
  CHECK(contains(error_of(R"({"configurationSpace": {}, "kernelSpecification": {}})"),
                 "has 'configurationSpace': an older form"));
  const auto missing = read_definition(folder.write(
      "m.json",
      plain(
          R"({"Name": "x", "Type": "float", "MemoryType": "Vector", "Size": 100, "FillType": "BinaryRaw", "DataSource": "x.bin"}, )" +
          out)));
  CHECK(missing.arguments[0].input->fill == Fill::file);
}

TEST_CASE("names of the catalogue", "[definition]") {
  const std::filesystem::path folder = GRIDSMITH_SOURCE_DIR "/kernels/catalogue";
  CHECK(find_definition("transpose", folder) == folder / "transpose/transpose.json");
  CHECK_THROWS_AS(find_definition("transpos", folder), InputError);
  CHECK_THROWS_AS(find_definition("nowhere/x.json", folder), InputError);
}

} // namespace definition_test
