// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/code/line_table.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>

namespace gridsmith {
namespace {

/// What a program that ends too early gives: nothing is read beyond.
struct Cut {};

/// Little-endian, as the GPU and the machines that have one are.
class Reader {
public:
  Reader(std::string_view bytes, std::size_t at) : bytes_(bytes), at_(at) {}

  template <typename T>
  T number() {
    T value;
    const std::string_view bytes = take(sizeof value);
    std::memcpy(&value, bytes.begin(), bytes.size());
    return value;
  }

  std::uint64_t uleb() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = number<std::uint8_t>();
      value |= shift < 64 ? std::uint64_t{byte & 0x7fu} << shift : 0;
      if ((byte & 0x80u) == 0)
        return value;
    }
  }

  std::int64_t sleb() {
    std::uint64_t value = 0;
    for (int shift = 0;;) {
      const auto byte = number<std::uint8_t>();
      value |= shift < 64 ? std::uint64_t{byte & 0x7fu} << shift : 0;
      shift += 7;
      if ((byte & 0x80u) == 0)
        return static_cast<std::int64_t>(
            value | (byte & 0x40u && shift < 64 ? ~std::uint64_t{0} << shift : 0));
    }
  }

  std::string_view text() {
    const std::size_t end = bytes_.find('\0', at_);
    if (end == std::string_view::npos)
      throw Cut{};
    const std::string_view text = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }

  std::string_view take(std::size_t size) {
    if (at_ > bytes_.size() || bytes_.size() - at_ < size)
      throw Cut{};
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }

  std::size_t at() const { return at_; }

  void go_to(std::size_t at) { at_ = at; }

private:
  std::string_view bytes_;
  std::size_t at_;
};

/// Where the program's addresses lie: place in .debug_line -> section and begin in it.
struct Place {
  std::uint16_t section = 0;
  std::uint64_t offset = 0;
};

std::map<std::uint64_t, Place> places_of(const CubinFile& file) {
  const std::vector<CubinSymbol> symbols = symbols_of(file);
  std::map<std::uint64_t, Place> places;
  const auto add = [&](std::string_view table, std::size_t step) {
    for (std::size_t at = 0; at + step <= table.size(); at += step) {
      Elf64_Rela one{};
      std::memcpy(&one, table.data() + at, step); // Elf64_Rel is the same without the addend
      if (const auto symbol = ELF64_R_SYM(one.r_info); symbol < symbols.size())
        places[one.r_offset] = {symbols[symbol].section,
                                symbols[symbol].value + static_cast<std::uint64_t>(one.r_addend)};
    }
  };
  add(content_of(file, ".rela.debug_line"), sizeof(Elf64_Rela));
  add(content_of(file, ".rel.debug_line"), sizeof(Elf64_Rel));
  return places;
}

/// DWARF 4, 6.2.4; versions 2 and 3 differ in one field.
struct Header {
  std::size_t begin = 0, end = 0; ///< of the instructions
  int least_step = 1, line_base = 0, line_range = 1, opcode_base = 1;
  std::vector<std::uint8_t> operands; ///< of standard opcodes, from 1
  std::vector<std::string> files;     ///< from 1
};

/// @param folder from 1; 0: the compiler's own, which the table does not name
std::string in_folder(const std::vector<std::string_view>& folders, std::uint64_t folder,
                      std::string_view name) {
  return folder > 0 && folder <= folders.size()
             ? std::string(folders[folder - 1]) + '/' + std::string(name)
             : std::string(name);
}

/// Nothing of another version; the reader is at the next unit. @throws Cut
std::optional<Header> read_header(Reader& in) {
  Header header;
  const auto size = in.number<std::uint32_t>(); // 0xffffffff: of 64 bits, longer than any cubin
  header.end = in.at() + size;
  const auto version = in.number<std::uint16_t>();
  const auto length = in.number<std::uint32_t>();
  header.begin = in.at() + length;
  if (version < 2 || version > 4) {
    in.go_to(header.end);
    return std::nullopt;
  }
  header.least_step = in.number<std::uint8_t>();
  if (version == 4)
    in.number<std::uint8_t>(); // operations of one long instruction: 1
  in.number<std::uint8_t>();   // is_stmt
  header.line_base =
      int{in.number<std::int8_t>()}; // NOLINT(bugprone-signed-char-misuse): below 0 too
  header.line_range = std::max<int>(in.number<std::uint8_t>(), 1);
  header.opcode_base = in.number<std::uint8_t>();
  for (int i = 1; i < header.opcode_base; ++i)
    header.operands.push_back(in.number<std::uint8_t>());
  std::vector<std::string_view> folders;
  for (std::string_view name; !(name = in.text()).empty();)
    folders.push_back(name);
  for (std::string_view name; !(name = in.text()).empty();) {
    header.files.push_back(in_folder(folders, in.uleb(), name));
    in.uleb(); // time
    in.uleb(); // size
  }
  in.go_to(header.begin);
  return header;
}

/// The machine of DWARF 4, 6.2.5, as far as lines need it.
class LineProgram {
public:
  LineProgram(const Header& header, const std::map<std::uint64_t, Place>& places,
              std::size_t section, std::vector<LineOf>& lines)
      : header_(header), places_(places), section_(section), lines_(lines) {}

  /// @throws Cut
  void run(Reader& in) {
    while (in.at() < header_.end) {
      const int code = in.number<std::uint8_t>();
      if (code >= header_.opcode_base)
        special(code - header_.opcode_base);
      else if (code == 0)
        extended(in);
      else
        standard(code, in);
    }
  }

private:
  void special(int code) {
    place_.offset += static_cast<std::uint64_t>(code / header_.line_range * header_.least_step);
    line_ += header_.line_base + code % header_.line_range;
    row(file_);
  }

