// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/source/readable_files.hpp"

#include "gridsmith/base/error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

class Descriptor {
public:
  explicit Descriptor(int number) : number_(number) {}

  ~Descriptor() {
    if (number_ >= 0)
      ::close(number_);
  }

  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }

private:
  int number_;
};

/// Whether `path` is the folder or below it, name by name: /a/bc is not below /a/b.
bool is_below(const fs::path& path, const fs::path& folder) {
  const auto [path_end, folder_end] =
      std::mismatch(path.begin(), path.end(), folder.begin(), folder.end());
  return folder_end == folder.end();
}

/// @pre it is below the folder
bool is_hidden_in(const fs::path& path, const fs::path& folder) {
  const auto below = std::next(path.begin(), std::distance(folder.begin(), folder.end()));
  return std::any_of(below, path.end(), is_hidden);
}

fs::path resolved(const fs::path& path) {
  std::error_code error;
  const fs::path found = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error) // a circle of links, a folder that may not be entered
    throw InputError(fmt::format("{}: cannot be found: {}", path.string(), error.message()));
  return found;
}

bool is_readable(const fs::path& path, const ReadableFolders& folders) {
  return std::any_of(folders.begin(), folders.end(), [&](const fs::path& folder) {
    return is_below(path, folder) && !is_hidden_in(path, folder);
  });
}

[[noreturn]] void refuse(const fs::path& path, const ReadableFolders& folders) {
  if (std::any_of(folders.begin(), folders.end(),
                  [&](const fs::path& folder) { return is_below(path, folder); }))
    throw InputError(fmt::format("{}: a definition reads no file whose name begins with a dot; "
                                 "--include DIR adds a folder",
                                 path.string()));
  std::string allowed;
  for (const fs::path& folder : folders)
    allowed += (allowed.empty() ? "" : ", ") + folder.string();
  throw InputError(fmt::format("{} is outside the folders that this definition may read ({}); "
                               "--include DIR adds a folder",
                               path.string(), allowed));
}

/// The include folder of a toolkit, or its cccl: by a header that every toolkit has.
bool is_toolkit_folder(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "cuda_fp16.h", error) ||
         (folder.filename() == "cccl" && fs::exists(folder.parent_path() / "cuda_fp16.h", error));
}

} // namespace

void join(ReadableFolders& all, const ReadableFolders& more) {
  for (const fs::path& folder : more)
    if (std::find(all.begin(), all.end(), folder) == all.end())
      all.push_back(folder);
}

bool is_hidden(const fs::path& name) {
  return name.native().starts_with('.');
}

fs::path readable_file(const fs::path& file, const ReadableFolders& folders) {
  const fs::path found = resolved(file);
  if (!is_readable(found, folders))
    refuse(found, folders);
  return found;
}

fs::path readable_folder(const fs::path& folder, ReadableFolders& folders) {
  fs::path found = resolved(folder);
  if (is_readable(found, folders))
    return found;
  if (!is_toolkit_folder(found))
    refuse(found, folders);
  folders.push_back(found);
  return found;
}

std::optional<std::string> read_start(const fs::path& file, std::uint64_t most) {
  // Not blocking: what was a file when it was looked at may be a pipe without a writer by now.
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat facts{};
  if (opened.number() < 0 || ::fstat(opened.number(), &facts) != 0 || !S_ISREG(facts.st_mode))
    return std::nullopt;
  std::string text;
  constexpr std::uint64_t chunk_bytes = 1u << 16;
  while (text.size() < most) {
    const std::size_t before = text.size();
    const std::size_t wanted = std::min(chunk_bytes, most - before);
    text.resize(before + wanted);
    const ssize_t got = ::read(opened.number(), text.data() + before, wanted);
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return std::nullopt;
    if (got == 0)
      break;
  }
  return text;
}

std::optional<std::string> read_regular(const fs::path& file, std::uint64_t longest) {
  auto text = read_start(file, longest + 1);
  if (text && text->size() > longest)
    throw InputError(fmt::format("{} is longer than the {} bytes that are read of such a file",
                                 file.string(), longest));
  return text;
}

} // namespace gridsmith
