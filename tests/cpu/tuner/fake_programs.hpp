// A folder with fake programs beside each other, and kernels for them.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace gridsmith::test {

/// A folder of its own, removed at the end.
class Folder {
public:
  Folder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "gridsmith-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }

  ~Folder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }

  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

inline void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

/// Copies the fakes (and gridsmith itself where asked) under the real names.
inline void install_fakes(const std::filesystem::path& folder, bool with_gridsmith = false) {
  const std::filesystem::path built = GRIDSMITH_BINARY_DIR;
  std::filesystem::copy_file(built / "tests" / "fake_worker", folder / "gridsmith-worker");
  std::filesystem::copy_file(built / "tests" / "fake_compiler", folder / "gridsmith-compiler");
  if (with_gridsmith)
    std::filesystem::copy_file(built / "bin" / "gridsmith", folder / "gridsmith");
}

/// A kernel whose parameters are X = 0 … count-1 and, where given, one more with these values.
inline std::filesystem::path write_kernel(const std::filesystem::path& folder,
                                          const std::string& name, int count,
                                          const std::string& extra = "",
                                          const std::string& extra_values = "") {
  write(folder / (name + ".cu"),
        "extern \"C\" __global__ void k(float* out) { out[threadIdx.x] = X; }\n");
  const std::string more =
      extra.empty()
          ? ""
          : R"(, {"Name": ")" + extra + R"(", "Type": "string", "Values": )" + extra_values + "}";
  write(folder / (name + ".json"), R"({"General": {"BenchmarkName": ")" + name + R"("},
  "ConfigurationSpace": {"TuningParameters": [
    {"Name": "X", "Type": "int", "Values": "list(range(0, )" +
                                       std::to_string(count) + R"())"
})" + more + R"(], "Conditions": []
}

, "KernelSpecification" : {"Language": "CUDA", "KernelName": "k", "KernelFile": ")" + name + R"(.cu",
    "ProblemSize": [32], "LocalSize": {"X": "32"}, "GridDivX": ["32"],
    "Arguments": [{"Name": "out", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly",
                   "FillType": "Constant", "FillValue": 0, "Size": "ProblemSize[0]", "Output": 1}]}})");
  return folder / (name + ".json");
}

} // namespace gridsmith::test
