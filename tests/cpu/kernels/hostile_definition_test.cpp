// SPDX-License-Identifier: Apache-2.0
// A definition is data: it names no file to write, and reads only what is its own.
#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/compile_request.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/kernels/source/compiler_options.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"

#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace hostile_definition_test {

using namespace gridsmith;
namespace fs = std::filesystem;

namespace {

using Json = nlohmann::json;
using Folders = std::vector<fs::path>;

const Json definition = Json::parse(R"gs({
  "ConfigurationSpace": {"TuningParameters": [{"Name": "X", "Type": "int", "Values": [1, 2]}]},
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "k", "KernelFile": "k.cu", "ProblemSize": [8],
    "LocalSize": {"X": "32"},
    "Arguments": [{"Name": "out", "Type": "float", "MemoryType": "Vector", "Size": "8", "Output": 1}]
  }
})gs");

Json with_options(const std::vector<std::string>& options) {
  Json json = definition;
  json["KernelSpecification"]["CompilerOptions"] = options;
  return json;
}

Json with_kernel_file(const std::string& name) {
  Json json = definition;
  json["KernelSpecification"]["KernelFile"] = name;
  return json;
}

Json with_reference(const Json& reference) {
  Json json = definition;
  json["Gridsmith"]["Reference"] = reference;
  return json;
}

/// outer/secret.txt, outer/project/k/{k.cu, k.json}: what is below outer/project/k may be read.
class Project {
public:
  Project() {
    fs::create_directories(own());
    put("k.cu", "extern \"C\" __global__ void k(float* out) { out[threadIdx.x] = X; }\n");
    test::write(secret(), "the secret");
  }

  fs::path own() const { return folder_.path() / "project" / "k"; }

  fs::path secret() const { return folder_.path() / "secret.txt"; }

  void put(const std::string& name, const std::string& text) const {
    test::write(own() / name, text);
  }

  KernelDefinition read(const Json& json, const Folders& include = {}) const {
    put("k.json", json.dump());
    return read_definition(own() / "k.json", include);
  }