  void extended(Reader& in) {
    constexpr int end_sequence = 1, set_address = 2;
    constexpr int inlined = 0x90; // NVIDIA's: number of the caller's row, then the function's name
    const std::size_t size = in.uleb();
    const std::size_t end = in.at() + size;
    if (size == 0)
      return;
    const int code = in.number<std::uint8_t>();
    if (code == set_address)
      if (const auto found = places_.find(in.at()); found != places_.end())
        place_ = found->second;
    if (code == end_sequence) {
      caller_ = 0;
      row(0);
      place_ = {};
      file_ = line_ = 1;
      rows_.clear();
    }
    if (code == inlined)
      caller_ = in.uleb();
    in.take(end - std::min(in.at(), end));
  }

  void standard(int code, Reader& in) {
    constexpr int copy = 1, advance_pc = 2, advance_line = 3, set_file = 4, const_add_pc = 8,
                  fixed_advance_pc = 9;
    const auto step = static_cast<std::uint64_t>(header_.least_step);
    if (code == copy)
      row(file_);
    else if (code == advance_pc)
      place_.offset += in.uleb() * step;
    else if (code == advance_line)
      line_ += in.sleb();
    else if (code == set_file)
      file_ = in.uleb();
    else if (code == const_add_pc)
      place_.offset +=
          static_cast<std::uint64_t>((255 - header_.opcode_base) / header_.line_range) * step;
    else if (code == fixed_advance_pc)
      place_.offset += in.number<std::uint16_t>();
    else
      for (int i = 0; i < header_.operands[static_cast<std::size_t>(code - 1)]; ++i)
        in.uleb();
  }

  /// @param file 0: of no line
  void row(std::uint64_t file) {
    if (place_.section != section_)
      return;
    std::vector<SourceLine> places;
    if (file > 0 && file <= header_.files.size() && line_ > 0)
      places.push_back({header_.files[file - 1], static_cast<int>(line_)});
    if (caller_ > 0 && caller_ <= rows_.size() && rows_[caller_ - 1].size() < most_calls)
      places.insert(places.end(), rows_[caller_ - 1].begin(), rows_[caller_ - 1].end());
    rows_.push_back(places);
    lines_.push_back({place_.offset, std::move(places)});
  }

  static constexpr std::size_t most_calls = 40; // in one another: a damaged table has any number

  const Header& header_;
  const std::map<std::uint64_t, Place>& places_;
  std::size_t section_;
  std::vector<LineOf>& lines_;
  Place place_;
  std::uint64_t file_ = 1;
  std::int64_t line_ = 1;
  std::uint64_t caller_ = 0;                  ///< number of a row from 1; 0: not inlined
  std::vector<std::vector<SourceLine>> rows_; ///< places of the sequence's rows
};

/// Of several rows at one offset the last is of the innermost function.
std::vector<LineOf> sorted(std::vector<LineOf> lines) {
  const auto earlier = [](const LineOf& a, const LineOf& b) { return a.offset < b.offset; };
  std::stable_sort(lines.begin(), lines.end(), earlier);
  std::vector<LineOf> last;
  for (LineOf& one : lines)
    if (!last.empty() && last.back().offset == one.offset)
      last.back() = std::move(one);
    else
      last.push_back(std::move(one));
  return last;
}

/// The folder of the compiler, with the '/' at its end, from a path of this file; nothing where there
/// is none.
std::optional<std::string> root_of(const std::vector<LineOf>& lines, const std::string& file) {
  for (const LineOf& one : lines)
    for (const SourceLine& place : one.places)
      if (place.file == file || place.file.ends_with('/' + file))
        return place.file.substr(0, place.file.size() - file.size());
  return std::nullopt;
}

/// @param root none: any folder
bool is_path_of(const std::string& file, std::string_view path,
                const std::optional<std::string>& root) {
  if (path == file || !root)
    return path == file || path.ends_with('/' + file);
  return path == *root + file;
}

} // namespace

std::vector<LineOf> lines_of_section(const CubinFile& file, std::size_t section) {
  const std::string_view program = content_of(file, ".debug_line");
  const std::map<std::uint64_t, Place> places = places_of(file);
  std::vector<LineOf> lines;
  try {
    for (Reader in(program, 0); in.at() < program.size();)
      if (const auto header = read_header(in)) {
        LineProgram(*header, places, section, lines).run(in);
        in.go_to(header->end);
      }
  } catch (const Cut&) {
    return {};
  }
  return sorted(std::move(lines));
}

std::vector<LineOf> lines_of_files(std::vector<LineOf> lines,
                                   const std::vector<std::string>& files) {
  const auto root = files.empty() ? std::nullopt : root_of(lines, files.front());
  const auto own = [&](const SourceLine& place) {
    const auto file = std::find_if(files.begin(), files.end(), [&](const std::string& one) {
      return is_path_of(one, place.file, root);
    });
    return file == files.end() ? std::nullopt : std::optional(SourceLine{*file, place.line});
  };
  for (LineOf& one : lines) {
    std::vector<SourceLine> kept;
    for (const SourceLine& place : one.places)
      if (auto line = own(place); line && kept.empty())
        kept.push_back(*std::move(line));
    one.places = std::move(kept);
  }
  return lines;
}

const SourceLine* line_at(const std::vector<LineOf>& lines, std::uint64_t offset) {
  const auto after =
      std::upper_bound(lines.begin(), lines.end(), offset,
                       [](std::uint64_t value, const LineOf& one) { return value < one.offset; });
  return after == lines.begin() || std::prev(after)->places.empty()
             ? nullptr
             : &std::prev(after)->places.front();
}

} // namespace gridsmith
