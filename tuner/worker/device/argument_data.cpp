#include "gridsmith/tuner/worker/device/argument_data.hpp"

#include "gridsmith/kernels/definition/element_bits.hpp"
#include "gridsmith/kernels/definition/fill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace gridsmith {

namespace {

/// On each side. A multiple of every alignment that matters (256 bytes from cudaMalloc), and wide
/// enough that a row written too far does not jump over it.
constexpr std::size_t guard_bytes = 64 * 1024;

std::size_t bytes_of(const BufferSpec& spec) {
  return static_cast<std::size_t>(spec.elements) * size_of(spec.type);
}

} // namespace

ArgumentData::ArgumentData(const std::vector<ArgumentSpec>& arguments, Tolerance tolerance,
                           const DeviceKernels& kernels)
    : tolerance_(tolerance), kernels_(kernels) {
  for (std::size_t number = 0; number < arguments.size(); ++number) {
    if (arguments[number].buffer)
      add_buffer(*arguments[number].buffer, number);
    else
      add_scalar(arguments[number].scalar.value_or(ScalarSpec{}));
  }
  // Only now: the vectors do not move any more.
  for (std::size_t i = 0; i < arguments.size(); ++i)
    pointers_.push_back(slot_of_[i] ? static_cast<void*>(&slots_[*slot_of_[i]].data)
                                    : static_cast<void*>(&scalar_bits_[i]));
  add_guards();
}

void ArgumentData::add_buffer(const BufferSpec& spec, std::uint64_t number) {
  Slot slot;
  slot.spec = spec;
  slot.number = number;
  slot.bytes = bytes_of(spec);
  slot.tolerance = tolerance_;
  slot.memory = allocate(slot.bytes + 2 * guard_bytes);
  slot.data = static_cast<std::uint8_t*>(slot.memory.get()) + guard_bytes;
  if (spec.access == Access::read_write)
    slot.pristine = allocate(slot.bytes);
  if (spec.output)
    outputs_.push_back(slots_.size());
  if (spec.access == Access::read_only && !spec.output)
    inputs_.push_back(slots_.size());
  slot_of_.push_back(slots_.size());
  scalar_bits_.push_back(0);
  argument_bytes_.push_back(sizeof(void*));
  slots_.push_back(std::move(slot));
}

void ArgumentData::add_scalar(const ScalarSpec& spec) {
  slot_of_.push_back(std::nullopt);
  scalar_bits_.push_back(bits_of_value(spec.type, spec.value)); // little-endian: low bytes first
  argument_bytes_.push_back(size_of(spec.type));
}

void ArgumentData::add_guards() {
  std::vector<Guard> guards;
  for (const Slot& slot : slots_) {
    guards.push_back({static_cast<std::uint8_t*>(slot.memory.get()), guard_bytes});
    guards.push_back({static_cast<std::uint8_t*>(slot.data) + slot.bytes, guard_bytes});
  }
  guard_count_ = guards.size();
  if (guards.empty())
    return;
  guards_ = allocate(guards.size() * sizeof(Guard));
  check(cudaMemcpy(guards_.get(), guards.data(), guards.size() * sizeof(Guard),
                   cudaMemcpyHostToDevice));
  kernels_.fill_guards(static_cast<const Guard*>(guards_.get()), guard_count_);
}

void ArgumentData::fill(std::uint64_t seed) {
  seed_ = seed;
  for (const Slot& slot : slots_) {
    kernels_.fill(slot.data, slot.spec, seed, slot.number);
    if (slot.pristine)
      check(cudaMemcpyAsync(slot.pristine.get(), slot.data, slot.bytes, cudaMemcpyDeviceToDevice,
                            kernels_.stream()));
  }
}

void ArgumentData::repair() {
  kernels_.fill_guards(static_cast<const Guard*>(guards_.get()), guard_count_);
  fill(seed_);
}

void ArgumentData::restore() const {
  for (const Slot& slot : slots_)
    if (slot.pristine)
      check(cudaMemcpyAsync(slot.data, slot.pristine.get(), slot.bytes, cudaMemcpyDeviceToDevice,
                            kernels_.stream()));
}

/// In-place buffers cannot be poisoned: what they hold is input.
bool ArgumentData::poisoned(const Slot& slot) const {
  return slot.spec.output && !slot.pristine && (is_real(slot.spec.type) || slot.expected);
}

void ArgumentData::prepare() const {
  restore();
  for (const std::size_t output : outputs_)
    if (poisoned(slots_[output]))
      kernels_.poison(slots_[output].data, slots_[output].expected.get(), slots_[output].spec);
}

void ArgumentData::copy_constants(const LoadedKernel& kernel) const {
  for (const Slot& slot : slots_) {
    if (!slot.spec.constant_memory)
      continue;
    if (const auto symbol = kernel.symbol(slot.spec.name))
      check(cudaMemcpyAsync(symbol->data, slot.data, std::min(symbol->bytes, slot.bytes),
                            cudaMemcpyDeviceToDevice, kernels_.stream()));
  }
}

void ArgumentData::judge(Verdict* verdicts) const {
  for (const std::size_t output : outputs_) {
    const Slot& slot = slots_[output];
    if (slot.expected)
      kernels_.compare(slot.data, slot.expected.get(), slot.spec, slot.tolerance.absolute,
                       slot.tolerance.relative, poisoned(slot), verdicts);
    ++verdicts;
  }
  for (const std::size_t input : inputs_)
    kernels_.intact(slots_[input].data, slots_[input].spec, seed_, slots_[input].number,
                    verdicts++);
  kernels_.check_guards(static_cast<const Guard*>(guards_.get()), guard_count_, verdicts);
}

