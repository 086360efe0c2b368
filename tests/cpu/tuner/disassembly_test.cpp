// SPDX-License-Identifier: Apache-2.0
// What we read from machine code against what NVIDIA's disassembler reads, instruction by instruction:
// names, widths of accesses, targets of branches. Where there is no nvdisasm, only our reading of its
// text is tested.
#include "gridsmith/kernels/definition/compile_request.hpp"
#include "gridsmith/kernels/definition/first_guesses.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/metrics/code/cubin.hpp"
#include "gridsmith/metrics/code/instruction.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/metrics/code/probes.hpp"
#include "gridsmith/tuner/compiler/nvrtc.hpp"
#include "gridsmith/tuner/processes/disassembler.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace disassembly_test {

using namespace gridsmith;

namespace {

struct Disassembled {
  std::vector<std::string> words; ///< "LDG", "E", "64"
  std::string label;              ///< that it names: "" or ".L_x_1"
};

struct Section {
  std::map<std::size_t, Disassembled> code; ///< by offset
  std::map<std::string, std::size_t> labels;
};

std::vector<std::string> parts_of(const std::string& mnemonic) {
  std::vector<std::string> parts;
  std::istringstream in(mnemonic);
  for (std::string part; std::getline(in, part, '.');)
    parts.push_back(part);
  return parts;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == text.npos ? std::string_view() : text.substr(first, last + 1 - first);
}

/// What stands between the first of two texts and the second; "" where they do not.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t begin = text.find(before);
  if (begin == text.npos)
    return {};
  text.remove_prefix(begin + before.size());
  return text.substr(0, text.find(after));
}

/// "/*0010*/  @!P0 BRA `(.L_x_1) ;". Another line has none.
std::optional<std::pair<std::size_t, Disassembled>> instruction_of(std::string_view line) {
  const std::string_view number = between(line, "/*", "*/");
  std::size_t offset = 0;
  const auto end = number.data() + number.size();
  if (!line.starts_with("/*") || number.empty() ||
      std::from_chars(number.data(), end, offset, 16).ptr != end)
    return std::nullopt;
  std::string_view rest = trimmed(line.substr(number.size() + 4));
  if (rest.starts_with('@')) // a predicate
    rest = trimmed(rest.substr(std::min(rest.size(), rest.find(' '))));
  const auto in_name = [](char one) { return std::isalnum(one) || one == '_' || one == '.'; };
  const auto name_end = std::find_if_not(rest.begin(), rest.end(), in_name);
  const std::string name(rest.begin(), name_end);
  if (name.empty())
    return std::nullopt;
  return std::pair(offset, Disassembled{parts_of(name), std::string(between(rest, "`(", ")"))});
}

/// By name of the section. A label is of the instruction that follows.
std::map<std::string, Section> sections_of(const std::string& sass) {
  std::map<std::string, Section> found;
  Section* now = nullptr;
  std::vector<std::string> waiting;
  std::istringstream in(sass);
  for (std::string whole; std::getline(in, whole);) {
    const std::string_view line = trimmed(whole);
    if (line.starts_with(".section\t") || line.starts_with(".section ")) { // no ".sectioninfo"
      now = &found[std::string(trimmed(between(line, ".section", ",")))];
    } else if (line.ends_with(':') && line.find(' ') == line.npos) {
      waiting.emplace_back(line.substr(0, line.size() - 1));
    } else if (auto instruction = now ? instruction_of(line) : std::nullopt) {
      for (const std::string& one : waiting)
        now->labels[one] = instruction->first;
      waiting.clear();
      now->code.insert(std::move(*instruction));
    }
  }
  return found;
}

/// Of an access that says so in its name; 0: it does not.
int width_in(const Disassembled& one, WidthField field) {
  const bool matrices = field == WidthField::matrices;
  if (!matrices && field != WidthField::access && field != WidthField::copy &&
      field != WidthField::wide)
    return 0;
  const std::map<std::string, int> widths =
      matrices ? std::map<std::string, int>{{"2", 8}, {"4", 16}}
               : std::map<std::string, int>{{"U8", 1}, {"S8", 1},   {"U16", 2}, {"S16", 2},
                                            {"64", 8}, {"128", 16}, {"256", 32}};
  for (const std::string& word : one.words)
    if (const auto found = widths.find(word); found != widths.end())
      return found->second;
  return 4;
}