  /// Why it is refused; "" when it is not.
  std::string refusal(const Json& json, const Folders& include = {}) const {
    try {
      instantiate(read(json, include), {{8}}, device_of_capability(90));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

private:
  test::Folder folder_;
};

} // namespace

TEST_CASE("options that write or read files are refused when a definition is read") {
  const std::vector<std::vector<std::string>> hostile{
      {"--time=/tmp/f"},
      {"-time=/tmp/f"},
      {"--time", "/tmp/f"},
      {"--time=-"},
      {"--create-pch=/tmp/f"},
      {"-create-pch=/tmp/f"},
      {"--pch"},
      {"--pch-dir=/tmp"},
      {"--use-pch=/tmp/f"},
      {"--fdevice-time-trace=/tmp/f"},
      {"-fdevice-time-trace=/tmp/f"},
      {"--pre-include=/etc/passwd"},
      {"--preinclude=/etc/passwd"},
      {"-include", "/etc/passwd"},
      {"-Xcudafe", "--list=/tmp/f"},
      {"-Xcudafe", "--list", "-Xcudafe", "/tmp/f"},
      {"-Xcudafe=--xref=/tmp/f"},
      {"-Xcudafe", "--error_output=/tmp/f"},
      {"-Xcudafe", "--preinclude=/etc/passwd"},
      {"-Xcudafe", "-E"},
      {"-Xnvvm", "-v"},
      {"-Xptxas", "--options-file=/etc/passwd"},
      {"-Xptxas=--fdevice-time-trace=/tmp/f"},
      {"--ptxas-options", "--options-file=/etc/passwd"},
      {"--ptxas-options=-v,--options-file=/etc/passwd"},
      {"--ptxas-options=-o=/tmp/f"},
      {"--ptxas-options=--output-file=/tmp/f"},
      {"--ptxas-options=-maxrregcount=64,-o=f"},
      {"--ptxas-options=-O3 -o f"},
      {"--ptxas-options=--help"},
      {"-Xptxas"},
      {"@/tmp/options"},
      {"--options-file=/tmp/f"},
      {"-optf", "/tmp/f"},
      {"--keep"},
      {"--keep-dir=/tmp"},
      {"--dump=/tmp/f"},
      {"-o", "/tmp/f"},
      {"-dlto"},
      {"-I/etc"},
      {"-I", "/etc"},
      {"--include-path=/etc"},
      {"--include-path", "../../.."},
      {"--split-compile=65"}, // NVRTC starts as many threads, and waits for ever
      {"--split-compile=999999"},
      {"--ptxas-options=--split-compile=999999"},
      {"-I../.."},
      {"-D"},
      {"-D", "--time=/tmp/f"},
      {"-D=--time=/tmp/f"},
      {"-DA=1\n#include </etc/passwd>"},
      {"-std=c++11 --time=/tmp/f"},
      {"-std=c++11", "--time=/tmp/f"},
      {"--diag-suppress=1,--time=/tmp/f"},
      {"--maxrregcount=64 --time=/tmp/f"},
      {"/etc/passwd"},
  };
  const Project project;
  for (const auto& options : hostile) {
    INFO(Json(options).dump());
    const std::string refusal = project.refusal(with_options(options));
    CHECK_THAT(refusal, contains_text("k.json: KernelSpecification.CompilerOptions: "));
  }
  CHECK_THAT(project.refusal(with_options({"--time=/tmp/f"})),
             contains_text("'--time=/tmp/f' is not an allowed compiler option; a definition may "
                           "name -D NAME[=TEXT], "));
}

TEST_CASE("options that change the code alone are passed on, one a word") {
  const Project project;
  fs::create_directory(project.own() / "inc");
  const auto options = [&](const std::vector<std::string>& words) {
    return project.read(with_options(words)).compiler_options;
  };
  const std::string inc = "--include-path=" + fs::canonical(project.own() / "inc").string();
  using Words = std::vector<std::string>;
  CHECK(options({"-std=c++11"}) == Words{"-std=c++11"});
  CHECK(options({"--std", "c++17"}) == Words{"-std=c++17"});
  CHECK(options({"-D", "A=1", "-DB", "--define-macro=C(x)=x x", "-U", "D"}) ==
        Words{"-DA=1", "-DB", "-DC(x)=x x", "-UD"});
  CHECK(options({"-I", "inc", "-Iinc", "--include-path=inc"}) == Words{inc, inc, inc});
  CHECK(options({"-Xptxas", "-v", "--ptxas-options=-dlcm=cg", "-Xptxas=-O3"}) ==
        Words{"--ptxas-options=-v", "--ptxas-options=-dlcm=cg", "--ptxas-options=-O3"});
  CHECK(options({"-use_fast_math", "--maxrregcount", "64", "-w", "--diag-suppress=1,22"}) ==
        Words{"--use_fast_math", "-maxrregcount=64", "-w", "--diag-suppress=1,22"});
  Json by_parameter = with_options({});
  by_parameter["Gridsmith"]["CompilerOptions"] = {{"X", "--time={}"}};
  CHECK_THAT(project.refusal(by_parameter), contains_text("Gridsmith.CompilerOptions.X: "));
  by_parameter["Gridsmith"]["CompilerOptions"] = {{"Y", "--fmad={}"}};
  CHECK_THAT(project.refusal(by_parameter), contains_text("unknown parameter 'Y' (valid: X)"));
  // What another language's compiler would be told is never used.
  Json other = with_options({"-cl-fast-relaxed-math"});
  other["KernelSpecification"]["Language"] = "OpenCL";
  CHECK(project.read(other).compiler_options.empty());
}

TEST_CASE("files that are not the definition's are refused when it is read") {
  const Project project;
  fs::create_symlink(project.secret(), project.own() / "link.cu");
  fs::create_symlink("/etc", project.own() / "etc");
  REQUIRE(::mkfifo((project.own() / "pipe.cu").c_str(), 0600) == 0);
  const std::string secret = project.secret().string();
  for (const std::string& file :
       {std::string("../../secret.txt"), secret, std::string("link.cu"), std::string("etc/passwd"),
        std::string("/etc/passwd"), std::string("../../../../../../etc/passwd"),
        std::string("/etc/no such file")}) {
    INFO(file);
    const std::string outside = "outside the folders that this definition may read";
    CHECK_THAT(project.refusal(with_kernel_file(file)), contains_text(outside));
    CHECK_THAT(project.refusal(with_reference({{"File", file}})), contains_text(outside));
    CHECK_THAT(project.refusal(with_reference({{"Kernel", "r"}, {"Source", file}})),
               contains_text(outside));
  }
  CHECK_THAT(project.refusal(with_kernel_file("pipe.cu")), contains_text("not a regular file"));
  CHECK_THAT(project.refusal(with_kernel_file("/dev/zero")), contains_text("outside"));
  CHECK_THAT(project.refusal(with_kernel_file("/dev/zero"), {"/dev"}),
             contains_text("not a regular file"));
  CHECK_THAT(project.refusal(with_reference({{"File", "pipe.cu"}})),
             contains_text("not a regular file"));
}

TEST_CASE("headers that are not the definition's are refused with it") {
  const Project project;
  const auto refusal = [&](const std::string& source, const Folders& include = {}) {
    project.put("k.cu", source);
    return project.refusal(definition, include);
  };
  const std::string secret = project.secret().string();
  fs::create_symlink(secret, project.own() / "link.h");
  project.put("inner.h", "#include \"link.h\"\n");
  for (const std::string& name : {std::string("../../secret.txt"), secret, std::string("link.h"),
                                  std::string("inner.h"), std::string("/etc/passwd")}) {
    INFO(name);
    CHECK_THAT(refusal("#include \"" + name + "\"\n"), contains_text("outside the folders that"));
    CHECK_THAT(refusal("#include <" + name + ">\n"), contains_text("outside the folders that"));
  }
  CHECK_THAT(refusal("#include ANY\n"),
             contains_text("outside the folders that")); // it may mean the link
  CHECK(refusal("#include \"link.h\"\n", {project.secret().parent_path()}) == "");
}

TEST_CASE("a folder that the user names may be read and is searched for headers") {
  const Project project;
  const fs::path common = project.own().parent_path() / "common";
  fs::create_directory(common);
  test::write(common / "c.h", "#define C 1\n");
  project.put("k.cu", "#include \"../common/c.h\"\n");
  CHECK_THAT(project.refusal(definition), contains_text("--include DIR adds a folder"));
  CHECK(project.refusal(definition, {common}) == "");
  const KernelDefinition read = project.read(definition, {common});
  const std::string folder = fs::canonical(common).string();
  CHECK(read.compiler_options == std::vector<std::string>{"--include-path=" + folder});
  CHECK(read.readable.back() == folder);
  CHECK_THAT(project.refusal(definition, {common / "c.h"}), contains_text("is no folder"));
}

TEST_CASE("a kernel file of the folder above may be read, and nothing beside it") {
  const Project project;
  const fs::path parent = project.own().parent_path();
  const auto put = [&](const char* name) {
    fs::create_directories((parent / name).parent_path());
    test::write(parent / name, "#define ABOVE 1\n");
  };
  for (const char* name :
       {"above.cu", "above.h", "above.txt", ".above.cu", "kernels/kernels.cu", "kernels/other.cu",
        "kernels/kernels", ".ssh/id_rsa", ".ssh/.ssh.cu", "deep/deep/deep.cu"})
    put(name);
  const std::string outside = "outside the folders that this definition may read";
  CHECK(project.refusal(with_kernel_file("above.cu")) == "");
  CHECK(project.read(with_kernel_file("above.cu")).readable ==
        ReadableFolders{fs::canonical(project.own()), fs::canonical(parent / "above.cu")});
  CHECK(project.refusal(with_kernel_file("kernels/kernels.cu")) ==
        ""); // as a catalogue's kernels lie
  for (const char* name : {"above.txt", ".above.cu", "kernels/other.cu", "kernels/kernels",
                           ".ssh/id_rsa", ".ssh/.ssh.cu", "deep/deep/deep.cu"}) {
    INFO(name);
    CHECK_THROWS(compile_request(
        instantiate(project.read(with_kernel_file(name)), {{8}}, device_of_capability(90)), {}));
  }
  CHECK_THAT(project.refusal(with_kernel_file("../above.txt")), contains_text(outside));
  // Not even where the kernel file lies there.
  test::write(parent / "above.cu", "#include \"above.h\"\n");
  CHECK_THAT(project.refusal(with_kernel_file("above.cu")), contains_text(outside));
  CHECK(project.refusal(with_kernel_file("above.cu"), {parent}) == "");
  Json beside = with_kernel_file("above.cu");
  beside["KernelSpecification"]["CompilerOptions"] = {"--pre-include=.ssh/id_rsa"};
  CHECK_THAT(project.refusal(beside), contains_text(outside));
  for (const char* name : {"above.h", "../above.h"}) {
    INFO(name);
    CHECK(project.refusal(with_reference({{"Kernel", "r"}, {"Source", name}})) != "");
    CHECK(project.refusal(with_reference({{"File", name}})) != "");
  }
  fs::create_symlink(project.secret(), parent / "link.cu");
  CHECK_THAT(project.refusal(with_kernel_file("link.cu")), contains_text(outside));
}

TEST_CASE("what is hidden in a readable folder is not read") {
  const Project project;
  fs::create_directories(project.own() / ".git");
  project.put(".git/config", "");
  project.put(".env", "");
  const std::string hidden = "reads no file whose name begins with a dot";
  for (const char* name : {".env", ".git/config", "./.env"}) {
    INFO(name);
    CHECK_THAT(project.refusal(with_kernel_file(name)), contains_text(hidden));
    CHECK_THAT(project.refusal(with_reference({{"File", name}})), contains_text(hidden));
    project.put("k.cu", std::string("#include \"") + name + "\"\n");
    CHECK_THAT(project.refusal(definition), contains_text(hidden));
    project.put("k.cu", "");
  }
  fs::create_symlink(".env", project.own() / "plain.cu");
  CHECK_THAT(project.refusal(with_kernel_file("plain.cu")), contains_text(hidden));
  CHECK(project.refusal(with_kernel_file(".git/config"), {project.own() / ".git"}) == "");
}

TEST_CASE("the layouts of other tuners' collections are read") {
  const Project project;
  const auto put = [&](const char* name, const Json& json) {
    const fs::path file = project.own() / name;
    fs::create_directories(file.parent_path());
    test::write(file, json.dump());
    return file;
  };
  const auto source = [&](const char* name) {
    fs::create_directories((project.own() / name).parent_path());
    test::write(project.own() / name, "extern \"C\" __global__ void k(float* out) {}\n");
  };
  source("Examples/Nbody/Nbody.cu");            // KTT: beside the definition
  source("kernels/dedisp/dedispersion.cu.hip"); // the hub: a folder below it
  source("kernels/convolution.cu");             // the folder above
  for (const fs::path& file :
       {put("Examples/Nbody/Nbody.json", with_kernel_file("Nbody.cu")),
        put("kernels/dedispersion.json", with_kernel_file("dedisp/dedispersion.cu.hip")),
        put("kernels/convolution/convolution.json", with_kernel_file("convolution.cu"))}) {
    INFO(file.string());
    CHECK(instantiate(read_definition(file), {{8}}, device_of_capability(90)).source);
  }
}

TEST_CASE("a source or an expected output of no sensible size is not read") {
  const Project project;
  project.put("huge.cu", "");
  fs::resize_file(project.own() / "huge.cu", longest_source + 1); // sparse
  CHECK_THAT(project.refusal(with_kernel_file("huge.cu")), contains_text("longer than"));
  fs::rename(project.own() / "huge.cu", project.own() / "huge.h");
  project.put("k.cu", "#include \"huge.h\"\n");
  CHECK_THAT(project.refusal(definition), contains_text("longer than"));
  project.put("k.cu", "");
  project.put("expected.bin", "");
  const auto instance = instantiate(project.read(with_reference({{"File", "expected.bin"}})), {{8}},
                                    device_of_capability(90));
  CHECK_THROWS_WITH(expected_output(instance), contains_text("has 0 bytes, the outputs need 32"));
  fs::resize_file(project.own() / "expected.bin", std::uintmax_t{1} << 40);
  CHECK_THROWS_WITH(expected_output(instance), contains_text("the outputs need 32"));
  fs::resize_file(project.own() / "expected.bin", 32);
  CHECK(expected_output(instance).size() == 32);
}

TEST_CASE("what becomes a macro is a name and a line") {
  const Project project;
  const auto refusal = [&](const Json& name, const Json& values) {
    Json json = definition;
    json["ConfigurationSpace"]["TuningParameters"][0] = {
        {"Name", name}, {"Type", "string"}, {"Values", values}};
    return project.refusal(json);
  };
  CHECK_THAT(refusal("X --time=/tmp/f", {1}), contains_text("cannot be a macro"));
  CHECK_THAT(refusal("", {1}), contains_text("cannot be a macro"));
  CHECK_THAT(refusal("X", {"1\n#include </etc/passwd>"}), contains_text("not printed"));
  CHECK(refusal("X", {"--time=/tmp/f"}) == ""); // "-DX=--time=/tmp/f" is one word
}

} // namespace hostile_definition_test
