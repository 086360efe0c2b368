#include "gridsmith/kernels/definition/definition.hpp"

#include "gridsmith/base/error.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace gridsmith {
namespace {

/// In the order of ElementType.
constexpr std::array<std::size_t, 11> type_bytes{2, 4, 8, 1, 1, 2, 2, 4, 4, 8, 8};

/// A path to a file rather than a name of the catalogue.
bool looks_like_path(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".json");
}

} // namespace

std::size_t size_of(ElementType type) {
  return type_bytes.at(static_cast<std::size_t>(type));
}

std::string to_text(const ProblemSize& size) {
  std::string text;
  for (const std::int64_t extent : size.extents) {
    text += text.empty() ? "" : "x";
    text += std::to_string(extent);
  }
  return text;
}

ProblemSize problem_size_from_text(std::string_view text) {
  ProblemSize size;
  const char* at = text.data();
  const char* const end = at + text.size();
  bool good = false;
  while (size.extents.size() < 3) {
    std::int64_t extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    if (error != std::errc{} || extent < 1)
      break;
    size.extents.push_back(extent);
    good = next == end;
    if (good || *next != 'x')
      break;
    at = next + 1;
  }
  if (!good)
    throw InputError("problem size '" + std::string(text) +
                     "': expected 1 to 3 positive integers joined by x, such as 8192x8192");
  return size;
}

std::vector<std::filesystem::path> catalogue(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const auto file = entry.path() / (entry.path().filename().string() + ".json");
    if (std::filesystem::is_regular_file(file, error))
      files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::filesystem::path find_definition(const std::string& name_or_path,
                                      const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& file : catalogue(folder)) {
    names.push_back(file.stem().string());
    if (names.back() == name_or_path)
      return file;
  }
  std::error_code error;
  if (std::filesystem::is_regular_file(name_or_path, error))
    return name_or_path;
  if (looks_like_path(name_or_path))
    throw InputError(name_or_path +
                     ": no such file; expected a kernel definition in JSON, or one "
                     "of the names in " +
                     folder.string());
  throw InputError(unknown_name("kernel", name_or_path, names));
}

} // namespace gridsmith
