// The planted kernel in a folder of its own, as it was and as it is made to be.
#pragma once

#include "gridsmith/tests/files.hpp"

#include <filesystem>
#include <string>

namespace gridsmith::test {

class PlantedKernel {
public:
  PlantedKernel() {
    std::filesystem::copy_file(source() / "planted.cu", folder_ / "planted.cu");
    plant(0, 0);
  }

  std::filesystem::path definition() const { return folder_ / "planted.json"; }

  std::filesystem::path baseline() const { return folder_ / "baseline.json"; }

  /// @param extra_permille blocks of a thousand that work twice @param kind PLANT
  void plant(int extra_permille, int kind) const {
    std::string text = read_file(source() / "planted.json");
    replace(text, "-DEXTRA=0", "-DEXTRA=" + std::to_string(extra_permille));
    replace(text, "-DPLANT=0", "-DPLANT=" + std::to_string(kind));
    write(definition(), text);
  }

private:
  static std::filesystem::path source() { return GRIDSMITH_SOURCE_DIR "/tests/gpu/check"; }

  static void replace(std::string& text, const std::string& what, const std::string& by) {
    text.replace(text.find(what), what.size(), by);
  }

  Folder folder_;
};

} // namespace gridsmith::test
