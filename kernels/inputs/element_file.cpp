// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/kernels/inputs/element_file.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/inputs/element_words.hpp"
#include "gridsmith/kernels/inputs/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const std::string& what) {
  throw InputError(file.string() + ": " + what);
}

/// Nothing of a raw file.
std::optional<NpyHead> head_of(const fs::path& file, const ReadableFolders& folders,
                               ElementType type) {
  if (file.extension() == ".npz")
    fail(file, "is an archive of .npy files; unpack it (unzip) and name one of them");
  if (!is_npy(file))
    return std::nullopt;
  const auto start = read_start(readable_file(file, folders), longest_npy_head);
  if (!start)
    fail(file, "cannot be read");
  std::optional<NpyHead> head;
  try {
    head = read_npy_head(*start);
  } catch (const InputError& error) {
    fail(file, error.what());
  }
  if (head->type != type)
    fail(file,
         fmt::format("its elements are {}, {} is needed", to_text(head->type), to_text(type)));
  return head;
}

/// Bytes before the elements.
std::uint64_t checked_head(const fs::path& file, const ReadableFolders& folders, ElementType type,
                           std::uint64_t elements) {
  const auto head = head_of(file, folders, type);
  if (head && head->elements != elements)
    fail(file, fmt::format("its shape ({}) has {} elements, {} are needed",
                           fmt::join(head->shape, ", "), head->elements, elements));
  const std::uint64_t before = head ? head->bytes : 0;
  if (elements > longest_element_file / size_of(type))
    fail(file, fmt::format("{} elements are more than the {} bytes that are read of such a file",
                           elements, longest_element_file));
  const std::uint64_t needed = before + elements * size_of(type);
  std::error_code error;
  const std::uint64_t bytes = fs::file_size(readable_file(file, folders), error);
  if (error)
    fail(file, "there is no such file");
  if (bytes != needed)
    fail(file, fmt::format("it has {} bytes, {} elements of {} need {}", bytes, elements,
                           to_text(type), needed));
  return before;
}

} // namespace

bool is_npy(const fs::path& file) {
  return file.extension() == ".npy";
}

void check_element_type(const fs::path& file, const ReadableFolders& folders, ElementType type) {
  head_of(file, folders, type);
}

void check_elements(const fs::path& file, const ReadableFolders& folders, ElementType type,
                    std::uint64_t elements) {
  checked_head(file, folders, type, elements);
}

std::string read_elements(const fs::path& file, const ReadableFolders& folders, ElementType type,
                          std::uint64_t elements) {
  const std::uint64_t before = checked_head(file, folders, type, elements);
  auto content = read_regular(readable_file(file, folders), before + elements * size_of(type));
  if (!content || content->size() != before + elements * size_of(type))
    fail(file, "cannot be read");
  return content->substr(before);
}

} // namespace gridsmith
