// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/code/cubin.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace gridsmith {
namespace {

std::string_view view_of(std::span<const std::uint8_t> bytes) {
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
constexpr std::uint8_t registers_kind = 0x2f;       // EIATTR_REGCOUNT: symbol, registers
constexpr std::uint8_t frame_kind = 0x11;           // EIATTR_FRAME_SIZE: symbol, bytes
constexpr std::uint8_t least_stack_kind = 0x12;     // EIATTR_MIN_STACK_SIZE: alike, with calls

/// @param info content of the section
std::vector<Attribute> attributes_in(std::string_view info) {
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

std::vector<Attribute> attributes_of(const CubinFile& file, std::string_view kernel) {
  return attributes_in(content_of(file, ".nv.info." + std::string(kernel)));
}

/// Since CUDA 13 (ABI 8) the second byte of the flags, before that the first.
int capability_of(const Elf64_Ehdr& header) {
  constexpr unsigned char new_abi = 8;
  return static_cast<int>(header.e_flags >> (header.e_ident[EI_ABIVERSION] >= new_abi ? 8 : 0) &
                          0xff);
}

/// Whether so many entries of this size fit in after the offset.
bool holds(std::string_view file, std::uint64_t offset, std::uint64_t count, std::uint64_t size) {
  return offset <= file.size() &&
         (file.size() - offset) / std::max<std::uint64_t>(size, 1) >= count;
}

bool tables_inside(std::string_view file, const Elf64_Ehdr& header) {
  return header.e_shentsize == sizeof(Elf64_Shdr) && header.e_shstrndx < header.e_shnum &&
         holds(file, header.e_shoff, header.e_shnum, sizeof(Elf64_Shdr)) &&
         holds(file, header.e_phoff, header.e_phnum, header.e_phentsize);
}

} // namespace

std::string_view content_of(const CubinFile& file, std::string_view section) {
  for (const CubinSection& one : file.sections)
    if (one.name == section)
      return one.content;
  return {};
}

std::optional<CubinFile> read_cubin(std::span<const std::uint8_t> cubin) {
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
  CubinFile read{header->e_flags, capability_of(*header), tables_inside(file, *header), {}};
  for (std::size_t i = 0; i < header->e_shnum; ++i)
    if (const auto one = section(i)) {
      const bool empty = one->sh_type == SHT_NOBITS || one->sh_type == SHT_NULL;
      read.sections.push_back({name_at(names, one->sh_name),
                               empty ? "" : part(file, one->sh_offset, one->sh_size), one->sh_size,
                               one->sh_info});
      read.whole = read.whole && (empty || holds(file, one->sh_offset, one->sh_size, 1));
    }
  return read;
}

std::vector<CubinSymbol> symbols_of(const CubinFile& file) {
  const std::string_view table = content_of(file, ".symtab"), names = content_of(file, ".strtab");
  std::vector<CubinSymbol> symbols;
  for (std::size_t offset = 0; const auto one = at<Elf64_Sym>(table, offset);
       offset += sizeof(Elf64_Sym))
    symbols.push_back({name_at(names, one->st_name),
                       static_cast<std::uint8_t>(ELF64_ST_TYPE(one->st_info)), one->st_shndx,
                       one->st_value, one->st_size});
  return symbols;
}

std::int64_t stack_bytes(const CubinFile& file, std::size_t section) {
  const std::vector<CubinSymbol> symbols = symbols_of(file);
  std::int64_t most = 0;
  for (const auto& [kind, value] : attributes_in(content_of(file, ".nv.info"))) {
    const auto symbol = at<std::uint32_t>(value, 0), bytes = at<std::uint32_t>(value, 4);
    if ((kind == frame_kind || kind == least_stack_kind) && symbol && bytes &&
        *symbol < symbols.size() && symbols[*symbol].section == section)
      most = std::max<std::int64_t>(most, *bytes);
  }
  return most;
}

CompileFacts resources_of(const CubinFile& file, std::string_view kernel) {
  constexpr std::int64_t reserved_bytes =
      1024; // the driver's, as `ptxas -v` of CUDA 13 leaves them out
  CompileFacts facts;
  const std::vector<CubinSymbol> symbols = symbols_of(file);
  // A linker drops the section and leaves the symbol.
  bool reserved = std::any_of(symbols.begin(), symbols.end(), [](const CubinSymbol& one) {
    return one.name == ".nv.reservedSmem.offset0";
  });
  for (std::size_t number = 0; number < file.sections.size(); ++number) {
    const auto& [name, content, size, info] = file.sections[number];
    reserved = reserved || name == ".nv.shared.reserved.0";
    if (name == ".nv.shared." + std::string(kernel))
      facts.static_shared_bytes = static_cast<std::int64_t>(size);
    if (name == ".text." + std::string(kernel))
      facts.local_bytes = stack_bytes(file, number);
  }
  if (reserved)
    facts.static_shared_bytes =
        std::max<std::int64_t>(0, facts.static_shared_bytes - reserved_bytes);
  for (const auto& [kind, value] : attributes_in(content_of(file, ".nv.info"))) {
    const auto symbol = at<std::uint32_t>(value, 0), registers = at<std::uint32_t>(value, 4);
    if (kind == registers_kind && symbol && registers && *symbol < symbols.size() &&
        symbols[*symbol].name == kernel)
      facts.registers_per_thread = static_cast<int>(*registers);
  }
  return facts;
}

std::optional<std::vector<std::int64_t>> parameter_bytes(std::span<const std::uint8_t> cubin,
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

int launch_bound(std::span<const std::uint8_t> cubin, std::string_view kernel) {
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

std::vector<std::string> variables(std::span<const std::uint8_t> cubin) {
  const auto file = read_cubin(cubin);
  std::vector<std::string> found;
  if (!file)
    return found;
  for (const CubinSymbol& symbol : symbols_of(*file))
    if (symbol.type == STT_OBJECT)
      found.emplace_back(symbol.name);
  return found;
}

std::vector<std::string> empty_constants(std::span<const std::uint8_t> cubin) {
  const auto file = read_cubin(cubin);
  std::vector<std::string> found;
  if (!file)
    return found;
  for (const CubinSymbol& symbol : symbols_of(*file)) {
    if (symbol.type != STT_OBJECT || symbol.section >= file->sections.size())
      continue;
    const CubinSection& section = file->sections[symbol.section];
    if (section.name != ".nv.constant3" || symbol.value > section.content.size())
      continue;
    const std::string_view bytes = section.content.substr(symbol.value, symbol.size);
    if (bytes.find_first_not_of('\0') == bytes.npos)
      found.emplace_back(symbol.name);
  }
  return found;
}

std::optional<std::uint64_t> variable_bytes(std::span<const std::uint8_t> cubin,
                                            std::string_view name) {
  const auto file = read_cubin(cubin);
  if (!file)
    return std::nullopt;
  for (const CubinSymbol& symbol : symbols_of(*file))
    if (symbol.type == STT_OBJECT && symbol.name == name)
      return symbol.size;
  return std::nullopt;
}

} // namespace gridsmith
