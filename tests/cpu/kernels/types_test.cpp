// SPDX-License-Identifier: Apache-2.0
// Structs by value and CUDA's vector types: laid out as this compiler lays them out, given their values by
// field, and each slip answered in one line.
#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/kernels/reading/read_element_type.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/files.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstring>
#include <filesystem>

namespace types_test {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

using Json = nlohmann::json;

struct Pair {
  double real;
  char mark;
};

struct alignas(32) Mixed {
  char first;
  Pair pairs[2];
  short shorts[2][3];
  unsigned char flag;
  std::int64_t far;
  float last;
};

const Json definition = Json::parse(R"gs({
  "ConfigurationSpace": {"TuningParameters": [{"Name": "X", "Type": "int", "Values": [1, 2]}]},
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "k", "KernelFile": "k.cu", "ProblemSize": [64],
    "Arguments": [
      {"Name": "m", "Type": "Mixed", "MemoryType": "Scalar"},
      {"Name": "four", "Type": "float4", "MemoryType": "Vector", "Size": "n"},
      {"Name": "raw", "Type": "Raw", "MemoryType": "Scalar", "FillValue": 9}
    ]
  },
  "Gridsmith": {
    "Extents": ["n"],
    "Types": {
      "Mixed": {"Alignment": 32, "Source": "Mixed<int>", "Fields": ["char first", "Pair pairs[2]", "short shorts[2][3]",
        "bool flag", "int64 far", "float last"]},
      "Pair": {"Fields": ["double real", "char mark"]},
      "Raw": {"Bytes": 12, "Alignment": 4}
    },
    "Scalars": {"m": {"first": -1, "pairs": [{"real": "n / 128", "mark": 1}, {"real": 2.5, "mark": "n"}],
      "shorts": [[1, 2, 3], -4], "flag": 1, "far": "n * 2**20", "last": 0.5}}
  }
})gs");

class Project {
public:
  Project() { test::write(folder_.path() / "k.cu", "extern \"C\" __global__ void k() {}"); }

  KernelDefinition read(const Json& json) const {
    test::write(folder_.path() / "k.json", json.dump());
    return read_definition(folder_.path() / "k.json");
  }

  KernelInstance instance(const Json& json) const { return instantiate(read(json), {{64}}, {}); }

  /// What is said of the definition with this JSON merged into it.
  std::string said(const std::string& patch) const {
    Json json = definition;
    json.merge_patch(Json::parse(patch));
    try {
      instance(json);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing";
  }

  std::string said_of_types(const std::string& types) const {
    return said(R"({"Gridsmith": {"Types": )" + types + "}}");
  }

private:
  test::Folder folder_;
};

std::uint64_t offset_of(const ScalarSpec& spec, const std::string& name) {
  for (const FieldSpec& field : spec.fields)
    if (field.name == name)
      return field.offset;
  FAIL("no field " << name);
  return 0;
}

} // namespace

TEST_CASE("a struct has the layout that the compiler gives it") {
  const auto arguments = argument_specs(Project().instance(definition));
  const ScalarSpec& spec = *arguments.at(0).scalar;
  CHECK(bytes_of(spec) == sizeof(Mixed));
  CHECK(offset_of(spec, ".first") == offsetof(Mixed, first));
  CHECK(offset_of(spec, ".pairs[1].real") == offsetof(Mixed, pairs) + sizeof(Pair));
  CHECK(offset_of(spec, ".pairs[1].mark") ==
        offsetof(Mixed, pairs) + sizeof(Pair) + offsetof(Pair, mark));
  CHECK(offset_of(spec, ".shorts[1][2]") == offsetof(Mixed, shorts) + 5 * sizeof(short));
  CHECK(offset_of(spec, ".flag") == offsetof(Mixed, flag));
  CHECK(offset_of(spec, ".far") == offsetof(Mixed, far));
  CHECK(offset_of(spec, ".last") == offsetof(Mixed, last));
}