/// One number of ours has two names there, by what its operands are.
std::string plain(const std::string& name) {
  const std::map<std::string, std::string> same{{"CGAERRBAR", "ERRBAR"}};
  const auto found = same.find(name);
  return found != same.end() ? found->second : name.substr(0, name.find('_'));
}

/// "" or how the two differ.
std::string difference(const MachineInstruction& ours, const Disassembled& theirs,
                       const Section& section) {
  std::ostringstream out;
  const std::string said = theirs.words.at(0);
  if (ours.name() != plain(said))
    out << "0x" << std::hex << ours.number << " is "
        << (ours.opcode ? std::string(ours.name()) : "unknown") << ", there " << said;
  else if (const int width = ours.opcode->width == WidthField::none || ours.never
                                 ? 0
                                 : width_in(theirs, ours.opcode->width);
           width != 0 && width != ours.bytes)
    out << said << ": " << ours.bytes << " bytes, there " << width;
  else if (const auto label = section.labels.find(theirs.label);
           label != section.labels.end() && (said == "BRA" || ours.number == 0x944) &&
           ours.target.value_or(0) * instruction_bytes != label->second)
    out << said << " to " << ours.target.value_or(0) * instruction_bytes << ", there "
        << label->second;
  return out.str();
}

class Comparison {
public:
  /// @param sass of the whole cubin
  void compare(const Bytes& cubin, const std::string& sass) {
    const auto sections = sections_of(sass);
    const auto file = read_cubin(cubin);
    REQUIRE(file);
    for (const CubinSection& one : file->sections)
      if (one.name.starts_with(".text.")) {
        const auto theirs = sections.find(std::string(one.name));
        REQUIRE(theirs != sections.end());
        compare(decode(one.content, file->compute_capability), theirs->second);
      }
  }

  std::string table() const {
    std::ostringstream out;
    for (const auto& [what, count] : differences)
      out << count << " x " << what << '\n';
    return out.str();
  }

  int instructions = 0;
  std::map<std::string, int> differences;

private:
  void compare(const std::vector<MachineInstruction>& ours, const Section& theirs) {
    for (const auto& [offset, one] : theirs.code) {
      const std::size_t position = offset / instruction_bytes;
      REQUIRE(position < ours.size());
      ++instructions;
      if (const std::string found = difference(ours[position], one, theirs); !found.empty())
        ++differences[found];
    }
  }
};

/// The default configuration, another one, and the reference.
std::vector<CompileRequest> requests_of(const KernelDefinition& definition, int capability) {
  const auto instance =
      instantiate(definition, definition.default_problem(), device_of_capability(capability));
  const auto space = build_space(instance);
  if (space.size() == 0)
    return {}; // no kernel for such a device
  const auto first = first_configuration(instance, space);
  std::vector<CompileRequest> requests{compile_request(instance, first)};
  Random random(1);
  for (const ConfigurationId id : space.sample(1, random))
    requests.push_back(compile_request(instance, space.at(id)));
  if (definition.reference.kernel)
    requests.push_back(reference_compile_request(instance, first));
  return requests;
}

std::vector<CompileRequest> all_requests(int capability) {
  std::vector<CompileRequest> requests{
      {make_bundle({"probes.cu", test::probes}), test::probe_kernels.front(), {}}};
  if (capability >= 90)
    requests.push_back(
        {make_bundle({"newer.cu", test::newer_probes}), test::newer_probe_kernels.front(), {}});
  for (const auto& file : catalogue(GRIDSMITH_SOURCE_DIR "/kernels/catalogue"))
    for (CompileRequest& one : requests_of(read_definition(file), capability))
      requests.push_back(std::move(one));
  return requests;
}

const char* const sample = R"(	.headerflags	@"EF_CUDA_SM90"
.section	.text.k,"ax",@progbits
	.sectioninfo	@"SHI_REGISTERS=10"
	.align	128
.text.k:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!P0 BRA `(.L_x_1) ;
.L_x_0:
        /*0020*/                   LDG.E.64.CONSTANT R2, desc[UR4][R2.64] ;
.L_x_1:
        /*0030*/             @!UPT UIADD3 URZ, URZ, URZ, URZ ;
.L_x_2:
        /*0040*/                   BRA `(.L_x_2);
)";

} // namespace

