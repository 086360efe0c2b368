#include "gridsmith/tuner/compiler/code_hash.hpp"

#include "gridsmith/base/content_hash.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace gridsmith {
namespace {

std::string_view view_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A struct of the file at this place; nothing beyond its end.
template <typename T>
std::optional<T> at(std::string_view file, std::size_t offset) {
  T value;
  if (offset > file.size() || file.size() - offset < sizeof(T))
    return std::nullopt;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

std::string_view part(std::string_view file, std::size_t offset, std::size_t size) {
  return offset > file.size() || file.size() - offset < size ? std::string_view{}
                                                             : file.substr(offset, size);
}

/// ".text" of ".text.KERNEL": what a section is, without whose it is.
std::string_view kind_of(std::string_view name) {
  constexpr std::array<std::string_view, 10> kinds{
      ".nv.constant",  ".nv.shared", ".nv.global", ".nv.info", ".nv.rel.action",
      ".nv.callgraph", ".rela.text", ".rel.text",  ".text",    ".nv.local"};
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](std::string_view kind) { return name.starts_with(kind); });
  return found == kinds.end() ? std::string_view{} : *found;
}

/// What of a section counts; empty: nothing.
std::string digest_of(std::string_view file, std::string_view names, const Elf64_Shdr& section) {
  const std::string_view rest = names.substr(std::min<std::size_t>(section.sh_name, names.size()));
  const std::string_view kind = kind_of(rest.substr(0, rest.find('\0')));
  if (kind.empty())
    return {};
  const std::string_view content =
      section.sh_type == SHT_NOBITS ? "" : part(file, section.sh_offset, section.sh_size);
  return std::string(kind) + '\0' + std::to_string(section.sh_size) + '\0' +
         std::to_string(section.sh_info) + '\0' + sha256_hex(content);
}

} // namespace

std::string code_hash(const Bytes& cubin) {
  const std::string_view file = view_of(cubin);
  const auto header = at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64)
    return sha256_hex(file);
  const auto section = [&](std::size_t number) {
    return at<Elf64_Shdr>(file, header->e_shoff + number * header->e_shentsize);
  };
  const auto table = section(header->e_shstrndx);
  const std::string_view names = table ? part(file, table->sh_offset, table->sh_size) : "";
  std::string all = std::to_string(header->e_flags); // the architecture
  for (std::size_t i = 0; i < header->e_shnum; ++i)
    if (const auto one = section(i))
      all += digest_of(file, names, *one) + '\n';
  return sha256_hex(all);
}

} // namespace gridsmith