std::string ArgumentData::output_mismatch(const Slot& slot, const Verdict& verdict) const {
  const ElementType type = slot.spec.type;
  // The poison of kernels.cu: all ones for reals, the expected bits with the highest flipped.
  const std::size_t width = 8 * size_of(type);
  const std::uint64_t ones = width == 64 ? ~0ULL : (1ULL << width) - 1;
  const std::uint64_t poison = is_real(type) ? ones : verdict.want ^ (1ULL << (width - 1));
  std::string count = fmt::format("{} of {} differ", verdict.wrong, slot.spec.elements);
  if (verdict.unwritten > 0)
    count += fmt::format(", {} of them not written", verdict.unwritten);
  const std::string want = text_of_bits(type, verdict.want);
  if (poisoned(slot) && verdict.got == poison)
    return fmt::format("element {} of '{}' was not written, expected {}; {}", verdict.first(),
                       slot.spec.name, want, count);
  return fmt::format("element {} of '{}' is {}, expected {}; {}", verdict.first(), slot.spec.name,
                     text_of_bits(type, verdict.got), want, count);
}

Judgement ArgumentData::judgement(std::span<const Verdict> verdicts) const {
  const Verdict& guards = verdicts.back();
  if (guards.wrong > 0) {
    const Slot& slot = slots_[guards.first() / 2];
    const char* where = guards.first() % 2 == 0 ? "before the start" : "past the end";
    return {fmt::format("wrote {} of '{}'", where, slot.spec.name), true};
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Verdict& verdict = verdicts[outputs_.size() + i];
    if (verdict.wrong > 0)
      return {fmt::format("wrote into the input '{}' (element {}, {} in all)",
                          slots_[inputs_[i]].spec.name, verdict.first(), verdict.wrong),
              true};
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    if (verdicts[i].wrong > 0)
      return {output_mismatch(slots_[outputs_[i]], verdicts[i]), false};
  return {};
}

// ---- the expected outputs

void* ArgumentData::expected_memory(std::size_t output) {
  Slot& slot = slots_[outputs_[output]];
  if (!slot.expected)
    slot.expected = allocate(slot.bytes);
  return slot.expected.get();
}

void ArgumentData::expect_current_outputs() {
  for (std::size_t output = 0; output < outputs_.size(); ++output)
    check(cudaMemcpyAsync(expected_memory(output), slots_[outputs_[output]].data,
                          slots_[outputs_[output]].bytes, cudaMemcpyDeviceToDevice,
                          kernels_.stream()));
}

void ArgumentData::expect_nothing() {
  for (const std::size_t output : outputs_)
    slots_[output].expected.reset();
}

void ArgumentData::allow_rounding() {
  constexpr std::uint64_t samples = 256;  // a copy of some microseconds each
  constexpr double half_precision = 0.01; // ten units in the last place of float16
  for (std::size_t output = 0; output < outputs_.size(); ++output) {
    Slot& slot = slots_[outputs_[output]];
    if (!slot.expected || !is_real(slot.spec.type))
      continue;
    double squares = 0;
    for (std::uint64_t i = 0; i < samples; ++i) {
      const std::uint64_t element = random_bits(seed_, slot.number, i) % slot.spec.elements;
      const double value = value_of_bits(slot.spec.type, expected_bits(output, element));
      squares += value * value;
    }
    const double typical = std::sqrt(squares / static_cast<double>(samples));
    slot.tolerance = tolerance_;
    if (slot.spec.type == ElementType::float16)
      slot.tolerance.relative = std::max(slot.tolerance.relative, half_precision);
    slot.tolerance.absolute = std::max(slot.tolerance.absolute, slot.tolerance.relative * typical);
  }
}

void ArgumentData::expect_bytes(std::size_t output, std::span<const std::uint8_t> bytes) {
  check(cudaMemcpyAsync(expected_memory(output), bytes.data(), bytes.size(), cudaMemcpyHostToDevice,
                        kernels_.stream()));
  check(cudaStreamSynchronize(kernels_.stream()));
}

void ArgumentData::expect_values(std::size_t output, const std::vector<double>& values) {
  const ElementType type = output_spec(output).type;
  const std::size_t width = size_of(type);
  std::vector<std::uint8_t> bytes(values.size() * width);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t bits = bits_of_value(type, values[i]);
    std::memcpy(&bytes[i * width], &bits, width); // little-endian, as the device
  }
  expect_bytes(output, bytes);
}

std::uint64_t ArgumentData::expected_bits(std::size_t output, std::uint64_t element) const {
  const Slot& slot = slots_[outputs_[output]];
  const std::size_t width = size_of(slot.spec.type);
  std::uint64_t bits = 0;
  check(cudaMemcpyAsync(&bits,
                        static_cast<const std::uint8_t*>(slot.expected.get()) + element * width,
                        width, cudaMemcpyDeviceToHost, kernels_.stream()));
  check(cudaStreamSynchronize(kernels_.stream()));
  return bits;
}

std::size_t ArgumentData::largest_bytes() const {
  std::size_t largest = 0;
  for (const Slot& slot : slots_)
    largest = std::max(largest, slot.bytes);
  return largest;
}

} // namespace gridsmith