TEST_CASE("the text of nvdisasm") {
  const auto sections = sections_of(sample);
  REQUIRE(sections.size() == 1);
  const Section& k = sections.at(".text.k");
  REQUIRE(k.code.size() == 5);
  CHECK(k.code.at(0x20).words == std::vector<std::string>{"LDG", "E", "64", "CONSTANT"});
  CHECK(width_in(k.code.at(0x20), WidthField::access) == 8);
  CHECK(width_in(k.code.at(0), WidthField::access) == 4);
  CHECK(k.code.at(0x10).label == ".L_x_1");
  CHECK(k.code.at(0x30).words.at(0) == "UIADD3");
  CHECK(k.labels.at(".L_x_1") == 0x30);
  CHECK(k.labels.at(".L_x_2") == 0x40);
}

TEST_CASE("differences are found") {
  const auto sections = sections_of(sample);
  const Section& k = sections.at(".text.k");
  MachineInstruction load, branch;
  load.opcode = find_opcode(0x981, 90);
  load.bytes = 8;
  branch.opcode = find_opcode(0x947, 90);
  branch.target = 3;
  CHECK(difference(load, k.code.at(0x20), k) == "");
  CHECK(difference(branch, k.code.at(0x10), k) == "");
  load.bytes = 4;
  branch.target = 2;
  CHECK(difference(load, k.code.at(0x20), k) == "LDG: 4 bytes, there 8");
  CHECK(difference(branch, k.code.at(0x10), k) == "BRA to 32, there 48");
  CHECK(difference(branch, k.code.at(0x20), k) == "0x0 is BRA, there LDG");
  CHECK(difference({}, k.code.at(0x20), k) == "0x0 is unknown, there LDG");
}

TEST_CASE("noting lines changes no machine code") {
  const Nvrtc nvrtc;
  constexpr int capability = 90;
  constexpr std::size_t every = 4; // of the compiler, not of the kernels: some of them will do
  auto requests = all_requests(capability);
  for (std::size_t i = 0; i < requests.size(); i += every) {
    CompileRequest& request = requests[i];
    INFO(request.source->main.name);
    const CodeObject plain = nvrtc.compile({request, capability});
    request.options.push_back("-lineinfo");
    const CodeObject noted = nvrtc.compile({request, capability});
    REQUIRE(noted.cubin);
    CHECK(noted.facts == plain.facts);
    const auto before = read_cubin(*plain.cubin), after = read_cubin(*noted.cubin);
    for (const std::string kind : {".text.", ".nv.constant0."})
      CHECK(content_of(*after, kind + plain.kernel) == content_of(*before, kind + plain.kernel));
    CHECK_FALSE(content_of(*before, ".text." + plain.kernel).empty());
    CHECK_FALSE(content_of(*after, ".debug_line").empty());
  }
}

TEST_CASE("machine code reads as nvdisasm reads it", "[.][needs:nvdisasm]") {
  const Nvrtc nvrtc;
  const Disassembler disassembler(std::nullopt, {"/usr/local/cuda/bin"});
  for (const int capability : {80, 90, 120}) {
    const auto& known = nvrtc.capabilities();
    if (std::find(known.begin(), known.end(), capability) == known.end())
      continue;
    const std::size_t every = capability == 90 ? 1 : 3; // compiling takes the time
    Comparison comparison;
    const auto requests = all_requests(capability);
    for (std::size_t i = 0; i < requests.size(); i += every) {
      const CompileRequest& request = requests[i];
      const CodeObject code = nvrtc.compile({request, capability});
      INFO(request.source->main.name << " for " << capability << ": " << code.log);
      REQUIRE(code.cubin);
      const Disassembly text = disassembler.disassemble(*code.cubin);
      INFO(text.missing_because.value_or(""));
      REQUIRE(text.sass);
      comparison.compare(*code.cubin, *text.sass);
    }
    std::cout << "compute capability " << capability << ": " << comparison.instructions
              << " instructions, differences:\n"
              << comparison.table();
    INFO("compute capability " << capability);
    CHECK(comparison.instructions > 1000);
    CHECK(comparison.table() == "");
  }
}

} // namespace disassembly_test
