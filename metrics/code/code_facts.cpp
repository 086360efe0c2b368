// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/metrics/code/code_facts.hpp"

#include "gridsmith/base/demangled.hpp"
#include "gridsmith/base/error.hpp"
#include "gridsmith/metrics/code/cubin.hpp"
#include "gridsmith/metrics/code/loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <tuple>

namespace gridsmith {
namespace {

constexpr std::string_view code_prefix = ".text.";
constexpr int first_capability = 70; // of instructions of 128 bits

CubinFile whole_cubin(std::span<const std::uint8_t> bytes) {
  auto file = read_cubin(bytes);
  if (!file)
    throw InputError(fmt::format("no cubin: {} bytes that are no 64-bit ELF file", bytes.size()));
  if (!file->whole)
    throw InputError(fmt::format("damaged cubin: some of its {} sections lie beyond its {} bytes",
                                 file->sections.size(), bytes.size()));
  if (file->compute_capability < first_capability)
    throw InputError(fmt::format("cubin for compute capability {}.{}: only code for 7.0 and newer "
                                 "is read",
                                 file->compute_capability / 10, file->compute_capability % 10));
  return *file;
}

/// Whether `wanted` is the name up to where its arguments begin.
bool is_name_of(std::string_view wanted, std::string_view lowered) {
  if (wanted == lowered)
    return true;
  const std::string full = demangled(std::string(lowered));
  const std::size_t at = full.find(wanted);
  if (wanted.empty() || at == std::string::npos)
    return false;
  const std::string_view after = std::string_view(full).substr(at + wanted.size());
  const bool begins = at == 0 || full[at - 1] == ' ' || full[at - 1] == ':';
  return begins && full.find('(') >= at + wanted.size() &&
         (after.empty() || after.front() == '(' || after.front() == '<');
}

/// The number of the kernel's section. @throws InputError
std::size_t section_of(const CubinFile& file, std::string_view kernel) {
  std::vector<std::string> names;
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < file.sections.size(); ++i) {
    std::string_view name = file.sections[i].name;
    if (!name.starts_with(code_prefix))
      continue;
    name.remove_prefix(code_prefix.size());
    if (name == kernel)
      return i;
    names.emplace_back(name);
    if (is_name_of(kernel, name))
      found.push_back(i);
  }
  if (found.empty())
    throw InputError(unknown_name("kernel", kernel, names));
  if (found.size() > 1)
    throw InputError(fmt::format("{} kernels of the cubin are called '{}' (valid: {})",
                                 found.size(), kernel, fmt::join(names, ", ")));
  return found.front();
}

/// What the compiler puts behind the end of a function: a branch to itself, then NOPs.
std::vector<bool> fillers_of(const std::vector<MachineInstruction>& code) {
  std::vector<bool> fillers(code.size());
  bool ended = false;
  for (std::size_t i = 0; i < code.size(); ++i) {
    ended = (ended && code[i].name() == "NOP") ||
            (code[i].ends_flow() && code[i].name() == "BRA" && code[i].target == i);
    fillers[i] = ended;
  }
  return fillers;
}

bool is_multiply_add(const MachineInstruction& one) {
  constexpr std::array<std::string_view, 4> names{"FFMA", "DFMA", "HFMA2", "FFMA2"};
  return one.kind != CodeClass::move && // HFMA2 as a constant
         std::find(names.begin(), names.end(), one.name()) != names.end();
}

class MixCount {
public:
  void add(const MachineInstruction& one) {
    ++mix_.instructions;
    ++mix_.by_class[static_cast<std::size_t>(one.kind)];
    mix_.multiply_adds += is_multiply_add(one) ? 1 : 0;
    mix_.indexed_constant_loads += one.indexed ? 1 : 0;
    mix_.clock_reads += one.clock ? 1 : 0;
    if (one.memory)
      ++memory_[{*one.memory, one.bytes}];
    ++names_[{one.number & operation_bits, one.opcode, one.bytes}];
  }

  InstructionMix mix() const {
    InstructionMix mix = mix_;
    for (const auto& [what, count] : memory_)
      mix.memory.push_back({what.first, what.second, count});
    for (const auto& [what, count] : names_)
      mix.by_name[name_of(what)] += count;
    return mix;
  }

private:
  struct Name {
    int number;
    const Opcode* opcode;
    int bytes;

    auto operator<=>(const Name&) const = default;
  };

  static std::string name_of(const Name& name) {
    if (!name.opcode)
      return fmt::format("{:#x}", name.number);
    return name.bytes > 0 ? fmt::format("{}.{}", name.opcode->name, 8 * name.bytes)
                          : std::string(name.opcode->name);
  }

  static constexpr int operation_bits = 0x1ff; // the rest of the number is the form of operands

