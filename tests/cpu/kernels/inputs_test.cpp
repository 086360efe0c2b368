// SPDX-License-Identifier: Apache-2.0
// "Inputs" of a definition: what is read, what it means for one problem size, and which slips are
// answered in one line.
#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/filling.hpp"
#include "gridsmith/kernels/definition/input_specs.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"

#include <nlohmann/json.hpp>

#include <fstream>

namespace inputs_test {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

using Json = nlohmann::json;

const Json definition = Json::parse(R"gs({
  "ConfigurationSpace": {"TuningParameters": [{"Name": "X", "Type": "int", "Values": [1, 2]}]},
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "k", "KernelFile": "k.cu", "ProblemSize": [64, 16],
    "LocalSize": {"X": "32"},
    "Arguments": [
      {"Name": "a", "Type": "int32", "MemoryType": "Vector", "Size": "m * n"},
      {"Name": "b", "Type": "uint8", "MemoryType": "Vector", "Size": "m + 1"},
      {"Name": "r", "Type": "float", "MemoryType": "Vector", "Size": "m * n", "FillType": "Random", "FillValue": 3},
      {"Name": "c", "Type": "half", "MemoryType": "Vector", "Size": "int(m * n * 0.125)", "MemType": "Constant"},
      {"Name": "out", "Type": "float", "MemoryType": "Vector", "Size": "m", "Output": 1},
      {"Name": "pitch", "Type": "int32", "MemoryType": "Scalar", "FillValue": 1}
    ]
  },
  "Gridsmith": {"Extents": ["m", "n"]}
})gs");

class Project {
public:
  Project() {
    put("k.cu", "extern \"C\" __global__ void k() {}\n");
    put("short.bin", "1234");
    put("b.bin", std::string(65, '\x07'));
    put("floats.npy", npy("<f4", "(64,)", 256));
    put("bytes.npy", npy("|u1", "(5, 13)", 65));
    put("columns.npy", npy("|u1", "(5, 13)", 65, "True"));
    put("cut.npy", npy("|u1", "(65,)", 64));
  }

  static std::string npy(const std::string& type, const std::string& shape, std::size_t bytes,
                         const std::string& order = "False") {
    const std::string head =
        "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
    return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(head.size()) + '\0' + head +
           std::string(bytes, '\x09');
  }

  void put(const std::string& name, const std::string& text) const {
    test::write(folder_.path() / name, text);
  }

  KernelInstance instance(const Json& json) const {
    put("k.json", json.dump());
    return instantiate(read_definition(folder_.path() / "k.json"), {{64, 16}},
                       device_of_capability(90));
  }

  std::vector<ArgumentSpec> specs(const std::string& inputs) const {
    Json json = definition;
    json["Gridsmith"]["Inputs"] = Json::parse(inputs);
    return argument_specs(instance(json));
  }

  /// Why these Inputs are refused, without the folder's name; "" when they are not.
  std::string refusal(const std::string& inputs) const {
    try {
      specs(inputs);
    } catch (const InputError& error) {
      std::string said = error.what();
      CHECK(said.find('\n') == std::string::npos);
      CHECK(said.starts_with((folder_.path() / "k.json").string() + ": Gridsmith.Inputs"));
      return said;
    }
    return "";
  }

private:
  test::Folder folder_;
};

} // namespace

TEST_CASE("slips in inputs are answered in one line with file and field") {
  const Project project;
  std::ifstream in(GRIDSMITH_SOURCE_DIR "/tests/data/wrong_inputs/inputs.txt");
  const std::string separator = " | ";
  std::size_t rows = 0;
  for (std::string line; std::getline(in, line);) {
    const std::size_t at = line.find(separator);
    if (line.starts_with("#") || at == std::string::npos)
      continue;
    INFO(line);
    CHECK_THAT(project.refusal(line.substr(0, at)),
               contains_text(line.substr(at + separator.size())));
    ++rows;
  }
  CHECK(rows >= 49);
}

