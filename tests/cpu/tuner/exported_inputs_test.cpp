// SPDX-License-Identifier: Apache-2.0
// The data of a kernel in files: what a worker is filled with, read back by what reads such files.
#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/filling.hpp"
#include "gridsmith/kernels/inputs/element_bits.hpp"
#include "gridsmith/kernels/inputs/element_file.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"
#include "gridsmith/tuner/inspection/exported_inputs.hpp"

#include <nlohmann/json.hpp>

#include <cstring>

namespace exported_inputs_test {

using namespace gridsmith;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

const fs::path shipped_catalogue = GRIDSMITH_SOURCE_DIR "/kernels/catalogue";

KernelInstance instance_of(const std::string& kernel, const ProblemSize& problem) {
  return instantiate(read_definition(find_definition(kernel, shipped_catalogue)), problem,
                     device_of_capability(90));
}

/// Bits of the elements of a file that was written, by the reader of a definition's files.
std::vector<std::uint64_t> elements_of(const fs::path& file, ElementType type,
                                       std::uint64_t count) {
  const std::string bytes = read_elements(file, {fs::canonical(file.parent_path())}, type, count);
  std::vector<std::uint64_t> all(count);
  for (std::uint64_t i = 0; i < count; ++i)
    std::memcpy(&all[i], &bytes[i * size_of(type)], size_of(type));
  return all;
}

Json list_in(const fs::path& folder) {
  return Json::parse(test::read_file(folder / "inputs.json"));
}

std::string refusal(const KernelInstance& instance, const fs::path& folder,
                    const InputExport& how = {}) {
  try {
    export_inputs(instance, folder, how);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("files hold the bits that a worker is filled with") {
  const test::Folder folder;
  for (const std::string kernel : {"spmv", "histogram_skewed", "attention_half", "merge_sort"}) {
    INFO(kernel);
    const KernelDefinition definition = read_definition(find_definition(kernel, shipped_catalogue));
    ProblemSize problem = definition.default_problem();
    problem.extents.assign(problem.extents.size(), 64);
    const KernelInstance instance = instantiate(definition, problem, device_of_capability(90));
    const std::vector<ArgumentSpec> arguments = argument_specs(instance);
    export_inputs(instance, folder.path() / kernel / "deep", {.seed = 7});
    std::size_t vectors = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i].buffer || arguments[i].buffer->access == Access::write_only)
        continue;
      ++vectors;
      const BufferSpec& spec = *arguments[i].buffer;
      const auto read = elements_of(folder.path() / kernel / "deep" / (spec.name + ".npy"),
                                    spec.type, spec.elements);
      bool same = true;
      for (std::uint64_t at = 0; at < spec.elements; ++at)
        same = same && value_of_bits(spec.type, read[at]) == filled_value(spec, 7, i, at);
      CHECK(same);
    }
    CHECK(vectors > 0);
  }
}

TEST_CASE("the expected output of a kernel of the catalogue goes with its input") {
  const test::Folder folder;
  constexpr std::uint64_t m = 33, n = 17;
  const ExportedInputs written = export_inputs(instance_of("transpose", {{m, n}}), folder.path());
  CHECK(written.files == std::vector<fs::path>{folder.path() / "in.npy",
                                               folder.path() / "out.expected.npy",
                                               folder.path() / "inputs.json"});
  CHECK(written.too_slow.empty());
  const auto in = elements_of(folder.path() / "in.npy", ElementType::float32, m * n);
  const auto out = elements_of(folder.path() / "out.expected.npy", ElementType::float32, m * n);
  for (std::uint64_t row = 0; row < m; ++row)
    for (std::uint64_t column = 0; column < n; ++column)
      REQUIRE(out[column * m + row] == in[row * n + column]);
  CHECK(in[0] != in[1]);
  const Json list = list_in(folder.path());
  CHECK(list["kernel"] == "transpose");
  CHECK(list["problem"] == Json{m, n});
  CHECK(list["seed"] == 1);
  CHECK(list["arguments"] == Json::parse(R"([
    {"name": "in", "type": "float32", "elements": 561, "file": "in.npy"},
    {"name": "out", "type": "float32", "elements": 561, "expected": "out.expected.npy",
     "tolerance": {"absolute": 0.0, "relative": 0.0, "magnitude": 0.0}},
    {"name": "m", "type": "int32", "value": 33},
    {"name": "n", "type": "int32", "value": 17}])"));
  // The head is as NumPy writes it.
  const std::string head = test::read_file(folder.path() / "in.npy").substr(0, 128);
  CHECK(head.substr(0, 10) == std::string("\x93NUMPY\1\0\x76\0", 10));
  CHECK(head.substr(10, 59) == "{'descr': '<f4', 'fortran_order': False, 'shape': (561,), }");
  CHECK(head.back() == '\n');
}

