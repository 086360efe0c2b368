// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/presentation/shown_file.hpp"

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

bool below(const fs::path& file, const fs::path& folder) {
  const fs::path way = fs::proximate(file, folder);
  return way.is_relative() && *way.begin() != "..";
}

} // namespace

std::string shown_file(const fs::path& file, const fs::path& catalogue) {
  if (!catalogue.empty() && below(file, catalogue))
    return file.filename().string() + " of the catalogue";
  if (file.is_relative()) // as it was typed
    return file.string();
  return below(file, fs::current_path()) ? fs::proximate(file).string() : file.string();
}

} // namespace gridsmith
