// The planted kernel in a folder of its own, as it was and as it is made to be.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace gridsmith::test {

class PlantedKernel {
public:
  PlantedKernel() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "gridsmith-planted-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    std::filesystem::copy_file(source() / "planted.cu", folder_ / "planted.cu");
    plant(0, 0);
  }

  ~PlantedKernel() {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
  }

  PlantedKernel(const PlantedKernel&) = delete;
  PlantedKernel& operator=(const PlantedKernel&) = delete;

  std::filesystem::path definition() const { return folder_ / "planted.json"; }

  std::filesystem::path baseline() const { return folder_ / "baseline.json"; }

  /// @param extra_permille blocks of a thousand that work twice @param kind PLANT
  void plant(int extra_permille, int kind) const {
    std::ifstream in(source() / "planted.json");
    std::string text{std::istreambuf_iterator<char>(in), {}};
    replace(text, "-DEXTRA=0", "-DEXTRA=" + std::to_string(extra_permille));
    replace(text, "-DPLANT=0", "-DPLANT=" + std::to_string(kind));
    std::ofstream(definition()) << text;
  }

private:
  static std::filesystem::path source() { return GRIDSMITH_SOURCE_DIR "/tests/gpu/check"; }

  static void replace(std::string& text, const std::string& what, const std::string& by) {
    text.replace(text.find(what), what.size(), by);
  }

  std::filesystem::path folder_;
};

} // namespace gridsmith::test