TEST_CASE("what the kernel needs of its vectors is read, and kept to by the tuner's") {
  const Project project;
  const auto instance = [&](const std::string& needs, const std::string& inputs = "{}") {
    Json json = definition;
    json["Gridsmith"]["Needs"] = Json::parse(needs);
    json["Gridsmith"]["Inputs"] = Json::parse(inputs);
    return project.instance(json);
  };
  const auto refusal = [&](const std::string& needs, const std::string& inputs = "{}") {
    try {
      const KernelInstance one = instance(needs, inputs);
      launch_geometry(one, build_space(one).at(0));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const KernelInstance good = instance(R"({"a": {"Alignment": 16, "LeadingDimension": "m"}})");
  CHECK(good.definition.arguments[0].alignment->text() == "16");
  CHECK(good.definition.arguments[0].leading_dimension->text() == "m");
  CHECK(refusal(R"({"a": {"Alignment": 16}})").empty());
  CHECK_THAT(
      refusal(R"({"a": {"Alignment": 24}})"),
      contains_text("Gridsmith.Needs.a.Alignment: 24 bytes; expected a power of two up to 256"));
  CHECK_THAT(refusal(R"({"a": {"Alignment": 512}})"), contains_text("512 bytes"));
  CHECK_THAT(refusal(R"({"a": {"Alignment": "nn"}})"),
             contains_text("Gridsmith.Needs.a.Alignment"));
  CHECK_THAT(refusal(R"({"z": {"Alignment": 4}})"), contains_text("vector argument"));
  CHECK_THAT(refusal(R"({"a": {"Aligned": 4}})"), contains_text("Alignment"));
  CHECK_THAT(refusal(R"({"a": {"LeadingDimension": "m"}})", R"({"a": {"Row": "m"}})"),
             contains_text("Gridsmith.Needs.a.LeadingDimension"));
  // Vectors that begin at an Offset: what needs more is not in the space.
  const auto size = [&](const std::string& inputs) {
    return build_space(instance(R"({"a": {"Alignment": 16}})", inputs)).size();
  };
  CHECK(size(R"({"a": {"Offset": 1}})") == 0);
  CHECK(size(R"({"a": {"Offset": 16}})") == size("{}"));
}

TEST_CASE("inputs of a problem size are numbers") {
  const auto specs = Project().specs(R"({
    "a": {"Fill": "uniform", "From": "-n", "To": "m - 1", "Offset": "n // 8", "Row": "m"},
    "b": {"Fill": "csr_offsets", "Rows": "m", "Columns": "n / 2", "Density": "1 / 4", "Skew": 0.5},
    "c": {"Fill": "csr_columns", "Rows": 64, "Columns": 8, "Density": 0.25, "Skew": "0.5"},
    "r": {"Fill": "expression", "Value": "i * n + m"}})");
  const BufferSpec& a = *specs[0].buffer;
  CHECK(a.fill == Fill::uniform);
  CHECK(a.numbers.from == -16);
  CHECK(a.numbers.to == 63);
  CHECK(a.offset == 2);
  CHECK(a.row == 64);
  CHECK(specs[1].buffer->numbers.columns == 8);
  CHECK(specs[1].buffer->structure == 1);
  CHECK(specs[3].buffer->structure == 1);
  CHECK(filled_value(*specs[2].buffer, 1, 2, 5) == 5 * 16 + 64);
  CHECK(filled_value(*specs[1].buffer, 1, 1, 64) == 128);
}

TEST_CASE(
    "the fields of T1 keep their meaning, and random integers are a range where one is given") {
  const Project project;
  Json json = definition;
  const auto value = [&](std::size_t argument, const Json& fill) {
    json["KernelSpecification"]["Arguments"][argument]["FillType"] = "Random";
    json["KernelSpecification"]["Arguments"][argument]["FillValue"] = fill;
    return *argument_specs(project.instance(json))[argument].buffer;
  };
  CHECK(value(0, 1).fill == Fill::random);
  CHECK(value(0, 0.5).fill == Fill::random);
  CHECK(value(0, 9.5).fill == Fill::uniform);
  CHECK(value(0, 9.5).numbers.to == 9);
  CHECK(value(1, 1000).numbers.to == 255);
  CHECK(value(2, 9).fill == Fill::random);
  CHECK(value(2, 9).numbers.value == 9);
}

TEST_CASE("offset and row alone leave T1's fill") {
  const auto specs = Project().specs(R"({"r": {"Offset": 3, "Row": "n"}})");
  CHECK(specs[2].buffer->fill == Fill::random);
  CHECK(specs[2].buffer->numbers.value == 3);
  CHECK(specs[2].buffer->offset == 3);
  CHECK(specs[2].buffer->row == 16);
}

TEST_CASE("files bring their elements, raw and .npy") {
  const Project project;
  Json json = definition;
  for (const auto& [file, byte] : {std::pair{"b.bin", 7}, {"bytes.npy", 9}}) {
    json["Gridsmith"]["Inputs"] = {{"b", {{"File", file}}}};
    const KernelInstance instance = project.instance(json);
    auto specs = argument_specs(instance);
    CHECK_FALSE(specs[1].buffer->content);
    read_contents(instance, specs);
    REQUIRE(specs[1].buffer->content->size() == 65);
    CHECK(filled_value(*specs[1].buffer, 1, 1, 64) == byte);
  }
}

TEST_CASE("an expected output may be a .npy file of the one output") {
  const Project project;
  Json json = definition;
  json["Gridsmith"]["Reference"] = {{"File", "floats.npy"}};
  CHECK(expected_output(project.instance(json)) == std::string(256, '\x09'));
  json["Gridsmith"]["Reference"] = {{"File", "bytes.npy"}};
  CHECK_THROWS_WITH(project.instance(json), contains_text("Reference.File") &&
                                                contains_text("its elements are uint8, float32"));
  json["Gridsmith"]["Reference"] = {{"File", "floats.npy"}};
  json["KernelSpecification"]["Arguments"][2]["Output"] = 1;
  CHECK_THROWS_WITH(expected_output(project.instance(json)),
                    contains_text("one output, there are 2"));
}

TEST_CASE("a scalar may be the pitch of a vector with rows") {
  const Project project;
  Json json = definition;
  const auto refusal = [&](const std::string& scalar) -> std::string {
    json["Gridsmith"]["Scalars"] = {{"pitch", scalar}};
    try {
      project.instance(json);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK_THAT(refusal("pitch(a)"), contains_text("Scalars.pitch: no argument has a Row"));
  json["Gridsmith"]["Inputs"] = {{"a", {{"Row", "m"}}}};
  CHECK_THAT(refusal("pitch(b)"), contains_text("unknown argument with a Row 'b' (valid: a)"));
  CHECK_THAT(refusal("pitch(a) + 1"), contains_text("Gridsmith.Scalars.pitch"));
  CHECK(refusal("pitch(a)") == "");
  const auto specs = argument_specs(project.instance(json));
  CHECK(specs[5].scalar->pitch_of == "a");
  CHECK_FALSE(specs[5].scalar->pitch_in_bytes);
  CHECK(refusal("pitch_bytes(a)") == "");
  CHECK(argument_specs(project.instance(json))[5].scalar->pitch_in_bytes);
}

TEST_CASE("a scalar may be a texture object over a vector") {
  const Project project;
  Json json = definition;
  json["KernelSpecification"]["Arguments"].push_back(
      {{"Name", "t"}, {"Type", "uint64"}, {"MemoryType", "Scalar"}});
  const auto refusal = [&](const char* textures) -> std::string {
    json["Gridsmith"]["Textures"] = Json::parse(textures);
    try {
      project.instance(json);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refusal(R"({"t": {"Of": "r", "Columns": "n", "Filter": "linear", "Address": "wrap",
                          "Normalized": true}})") == "");
  const auto specs = argument_specs(project.instance(json));
  const TextureSpec& texture = specs.back().scalar->texture.value();
  CHECK(texture.of == "r");
  CHECK(texture.columns == 16);
  CHECK(texture.mode.filter == TextureFilter::linear);
  CHECK(texture.mode.address == TextureAddress::wrap);
  CHECK(texture.mode.normalized);
  CHECK_THAT(refusal(R"({"t": {"Of": "rr"}})"), contains_text("Textures.t.Of: unknown ReadOnly"));
  CHECK_THAT(refusal(R"({"t": {"Of": "r", "Filter": "cubic"}})"),
             contains_text("unknown filter 'cubic' (valid: point, linear)"));
  CHECK_THAT(refusal(R"({"t": {"Of": "a", "Filter": "linear"}})"),
             contains_text("linear needs elements that are reals"));
  CHECK_THAT(refusal(R"({"t": {"Of": "r", "Address": "mirror"}})"),
             contains_text("need Normalized coordinates"));
  CHECK_THAT(refusal(R"({"r": {"Of": "r"}})"), contains_text("scalar argument of uint64 'r'"));
  CHECK_THAT(refusal(R"({"t": {"Of": "r", "Row": 3}})"), contains_text("Row"));
  json["Gridsmith"]["Textures"] = {{"t", {{"Of", "r"}, {"Columns", 7}}}};
  CHECK_THROWS_WITH(argument_specs(project.instance(json)),
                    contains_text("are no whole rows of 7"));
}

} // namespace inputs_test