TEST_CASE("the kernel gets the bytes of the struct") {
  const auto arguments = argument_specs(Project().instance(definition));
  const std::vector<std::uint64_t> words = words_of(*arguments.at(0).scalar);
  REQUIRE(words.size() * sizeof words[0] >= sizeof(Mixed));
  Mixed got;
  std::memcpy(&got, words.data(), sizeof got);
  CHECK(got.first == -1);
  CHECK(got.pairs[0].real == 0.5);
  CHECK(got.pairs[1].mark == 64);
  CHECK(got.shorts[0][1] == 2);
  CHECK(got.shorts[1][2] == -4);
  CHECK(got.flag == 1);
  CHECK(got.far == 64 << 20);
  CHECK(got.last == 0.5f);
  CHECK(arguments.at(1).buffer->elements == 256);
  CHECK(arguments.at(1).buffer->type == ElementType::float32);
  const std::vector<std::uint64_t> raw = words_of(*arguments.at(2).scalar);
  CHECK(raw.at(0) == 0x0909090909090909);
  CHECK(raw.at(1) == 0x09090909);
}

TEST_CASE("a message with fields beyond its struct changes nothing outside") {
  ScalarSpec spec;
  spec.struct_bytes = 8;
  spec.fields = {{".far", ElementType::int32, 1U << 30, 1}, {".odd", ElementType::int64, 1, 1}};
  for (const std::uint64_t word : words_of(spec))
    CHECK(word == 0);
  spec.struct_bytes = ~std::uint64_t{};
  CHECK(words_of(spec).size() <= largest_struct_bytes);
}

TEST_CASE("vector types of CUDA are aligned as its headers say") {
  const auto is = [](const char* name, std::uint64_t bytes, std::uint64_t alignment) {
    INFO(name);
    const auto layout = builtin_layout(name);
    REQUIRE(layout);
    CHECK(layout->bytes == bytes);
    CHECK(layout->alignment == alignment);
  };
  is("float4", 16, 16);
  is("float3", 12, 4);
  is("int2", 8, 8);
  is("uchar4", 4, 4);
  is("char3", 3, 1);
  is("double2", 16, 16);
  is("double4", 32, 16);
  is("half2", 4, 4);
  is("size_t", 8, 8);
  for (const char* name : {"", "4", "half4", "float5", "float0", "int84", "size_t2"})
    CHECK_FALSE(builtin_layout(name));
}

TEST_CASE("the source is asked where it has the fields of a type that it names") {
  const auto instance = Project().instance(definition);
  const std::string& text = instance.source->main.text;
  CHECK_THAT(text, contains_text("static_assert(sizeof(Mixed<int>) == 96"));
  CHECK_THAT(text, contains_text("(nullptr)->pairs[0].mark) == 16"));
  CHECK(text.find("pairs[1]") == text.npos);
  CHECK(text.find("Raw") == text.npos);
}

