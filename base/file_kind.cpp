// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/file_kind.hpp"

#include "gridsmith/base/error.hpp"

#include <fstream>
#include <string_view>

namespace gridsmith {

std::string beginning_of(const std::filesystem::path& file, std::size_t bytes) {
  refuse_pipe(file);
  std::string start(bytes, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(start.data(), static_cast<std::streamsize>(bytes));
  start.resize(static_cast<std::size_t>(stream.gcount()));
  return start;
}

// SQLite's file format, "The Database Header".
bool is_sqlite(const std::filesystem::path& file) {
  constexpr std::string_view begins = "SQLite format 3";
  return beginning_of(file, begins.size()) == begins;
}

void refuse_pipe(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_fifo(file, error))
    throw InputError(file.string() + ": is a pipe; give a file");
}

} // namespace gridsmith
