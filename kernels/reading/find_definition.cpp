// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/reading/find_definition.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/folder.hpp"
#include "gridsmith/kernels/reading/json_document.hpp"

#include <algorithm>
#include <array>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

/// A path to a file rather than a name of the catalogue.
bool looks_like_path(const std::string& text) {
  return text == "." || text == ".." || text.find('/') != std::string::npos ||
         text.ends_with(".json");
}

/// NAME/NAME.json as in the catalogue, else the only JSON file that is there.
fs::path definition_in(const fs::path& folder) {
  std::error_code error;
  const fs::path name = fs::absolute(folder).lexically_normal();
  const fs::path stem = name.has_filename() ? name.filename() : name.parent_path().filename();
  if (const fs::path own = folder / (stem.string() + ".json"); fs::is_regular_file(own, error))
    return own;
  std::vector<fs::path> found;
  for (const auto& entry : entries_of(folder, error))
    if (entry.path().extension() == ".json" && entry.is_regular_file(error))
      found.push_back(entry.path());
  if (error)
    throw InputError(folder.string() + ": cannot be read: " + error.message());
  if (found.empty())
    throw InputError(folder.string() + ": is a folder without a kernel definition, " +
                     stem.string() + ".json");
  if (found.size() > 1) {
    std::sort(found.begin(), found.end());
    std::string names;
    for (const fs::path& one : found)
      names += (names.empty() ? "" : ", ") + one.filename().string();
    throw InputError(folder.string() + ": is a folder with several JSON files; name one of " +
                     names);
  }
  return found.front();
}

} // namespace

std::vector<fs::path> catalogue(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : entries_of(folder, error)) {
    const auto file = entry.path() / (entry.path().filename().string() + ".json");
    if (fs::is_regular_file(file, error))
      files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  return files;
}

fs::path find_definition(const std::string& name_or_path, const fs::path& folder) {
  const bool path = looks_like_path(name_or_path);
  std::vector<std::string> names;
  for (const auto& file : catalogue(folder)) {
    names.push_back(file.stem().string());
    if (!path && names.back() == name_or_path)
      return file;
  }
  std::error_code error;
  if (!name_or_path.empty() && fs::is_directory(name_or_path, error))
    return definition_in(name_or_path);
  if (!name_or_path.empty() && fs::exists(name_or_path, error))
    return name_or_path;
  if (error && error != std::errc::no_such_file_or_directory)
    throw InputError(name_or_path + ": cannot be read: " + error.message());
  if (path && fs::is_regular_file(name_or_path + ".json", error))
    throw InputError(name_or_path + ": no such file; did you mean " + name_or_path + ".json?");
  if (path)
    throw InputError(name_or_path + ": no such file; expected a kernel definition in JSON, or one "
                                    "of the names that 'gridsmith kernels' lists");
  entries_of(folder, error);
  if (names.empty() && error && error != std::errc::no_such_file_or_directory)
    throw InputError(folder.string() + ": the catalogue cannot be read: " + error.message());
  if (names.empty())
    throw InputError("unknown kernel '" + name_or_path +
                     "': no catalogue found next to the program or above it; name the file of a "
                     "definition");
  if (fs::is_regular_file(name_or_path + ".json", error))
    throw InputError("unknown kernel '" + name_or_path + "'; did you mean the file ./" +
                     name_or_path + ".json?");
  throw InputError(unknown_name("kernel", name_or_path, names, "gridsmith kernels"));
}

bool is_of_catalogue(const std::filesystem::path& definition) {
  const auto folder = definition.parent_path();
  return folder.parent_path().filename() == "catalogue" && folder.filename() == definition.stem();
}

bool is_kept(const std::filesystem::path& definition) {
  return !has_source_ending(definition);
}

std::string kernel_word(const std::filesystem::path& definition) {
  return is_of_catalogue(definition) ? definition.stem().string()
                                     : std::filesystem::proximate(definition).string();
}

} // namespace gridsmith