  InstructionMix mix_;
  std::map<std::pair<MemoryKind, int>, int> memory_;
  std::map<Name, int> names_;
};

LoopFacts facts_of(const CodeLoop& loop, const std::vector<MachineInstruction>& code) {
  MixCount count;
  for (const std::size_t position : loop.body)
    count.add(code[position]);
  return {loop.body.front() * instruction_bytes,
          (loop.body.back() + 1) * instruction_bytes,
          loop.depth,
          loop.innermost,
          count.mix(),
          loads_in_flight(code, loop.body, loop.head)};
}

/// A word of 2/pi is loaded and a product kept in local memory, turn by turn, and nothing is real.
bool reduces_angles(const LoopFacts& loop) {
  constexpr int longest = 24;
  const InstructionMix& mix = loop.mix;
  return loop.innermost && mix.instructions <= longest && mix.of(MemoryKind::local_store) == 1 &&
         mix.of(MemoryKind::global_load) == 1 &&
         mix.of(CodeClass::fp32) + mix.of(CodeClass::fp64) == 0;
}

void leave_out_angles(std::vector<LoopFacts>& loops) {
  if (std::erase_if(loops, reduces_angles) == 0)
    return;
  for (LoopFacts& loop : loops)
    loop.innermost = std::none_of(loops.begin(), loops.end(), [&](const LoopFacts& other) {
      return other.depth > loop.depth && other.begin >= loop.begin && other.end <= loop.end;
    });
}

void take_most(LoadsInFlight& most, const LoadsInFlight& other) {
  most.loads = std::max(most.loads, other.loads);
  most.bytes = std::max(most.bytes, other.bytes);
  most.shared_loads = std::max(most.shared_loads, other.shared_loads);
  most.shared_bytes = std::max(most.shared_bytes, other.shared_bytes);
}

void count_instructions(const std::vector<MachineInstruction>& code, CodeFacts& facts) {
  const std::vector<bool> fillers = fillers_of(code);
  MixCount count;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (fillers[i])
      continue;
    const MachineInstruction& one = code[i];
    count.add(one);
    facts.unknown += one.opcode ? 0 : 1;
    facts.calls = facts.calls || one.name() == "CALL";
  }
  facts.mix = count.mix();
}

} // namespace

int InstructionMix::of(MemoryKind kind) const {
  int sum = 0;
  for (const MemoryCount& one : memory)
    sum += one.kind == kind ? one.count : 0;
  return sum;
}

double InstructionMix::overhead() const {
  const int sum = of(CodeClass::integer) + of(CodeClass::move) + of(CodeClass::uniform) +
                  of(CodeClass::control);
  return instructions > 0 ? static_cast<double>(sum) / instructions : 0;
}

double CodeFacts::unknown_share() const {
  return mix.instructions > 0 ? static_cast<double>(unknown) / mix.instructions : 0;
}

const LoopFacts* CodeFacts::hottest_loop() const {
  const auto work = [](const LoopFacts& one) {
    return one.innermost ? one.mix.instructions * std::pow(8.0, one.depth) : 0;
  };
  const auto hottest =
      std::max_element(loops.begin(), loops.end(),
                       [&](const LoopFacts& a, const LoopFacts& b) { return work(a) < work(b); });
  return hottest == loops.end() ? nullptr : &*hottest;
}

const LoadsInFlight& CodeFacts::in_flight_mostly() const {
  const LoopFacts* hottest = hottest_loop();
  return hottest && hottest->in_flight.loads > 0 ? hottest->in_flight : in_flight;
}

CodeFacts code_facts(std::span<const std::uint8_t> cubin, std::string_view kernel) {
  const CubinFile file = whole_cubin(cubin);
  const std::size_t section = section_of(file, kernel);
  std::vector<MachineInstruction> code =
      decode(file.sections[section].content, file.compute_capability);
  CodeFacts facts;
  facts.kernel = file.sections[section].name.substr(code_prefix.size());
  facts.compute_capability = file.compute_capability;
  count_instructions(code, facts);
  facts.in_flight = loads_in_flight(code);
  for (const CodeLoop& loop : find_loops(code)) {
    facts.loops.push_back(facts_of(loop, code));
    take_most(facts.in_flight, facts.loops.back().in_flight);
  }
  leave_out_angles(facts.loops);
  facts.stack_bytes = stack_bytes(file, section);
  facts.lines = lines_of_section(file, section);
  facts.code = std::move(code);
  return facts;
}

std::vector<LineCount> lines_of(const CodeFacts& facts, const InstructionTest& wanted) {
  const LoopFacts* hottest = facts.hottest_loop();

  struct Count {
    bool hot = false;
    int instructions = 0;
  };

  std::map<std::pair<std::string, int>, Count> counts;
  for (std::size_t i = 0; i < facts.code.size(); ++i) {
    const std::uint64_t offset = i * instruction_bytes;
    const SourceLine* line = wanted(facts.code[i]) ? line_at(facts.lines, offset) : nullptr;
    if (!line)
      continue;
    Count& count = counts[{line->file, line->line}];
    ++count.instructions;
    count.hot = count.hot || (hottest && offset >= hottest->begin && offset < hottest->end);
  }
  std::vector<std::pair<std::pair<std::string, int>, Count>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return std::tie(a.second.hot, a.second.instructions) >
           std::tie(b.second.hot, b.second.instructions);
  });
  std::vector<LineCount> found;
  for (const auto& [place, count] : sorted)
    found.push_back({fmt::format("{}:{}", place.first, place.second), count.instructions});
  return found;
}

std::vector<LineCount> lines_of(const CodeFacts& facts, MemoryKind kind) {
  return lines_of(facts, [kind](const MachineInstruction& one) { return one.memory == kind; });
}

} // namespace gridsmith
