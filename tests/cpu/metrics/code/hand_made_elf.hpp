// SPDX-License-Identifier: Apache-2.0
// A file of the kind that cubins are, with sections of a test's choice.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace gridsmith::test {

using Bytes = std::vector<std::uint8_t>;

struct Section {
  std::string name, content;
};

inline void append(Bytes& file, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  file.insert(file.end(), bytes, bytes + size);
}

/// Header, contents, names, table of sections.
inline Bytes elf_of(const std::vector<Section>& sections, unsigned flags = 90) {
  Bytes file(sizeof(Elf64_Ehdr));
  std::string names(1, '\0');
  std::vector<Elf64_Shdr> table;
  const auto add = [&](const std::string& name, const std::string& content) {
    Elf64_Shdr one{};
    one.sh_name = static_cast<Elf64_Word>(names.size());
    one.sh_type = SHT_PROGBITS;
    one.sh_offset = file.size();
    one.sh_size = content.size();
    names += name + '\0';
    append(file, content.data(), content.size());
    table.push_back(one);
  };
  for (const Section& section : sections)
    add(section.name, section.content);
  add(".shstrtab", "");
  table.back().sh_offset = file.size();
  table.back().sh_size = names.size();
  append(file, names.data(), names.size());
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_flags = flags;
  header.e_shoff = file.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(table.size());
  header.e_shstrndx = static_cast<Elf64_Half>(table.size() - 1);
  append(file, table.data(), table.size() * sizeof(Elf64_Shdr));
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

} // namespace gridsmith::test