TEST_CASE("an output whose formula takes too long has no file, and is named") {
  const test::Folder folder;
  const ExportedInputs written =
      export_inputs(instance_of("matmul", {{512, 512, 512}}), folder.path(),
                    {.formula_time = std::chrono::seconds(0)});
  CHECK(written.too_slow == std::vector<std::string>{"c"});
  CHECK_FALSE(fs::exists(folder.path() / "c.expected.npy"));
  CHECK(fs::exists(folder.path() / "a.npy"));
}

TEST_CASE("what is in the way is told before anything is written") {
  const test::Folder folder;
  const KernelInstance instance = instance_of("transpose", {{4, 4}});
  test::write(folder.path() / "file", "");
  CHECK(refusal(instance, folder.path() / "file") ==
        (folder.path() / "file").string() +
            ": is a file; expected a folder, or a name for a new one");
  CHECK_THAT(refusal(instance, folder.path() / "file" / "deep"),
             contains_text("this folder cannot be made: "));
  test::write(folder.path() / "out.expected.npy", "mine");
  CHECK(refusal(instance, folder.path()) == (folder.path() / "out.expected.npy").string() +
                                                ": exists, and is not replaced without --force");
  CHECK_FALSE(fs::exists(folder.path() / "in.npy"));
  CHECK(export_inputs(instance, folder.path(), {.replace = true}).files.size() == 3);
  CHECK(export_inputs(instance, folder.path(), {.replace = true}).files.size() == 3);
  fs::remove(folder.path() / "in.npy");
  fs::create_directory(folder.path() / "in.npy");
  CHECK_THAT(refusal(instance, folder.path(), {.replace = true}),
             contains_text("in.npy: is no file that can be replaced"));
  CHECK_THAT(
      refusal(instance_of("transpose", {{1 << 24, 1 << 24}}), folder.path() / "new"),
      contains_text("transpose at 16777216x16777216: in.npy has 1.126 PB, too much for the "));
  CHECK_FALSE(fs::exists(folder.path() / "new"));
}

TEST_CASE(
    "files that the definition reads are never replaced, and what is written can be read by one") {
  const test::Folder folder;
  const auto define = [&](const std::string& file, const std::string& reference) {
    test::write(folder.path() / "k.cu", "extern \"C\" __global__ void k() {}\n");
    test::write(folder.path() / "k.json", R"({
      "ConfigurationSpace": {"TuningParameters": [{"Name": "X", "Type": "int", "Values": [1]}]},
      "KernelSpecification": {"Language": "CUDA", "KernelName": "k", "KernelFile": "k.cu", "ProblemSize": [32],
        "LocalSize": {"X": "32"}, "Arguments": [
          {"Name": "a", "Type": "int16", "MemoryType": "Vector", "Size": "m", "AccessType": "ReadOnly"},
          {"Name": "b", "Type": "half", "MemoryType": "Vector", "Size": "m", "AccessType": "WriteOnly", "Output": 1},
          {"Name": "s", "Type": "float", "MemoryType": "Scalar", "FillValue": 0.1}]},
      "Gridsmith": {"Extents": ["m"], "Inputs": {"a": )" +
                                              file + R"(}, "Reference": )" + reference + "}}");
    return instantiate(read_definition(folder.path() / "k.json"), {{32}}, device_of_capability(90));
  };
  const KernelInstance made =
      define(R"({"Fill": "uniform", "From": -5, "To": 5})", R"({"Element": "a[i] / 4 + s"})");
  export_inputs(made, folder.path() / "data");
  const std::string a = test::read_file(folder.path() / "data" / "a.npy"),
                    b = test::read_file(folder.path() / "data" / "b.expected.npy");
  CHECK(list_in(folder.path() / "data")["arguments"][2]["value"] == static_cast<double>(0.1f));
  const KernelInstance read =
      define(R"({"File": "data/a.npy"})", R"({"File": "data/b.expected.npy"})");
  export_inputs(read, folder.path() / "again");
  CHECK(test::read_file(folder.path() / "again" / "a.npy") == a);
  CHECK(test::read_file(folder.path() / "again" / "b.expected.npy") == b);
  CHECK(refusal(read, folder.path() / "data", {.replace = true}) ==
        (folder.path() / "data" / "a.npy").string() + ": is read by the definition");
}

} // namespace exported_inputs_test
