#include "gridsmith/tuner/compiler/cubin.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace gridsmith {
namespace {

std::string_view view_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A value of the file at this place; nothing beyond its end.
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

/// The text at this place of a table of names.
std::string_view name_at(std::string_view names, std::size_t offset) {
  const std::string_view rest = names.substr(std::min(offset, names.size()));
  return rest.substr(0, rest.find('\0'));
}

std::string_view content_of(const std::vector<CubinSection>& sections, std::string_view name) {
  for (const CubinSection& section : sections)
    if (section.name == name)
      return section.content;
  return {};
}

/// One attribute of a section .nv.info: how long it is, what it is, and its value. NVIDIA documents
/// neither; the numbers are those that `cuobjdump --dump-elf` prints names of.
struct Attribute {
  std::uint8_t kind = 0;
  std::string_view value;
};

constexpr std::uint8_t sized_format = 4;        // EIFMT_SVAL: two bytes say how long the value is
constexpr std::uint8_t max_threads_kind = 0x05; // EIATTR_MAX_THREADS
constexpr std::uint8_t parameter_kind = 0x17;   // EIATTR_KPARAM_INFO
constexpr std::uint8_t large_parameter_kind = 0x45; // … of a kernel with more than 4 KiB of them
constexpr std::uint8_t all_parameters_kind = 0x19;  // EIATTR_CBANK_PARAM_SIZE

std::vector<Attribute> attributes_of(const CubinFile& file, std::string_view kernel) {
  std::string_view info = content_of(file.sections, ".nv.info." + std::string(kernel));
  std::vector<Attribute> attributes;
  while (const auto head = at<std::uint32_t>(info, 0)) {
    const auto format = static_cast<std::uint8_t>(*head),
               kind = static_cast<std::uint8_t>(*head >> 8);
    const std::size_t size = format == sized_format ? *head >> 16 : 0;
    // The others have their value in the last two bytes of these four.
    attributes.push_back({kind, size > 0 ? part(info, sizeof *head, size) : part(info, 2, 2)});
    info =
        part(info, sizeof *head + size, info.size() - std::min(info.size(), sizeof *head + size));
  }
  return attributes;
}

} // namespace

std::optional<CubinFile> read_cubin(const Bytes& cubin) {
  const std::string_view file = view_of(cubin);
  const auto header = at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64)
    return std::nullopt;
  const auto section = [&](std::size_t number) {
    return at<Elf64_Shdr>(file, header->e_shoff + number * header->e_shentsize);
  };
  const auto table = section(header->e_shstrndx);
  const std::string_view names = table ? part(file, table->sh_offset, table->sh_size) : "";
  CubinFile read{header->e_flags, {}};
  for (std::size_t i = 0; i < header->e_shnum; ++i)
    if (const auto one = section(i))
      read.sections.push_back(
          {name_at(names, one->sh_name),
           one->sh_type == SHT_NOBITS ? "" : part(file, one->sh_offset, one->sh_size), one->sh_size,
           one->sh_info});
  return read;
}

std::optional<std::vector<std::int64_t>> parameter_bytes(const Bytes& cubin,
                                                         std::string_view kernel) {
  const auto file = read_cubin(cubin);
  if (!file)
    return std::nullopt;
  const std::vector<Attribute> attributes = attributes_of(*file, kernel);
  std::map<std::uint16_t, std::int64_t> bytes; // by number: they stand in any order
  int all = 0;
  for (const auto& [kind, value] : attributes) {
    if (kind == all_parameters_kind)
      all = at<std::uint16_t>(value, 0).value_or(0);
    // Index (4 bytes), number (2), offset (2), then the size in the upper 14 or lower 24 of 32 bits.
    const auto number = at<std::uint16_t>(value, 4);
    const auto packed = at<std::uint32_t>(value, 8);
    if (number && packed && kind == parameter_kind)
      bytes[*number] = *packed >> 18;
    if (number && packed && kind == large_parameter_kind)
      bytes[*number] = *packed & 0xffffff;
  }
  const bool told =
      bytes.empty() ? all == 0 && !attributes.empty() : bytes.rbegin()->first + 1u == bytes.size();
  if (!told)
    return std::nullopt;
  std::vector<std::int64_t> ordered;
  ordered.reserve(bytes.size());
  for (const auto& [number, size] : bytes)
    ordered.push_back(size);
  return ordered;
}

int launch_bound(const Bytes& cubin, std::string_view kernel) {
  const auto file = read_cubin(cubin);
  if (!file)
    return 0;
  for (const auto& [kind, value] : attributes_of(*file, kernel)) {
    const auto x = at<std::uint32_t>(value, 0), y = at<std::uint32_t>(value, 4),
               z = at<std::uint32_t>(value, 8);
    if (kind == max_threads_kind && x && y && z)
      return static_cast<int>(*x * *y * *z);
  }
  return 0;
}

std::vector<std::string> variables(const Bytes& cubin) {
  const auto file = read_cubin(cubin);
  std::vector<std::string> found;
  if (!file)
    return found;
  const std::string_view symbols = content_of(file->sections, ".symtab");
  const std::string_view names = content_of(file->sections, ".strtab");
  for (std::size_t offset = 0; const auto symbol = at<Elf64_Sym>(symbols, offset);
       offset += sizeof(Elf64_Sym))
    if (ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT)
      found.emplace_back(name_at(names, symbol->st_name));
  return found;
}

} // namespace gridsmith