TEST_CASE("slips in types are answered in one line") {
  const Project project;
  const auto said = [&](const std::string& types, const std::string& part) {
    const std::string text = project.said_of_types(types);
    CHECK_THAT(text, contains_text(part));
    CHECK_THAT(text, contains_text("k.json: Gridsmith.Types"));
    CHECK(text.find('\n') == text.npos);
  };
  said(R"(5)", "Gridsmith.Types: expected an object");
  said(R"({"Pair": 5})", "Types.Pair: expected an object");
  said(R"({"Pair": {"Fields": ["Mixed m"]}})", "contains itself");
  said(R"({"Pair": {"Fields": ["Pair p"]}})", "'Pair' contains itself");
  said(R"({"Pair": {"Fields": []}})", "at least one field");
  said(R"({"Pair": {"Fields": "int n"}})", "Types.Pair.Fields: expected an array");
  said(R"({"Pair": {"Fields": ["flaot x"]}})", "did you mean 'float'");
  said(R"({"Pair": {"Fields": ["float"]}})", "'float' is no field; expected a type and a name");
  said(R"({"Pair": {"Fields": ["int 3"]}})", "is no field");
  said(R"({"Pair": {"Fields": ["int x[2"]}})", "is no field");
  said(R"({"Pair": {"Fields": ["int x[-1]"]}})", "expected a number from 1 to 32764");
  said(R"({"Pair": {"Fields": ["int x[99999999999999999999]"]}})", "expected a number from 1");
  said(R"({"Pair": {"Fields": ["int x[9000]"]}})", "36000 bytes; a kernel takes at most 32764");
  said(R"({"Pair": {"Fields": ["char x[30000][30000]"]}})", "a kernel takes at most 32764");
  said(R"({"Pair": {"Fields": ["int x", "float x"]}})", "a field 'x' appears twice");
  said(R"({"Pair": {"Bytes": 4}})", "Fields or Bytes is needed, not both");
  said(R"({"Pair": {"Feilds": []}})", "did you mean 'Fields'");
  said(R"({"Pair": {"Fields": ["int x[1][1][1][1][1][1][1][1][1]"]}})",
       "9 dimensions; expected at most 8");
  said(R"({"Pair": {"Fields": ["int )" + std::string(300, 'x') + R"("]}})",
       "more than 256 characters");
  said(R"({"Raw": {"Bytes": 0}})", "expected 1 to 32764 bytes");
  said(R"({"Raw": {"Bytes": 13}})", "13 is no multiple of the Alignment 4");
  said(R"({"Raw": {"Alignment": 3}})", "expected a power of two up to 256");
  said(R"({"Raw": {"Source": "int); evil("}})", "is no type of the source");
  said(R"({"float4": {"Bytes": 4}})", "that no built-in type has");
  said(R"({"A B": {"Bytes": 4}})", "a name in C++");
}

TEST_CASE("slips in the values of a struct are answered in one line") {
  const Project project;
  const auto said = [&](const std::string& values, const std::string& part) {
    const std::string text = project.said(R"({"Gridsmith": {"Scalars": {"m": )" + values + "}}}");
    CHECK_THAT(text, contains_text(part));
    CHECK(text.find('\n') == text.npos);
  };
  said(R"({"last": null})", "Scalars.m: has no value for 'last'; each field needs one");
  said(R"({"lost": 1})", "Scalars.m.lost: unknown field of the struct 'lost'; did you mean 'last'");
  said(R"({"pairs": [1, 2, 3]})", "Scalars.m.pairs[2]: unknown field of the struct 'pairs[2]'");
  said(R"({"pairs": [1]})", "has no value for 'pairs[1].real'");
  said(R"({"last": true})", "Scalars.m.last: expected");
  said(R"({"last": "k"})", "unknown name 'k'");
  said(R"({"flag": 256})", "m.flag: 256 is beyond uint8");
  said(R"({"flag": 2.5})", "m.flag: 2.5 is no whole number, and the type is uint8");
  said(R"([1, 2])", "Scalars.m: a list is of an array; the values of a struct are an object");
  said("5", "nothing");
}

TEST_CASE("a struct is no number elsewhere") {
  const Project project;
  CHECK_THAT(project.said(R"({"Gridsmith": {"Scalars": {"m": null}}})"),
             contains_text("the scalar 'm' has no value"));
  CHECK_THAT(project.said(R"({"Gridsmith": {"Textures": {"m": {"Of": "four"}}}})"),
             contains_text("a texture is a scalar argument of the type uint64"));
  Json json = definition;
  json["KernelSpecification"]["Arguments"][1]["Type"] = "Pair";
  CHECK_THROWS_WITH(project.read(json), contains_text("fields of several types, or gaps"));
  json["KernelSpecification"]["Arguments"][1]["Type"] = "Wide";
  json["KernelSpecification"]["Arguments"][1]["Size"] = "2**53";
  json["Gridsmith"]["Types"]["Wide"]["Fields"] = {"int n[8190]"};
  CHECK_THROWS_WITH(project.instance(json), contains_text("elements of 8190 numbers are too many"));
  json["KernelSpecification"]["Arguments"][1]["Type"] = "Atom";
  CHECK_THROWS_WITH(project.read(json), contains_text("a struct is described in Gridsmith.Types"));
}

} // namespace types_test
