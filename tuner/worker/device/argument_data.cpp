// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/device/argument_data.hpp"

#include "gridsmith/kernels/inputs/element_bits.hpp"
#include "gridsmith/kernels/inputs/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace gridsmith {

namespace {

/// On each side. A multiple of every alignment that matters (256 bytes from cudaMalloc), and wide
/// enough that a row written too far does not jump over it.
constexpr std::size_t guard_bytes = std::size_t{64} * 1024;

std::size_t buffer_bytes(const BufferSpec& spec) {
  return static_cast<std::size_t>(spec.elements) * size_of(spec.type);
}

cudaChannelFormatKind channel_kind(ElementType type) {
  return is_real(type)             ? cudaChannelFormatKindFloat
         : is_signed_integer(type) ? cudaChannelFormatKindSigned
                                   : cudaChannelFormatKindUnsigned;
}

cudaTextureDesc description_of(const TextureMode& mode) {
  // In the order of TextureAddress.
  constexpr cudaTextureAddressMode addresses[] = {cudaAddressModeClamp, cudaAddressModeWrap,
                                                  cudaAddressModeMirror, cudaAddressModeBorder};
  cudaTextureDesc description = {};
  for (cudaTextureAddressMode& address : description.addressMode)
    address = addresses[static_cast<std::size_t>(mode.address)];
  description.filterMode =
      mode.filter == TextureFilter::linear ? cudaFilterModeLinear : cudaFilterModePoint;
  description.readMode = cudaReadModeElementType;
  description.normalizedCoords = mode.normalized ? 1 : 0;
  return description;
}

} // namespace

ArgumentData::ArgumentData(const std::vector<ArgumentSpec>& arguments, const DeviceKernels& kernels)
    : kernels_(kernels) {
  for (std::size_t number = 0; number < arguments.size(); ++number) {
    if (arguments[number].buffer)
      add_buffer(*arguments[number].buffer, number);
    else
      add_scalar(arguments[number].scalar.value_or(ScalarSpec{}));
  }
  // Only now: the vectors do not move any more.
  for (std::size_t i = 0; i < arguments.size(); ++i)
    pointers_.push_back(slot_of_[i] ? static_cast<void*>(&slots_[*slot_of_[i]].data)
                                    : static_cast<void*>(scalars_[i].data()));
  set_pitches(arguments);
  set_textures(arguments);
  add_guards();
}

void ArgumentData::add_buffer(const BufferSpec& spec, std::uint64_t number) {
  Slot slot;
  slot.spec = spec;
  slot.number = number;
  slot.bytes = buffer_bytes(spec);
  slot.sealed = allocate(sizeof(std::uint64_t));
  slot.kept_sealed = allocate(sizeof(std::uint64_t));
  slot.tolerance = slot.kept_tolerance = spec.tolerance;
  place(slot);
  load_content(slot);
  if (!spec.reads.empty())
    slot.sources = allocate(spec.reads.size() * sizeof(Filling));
  if (spec.access == Access::read_write)
    slot.pristine = allocate(slot.bytes);
  if (spec.output)
    outputs_.push_back(slots_.size());
  if (spec.access == Access::read_only && !spec.output)
    inputs_.push_back(slots_.size());
  slot_of_.push_back(slots_.size());
  scalars_.emplace_back();
  argument_bytes_.push_back(sizeof(void*));
  slots_.push_back(std::move(slot));
}

void ArgumentData::add_scalar(const ScalarSpec& spec) {
  slot_of_.push_back(std::nullopt);
  scalars_.push_back(words_of(spec));
  argument_bytes_.push_back(bytes_of(spec));
}

View ArgumentData::Slot::view() const {
  const std::size_t width = size_of(spec.type);
  return {data, spec.elements, spec.row, spec.row > 0 ? pitch / width : 0};
}

/// A row begins where the pitch says, moved by the offset; so much lies around all that it is no
/// neighbour's.
void ArgumentData::place(Slot& slot) const {
  const std::size_t width = size_of(slot.spec.type), moved = slot.spec.offset * width;
  std::size_t before = guard_bytes;
  if (slot.spec.row == 0) {
    slot.row_bytes = slot.pitch = slot.bytes;
    slot.memory_bytes = moved + slot.bytes + 2 * guard_bytes;
    slot.memory = allocate(slot.memory_bytes);
  } else {
    slot.row_bytes = slot.spec.row * width;
    slot.rows = slot.spec.elements / slot.spec.row;
    const std::size_t guard_rows = (guard_bytes + slot.row_bytes - 1) / slot.row_bytes;
    const std::size_t rows = slot.rows + 2 * guard_rows + moved / slot.row_bytes + 1;
    RowMemory made = allocate_rows(slot.row_bytes, rows);
    slot.memory = std::move(made.memory);
    slot.pitch = made.pitch;
    slot.memory_bytes = rows * slot.pitch;
    before = guard_rows * slot.pitch;
  }
  slot.data = static_cast<std::uint8_t*>(slot.memory.get()) + before + moved;
}

void ArgumentData::load_content(Slot& slot) const {
  const auto file = std::exchange(slot.spec.content, nullptr); // it is long: not kept
  const auto& program = slot.spec.program;
  const bool of_file = slot.spec.fill == Fill::file;
  if (of_file && (!file || file->size() != slot.bytes))
    throw Error(fmt::format("the file of '{}' has {} bytes of elements, {} are needed",
                            slot.spec.name, file ? file->size() : 0, slot.bytes));
  const std::size_t bytes = of_file ? slot.bytes : program.size() * sizeof(FormulaStep);
  if (bytes == 0)
    return;
  slot.content = allocate(bytes);
  check(cudaMemcpyAsync(slot.content.get(),
                        of_file ? static_cast<const void*>(file->data()) : program.data(), bytes,
                        cudaMemcpyHostToDevice, kernels_.stream()));
  check(cudaStreamSynchronize(kernels_.stream()));
}

std::size_t ArgumentData::slot_named(const std::string& name) const {
  const auto slot = std::find_if(slots_.begin(), slots_.end(),
                                 [&](const Slot& one) { return one.spec.name == name; });
  if (slot == slots_.end())
    throw Error(fmt::format("there is no vector argument '{}'", name));
  return static_cast<std::size_t>(slot - slots_.begin());
}

void ArgumentData::set_pitches(const std::vector<ArgumentSpec>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& scalar = arguments[i].scalar;
    if (!scalar || scalar->pitch_of.empty())
      continue;
    const Slot& slot = slots_[slot_named(scalar->pitch_of)];
    scalars_[i].front() = slot.pitch / (scalar->pitch_in_bytes ? 1 : size_of(slot.spec.type));
  }
}

ArgumentData::TextureCopy ArgumentData::texture_copy(const TextureSpec& spec) const {
  TextureCopy copy;
  copy.slot = slot_named(spec.of);
  const Slot& slot = slots_[copy.slot];
  const std::size_t width = size_of(slot.spec.type);
  const std::size_t columns = spec.columns > 0 ? spec.columns : slot.spec.elements;
  copy.row_bytes = columns * width;
  copy.rows = slot.spec.elements / columns;
  const cudaChannelFormatDesc format{static_cast<int>(8 * width), 0, 0, 0,
                                     channel_kind(slot.spec.type)};
  copy.array = allocate_array(format, columns, spec.columns > 0 ? copy.rows : 0);
  copy.texture = Texture(copy.array, description_of(spec.mode));
  return copy;
}

void ArgumentData::set_textures(const std::vector<ArgumentSpec>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (const auto& scalar = arguments[i].scalar; scalar && scalar->texture) {
      textures_.push_back(texture_copy(*scalar->texture));
      scalars_[i].front() = textures_.back().texture.object();
    }
}

void ArgumentData::add_guards() {
  std::vector<Guard> guards;
  const auto add = [&](std::size_t slot, const char* where, Guard guard) {
    if (guard.total() == 0)
      return;
    guards.push_back(guard);
    guard_places_.push_back({slot, where});
    guards_.longest = std::max(guards_.longest, guard.total());
  };
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    auto* const first = static_cast<std::uint8_t*>(slot.memory.get());
    const auto length = [](const std::uint8_t* from, const std::uint8_t* to) {
      return static_cast<std::uint64_t>(to - from);
    };
    add(i, "before the start of", {first, length(first, slot.data)});
    add(i, "past the end of", {slot.end(), length(slot.end(), first + slot.memory_bytes)});
    add(i, "between the rows of",
        {slot.data + slot.row_bytes, slot.pitch - slot.row_bytes, slot.rows - 1, slot.pitch});
  }
  guards_.count = guards.size();
  if (guards.empty())
    return;
  guard_memory_ = allocate(guards.size() * sizeof(Guard));
  guards_.first = static_cast<const Guard*>(guard_memory_.get());
  check(cudaMemcpyAsync(guard_memory_.get(), guards.data(), guards.size() * sizeof(Guard),
                        cudaMemcpyHostToDevice, kernels_.stream()));
  check(cudaStreamSynchronize(kernels_.stream()));
  kernels_.fill_guards(guards_);
}

Filling ArgumentData::filling(const Slot& slot) const {
  Filling filling = filling_of(slot.spec, seed_, slot.number);
  filling.content = slot.content.get();
  filling.sources = static_cast<const Filling*>(slot.sources.get());
  return filling;
}

/// What the fill of a vector reads of others, as they are filled with this seed.
void ArgumentData::load_sources(const Slot& slot) const {
  std::vector<Filling> sources;
  sources.reserve(slot.spec.reads.size());
  for (const std::uint64_t read : slot.spec.reads)
    sources.push_back(filling(slots_[*slot_of_[read]]));
  if (sources.empty())
    return;
  check(cudaMemcpyAsync(slot.sources.get(), sources.data(), sources.size() * sizeof(Filling),
                        cudaMemcpyHostToDevice, kernels_.stream()));
  check(cudaStreamSynchronize(kernels_.stream()));
}

void ArgumentData::pack(void* to, const Slot& from) const {
  check(
      from.rows == 1
          ? cudaMemcpyAsync(to, from.data, from.bytes, cudaMemcpyDeviceToDevice, kernels_.stream())
          : cudaMemcpy2DAsync(to, from.row_bytes, from.data, from.pitch, from.row_bytes, from.rows,
                              cudaMemcpyDeviceToDevice, kernels_.stream()));
}

void ArgumentData::unpack(const Slot& to, const void* from) const {
  check(to.rows == 1
            ? cudaMemcpyAsync(to.data, from, to.bytes, cudaMemcpyDeviceToDevice, kernels_.stream())
            : cudaMemcpy2DAsync(to.data, to.pitch, from, to.row_bytes, to.row_bytes, to.rows,
                                cudaMemcpyDeviceToDevice, kernels_.stream()));
}

void ArgumentData::fill(DataSeed seed) {
  seed_ = seed;
  varied_ = 0;
  ++fills_;
  for (const Slot& slot : slots_) {
    if (is_kept(slot))
      continue;
    load_sources(slot);
    kernels_.fill(slot.view(), filling(slot));
    if (slot.pristine)
      pack(slot.pristine.get(), slot);
  }
  for (const std::size_t input : inputs_)
    kernels_.seal(slots_[input].view(), slots_[input].spec.type, slots_[input].seal());
  for (const TextureCopy& copy : textures_)
    check(cudaMemcpy2DToArrayAsync(copy.array.get(), 0, 0, slots_[copy.slot].data, copy.row_bytes,
                                   copy.row_bytes, copy.rows, cudaMemcpyDeviceToDevice,
                                   kernels_.stream()));
}

/// By the last change.
Filling ArgumentData::changed_filling(const Slot& slot) const {
  Filling changed = filling(slot);
  changed.change = varied_;
  return changed;
}

/// But for what restore() puts back.
void ArgumentData::take_back_change() const {
  if (varied_ == 0)
    return;
  for (const Slot& slot : slots_)
    if (slot.spec.access != Access::write_only && !slot.pristine && !is_kept(slot))
      kernels_.fill_changed(slot.view(), changed_filling(slot), filling(slot));
}

void ArgumentData::vary() {
  take_back_change();
  varied_ = std::max(varied_, seed_.change) + 1;
  for (const Slot& slot : slots_)
    if (slot.spec.access != Access::write_only && !is_kept(slot))
      kernels_.fill_changed(slot.view(), changed_filling(slot), changed_filling(slot));
}

void ArgumentData::unvary() {
  take_back_change();
  varied_ = 0;
  restore();
}

void ArgumentData::repair() {
  kernels_.fill_guards(guards_);
  fill(seed_);
}

void ArgumentData::make_copies(std::size_t bytes) {
  std::size_t all = 1;
  for (const Slot& slot : slots_)
    all += slot.bytes;
  copies_ = std::clamp(bytes / all + 1, std::size_t{2}, std::size_t{256});
  for (Slot& slot : slots_)
    for (std::size_t i = 0; i < copies_; ++i)
      slot.copies.push_back(allocate(slot.memory_bytes));
}

void ArgumentData::restore_copies() {
  restore();
  for (const Slot& slot : slots_)
    if (copied_at_ != fills_ || slot.pristine)
      for (const DeviceMemory& copy : slot.copies)
        check(cudaMemcpyAsync(copy.get(), slot.memory.get(), slot.memory_bytes,
                              cudaMemcpyDeviceToDevice, kernels_.stream()));
  copied_at_ = fills_;
}

void ArgumentData::use_copy(std::size_t number) {
  const auto memory_of = [](const Slot& slot, std::size_t copy) {
    return static_cast<std::uint8_t*>(copy == 0 ? slot.memory.get() : slot.copies[copy - 1].get());
  };
  for (Slot& slot : slots_)
    slot.data = memory_of(slot, number) + (slot.data - memory_of(slot, in_use_));
  in_use_ = number;
}

void ArgumentData::use_next_copy() {
  last_used_ = last_used_ % copies_ + 1;
  use_copy(last_used_);
}

void ArgumentData::use_data() {
  use_copy(0);
}

bool ArgumentData::is_kept(const Slot& slot) const {
  return scratch_kept_ && slot.pristine && !slot.spec.output;
}

void ArgumentData::restore() const {
  for (const Slot& slot : slots_)
    if (slot.pristine && !is_kept(slot))
      unpack(slot, slot.pristine.get());
}

/// In-place buffers cannot be poisoned: what they hold is input.
Poison ArgumentData::poison_of(const Slot& slot) const {
  if (!slot.spec.output || slot.pristine)
    return Poison::none;
  if (slot.expected || poison_ == Poison::blind)
    return poison_;
  return is_real(slot.spec.type) ? Poison::impossible : Poison::none;
}

void ArgumentData::prepare(Poison poison) {
  poison_ = poison;
  restore();
  for (const std::size_t output : outputs_) {
    const Slot& slot = slots_[output];
    if (const Poison own = poison_of(slot); own != Poison::none)
      kernels_.poison(slot.view(), slot.expected.get(), slot.spec.type, own);
  }
}

ArgumentData::Passed ArgumentData::passed_to(const LoadedKernel& kernel) const {
  Passed others;
  for (std::size_t i = 0; i < pointers_.size(); ++i)
    if (!slot_of_[i] || !slots_[*slot_of_[i]].spec.constant_memory) {
      others.pointers.push_back(pointers_[i]);
      others.bytes.push_back(argument_bytes_[i]);
    }
  return kernel.arguments() == others.pointers.size() ? others : all();
}

ArgumentData::Passed ArgumentData::passed(const std::vector<ReferenceArgument>& arguments) const {
  Passed passed;
  for (const ReferenceArgument& argument : arguments) {
    if (argument.scalar)
      passed.own.push_back(words_of(*argument.scalar));
    passed.pointers.push_back(argument.scalar ? passed.own.back().data()
                                              : pointers_[argument.position]);
    passed.bytes.push_back(argument.scalar ? bytes_of(*argument.scalar)
                                           : argument_bytes_[argument.position]);
  }
  return passed;
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

void Constants::update(const LoadedKernel& kernel) {
  if (copied_at_ == data_.fills())
    return;
  data_.copy_constants(kernel);
  copied_at_ = data_.fills();
}

void ArgumentData::judge(Disagreement* verdicts) const {
  for (const std::size_t output : outputs_) {
    const Slot& slot = slots_[output];
    if (slot.expected)
      kernels_.compare(slot.view(), slot.expected.get(), slot.compared(), slot.spec.type,
                       slot.tolerance, poison_of(slot), slot.seal(), verdicts);
    ++verdicts;
  }
  for (const std::size_t input : inputs_)
    kernels_.intact(slots_[input].view(), filling(slots_[input]), slots_[input].seal(), verdicts++);
  kernels_.check_guards(guards_, verdicts);
}

void ArgumentData::add_digest(std::uint64_t* digest) const {
  for (const std::size_t output : outputs_)
    kernels_.add_digest(slots_[output].view(), slots_[output].spec.type, digest,
                        slots_[output].compared());
}

void ArgumentData::differences(Differences* total) const {
  for (const std::size_t output : outputs_)
    if (const Slot& slot = slots_[output]; slot.expected)
      kernels_.differences({slot.view(), slot.spec.type}, slot.expected.get(), slot.compared(),
                           total);
}

std::string ArgumentData::output_mismatch(const Slot& slot, const Disagreement& verdict) const {
  const ElementType type = slot.spec.type;
  std::string count = fmt::format("{} of {} differ", verdict.wrong, slot.spec.elements);
  if (verdict.unwritten > 0)
    count += fmt::format(", {} of them not written", verdict.unwritten);
  const std::string want = text_of_bits(type, verdict.want);
  if (want.find("nan") != std::string::npos)
    count +=
        "; what is expected is no number itself, so the inputs are none that the kernel is for";
  if (verdict.first_unwritten != 0)
    return fmt::format("element {} of '{}' was not written, expected {}; {}", verdict.first(),
                       slot.spec.name, want, count);
  return fmt::format("element {} of '{}' is {}, expected {}; {}", verdict.first(), slot.spec.name,
                     text_of_bits(type, verdict.got), want, count);
}

Judgement ArgumentData::judgement(std::span<const Disagreement> verdicts) const {
  const Disagreement& guards = verdicts.back();
  if (guards.wrong > 0) {
    const GuardPlace& place = guard_places_[guards.first()];
    return {fmt::format("wrote {} '{}'", place.where, slots_[place.slot].spec.name), true};
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Slot& slot = slots_[outputs_[i]];
    if (verdicts[i].expected_changed != 0)
      return {.mismatch = fmt::format("wrote into the expected answer of '{}', in memory that is "
                                      "not its own",
                                      slot.spec.name),
              .damage = true,
              .expected_changed = true};
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Disagreement& verdict = verdicts[outputs_.size() + i];
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

void ArgumentData::seal_expected(std::size_t output) const {
  const Slot& slot = slots_[outputs_[output]];
  kernels_.seal({slot.expected.get(), slot.spec.elements}, slot.spec.type, slot.seal(),
                slot.compared());
}

void ArgumentData::expect_current_outputs() {
  for (std::size_t output = 0; output < outputs_.size(); ++output) {
    Slot& slot = slots_[outputs_[output]];
    slot.written.reset();
    pack(expected_memory(output), slot);
    seal_expected(output);
  }
}

/// In-place buffers are written as a whole: what a launch leaves there is input.
WrittenElements ArgumentData::find_written(Slot& slot) const {
  WrittenElements found;
  const DeviceMemory memory = allocate(sizeof found);
  const auto look = [&] {
    check(cudaMemsetAsync(memory.get(), 0, sizeof found, kernels_.stream()));
    kernels_.written(slot.view(), slot.expected.get(), slot.verified.get(), slot.spec.type,
                     poison_of(slot), slot.written.get(),
                     static_cast<WrittenElements*>(memory.get()));
    check(cudaMemcpyAsync(&found, memory.get(), sizeof found, cudaMemcpyDeviceToHost,
                          kernels_.stream()));
    check(cudaStreamSynchronize(kernels_.stream()));
  };
  look();
  if (found.unwritten == 0) // most: no memory for it
    return found;
  slot.written = allocate(slot.spec.elements);
  look();
  return found;
}

ArgumentData::Written ArgumentData::leave_out_unwritten() {
  Written all;
  for (std::size_t output = 0; output < outputs_.size(); ++output) {
    Slot& slot = slots_[outputs_[output]];
    const WrittenElements found = find_written(slot);
    all.elements.written += found.written;
    all.elements.unwritten += found.unwritten;
    if (found.written == 0 && found.unwritten > 0 && all.nothing_in.empty())
      all.nothing_in = slot.spec.name;
    seal_expected(output);
    unpack(slot, slot.expected.get());
  }
  return all;
}

void ArgumentData::expect_nothing() {
  for (const std::size_t output : outputs_) {
    slots_[output].expected.reset();
    slots_[output].written.reset();
    slots_[output].kept = {};
  }
  forget_expected();
}

void ArgumentData::forget_expected() {
  expected_seed_.reset();
  kept_seed_.reset();
}

FormulaSource ArgumentData::source(const std::string& name) const {
  const Slot& slot = slots_[slot_named(name)];
  return {slot.view(), slot.spec.type};
}

bool ArgumentData::recall_expected(DataSeed seed) {
  if (expected_seed_ == seed)
    return true;
  if (!expected_seed_ && kept_seed_ != seed)
    return false;
  for (const std::size_t output : outputs_) {
    Slot& slot = slots_[output];
    slot.kept.exchange(slot.expected, slot.bytes, kernels_.stream());
    std::swap(slot.tolerance, slot.kept_tolerance);
    std::swap(slot.sealed, slot.kept_sealed);
    std::swap(slot.written, slot.kept_written);
  }
  std::swap(expected_seed_, kept_seed_);
  if (expected_seed_ != seed) // the oldest makes room
    expected_seed_.reset();
  return expected_seed_.has_value();
}

void* ArgumentData::verified_memory(std::size_t output) {
  Slot& slot = slots_[outputs_[output]];
  if (!slot.verified)
    slot.verified = allocate(slot.spec.elements);
  return slot.verified.get();
}

/// Places, each as likely as the others; none where nothing is compared.
std::vector<std::uint64_t> ArgumentData::some_compared(const Slot& slot) const {
  constexpr std::uint64_t samples = 256; // a copy of some microseconds each
  std::vector<std::uint8_t> compared;
  std::uint64_t count = slot.spec.elements;
  if (const void* bytes = slot.compared()) {
    compared.resize(count);
    check(cudaMemcpy(compared.data(), bytes, count, cudaMemcpyDeviceToHost));
    count -= static_cast<std::uint64_t>(std::count(compared.begin(), compared.end(), 0));
  }
  std::vector<std::uint64_t> places;
  for (std::uint64_t i = 0; i < samples && count > 0; ++i)
    places.push_back(random_bits(seed_.seed, slot.number, i) % count);
  if (compared.empty())
    return places;
  std::sort(places.begin(), places.end());
  std::uint64_t number = 0; // of those that are compared
  auto next = places.begin();
  for (std::uint64_t i = 0; next != places.end(); ++i)
    if (compared[i] != 0)
      for (const std::uint64_t now = number++; next != places.end() && *next == now; ++next)
        *next = i;
  return places;
}

/// The root mean square of some expected elements that are compared.
double ArgumentData::typical(std::size_t output) const {
  const Slot& slot = slots_[outputs_[output]];
  const std::vector<std::uint64_t> places = some_compared(slot);
  double squares = 0;
  for (const std::uint64_t place : places) {
    const double value = value_of_bits(slot.spec.type, expected_bits(output, place));
    squares += value * value;
  }
  return places.empty() ? 0 : std::sqrt(squares / static_cast<double>(places.size()));
}

void ArgumentData::set_tolerances(bool own, bool accept_all) {
  constexpr double half_precision = 0.01; // ten units in the last place of float16
  for (std::size_t output = 0; output < outputs_.size(); ++output) {
    Slot& slot = slots_[outputs_[output]];
    Tolerance& tolerance = slot.tolerance = slot.spec.tolerance;
    if (accept_all)
      tolerance = {.absolute = std::numeric_limits<double>::infinity(), .relative = 0};
    if (accept_all || !slot.expected || !is_real(slot.spec.type) ||
        (!own && tolerance.magnitude == 0))
      continue;
    const double size = typical(output);
    if (own && slot.spec.type == ElementType::float16)
      tolerance.relative = std::max(tolerance.relative, half_precision);
    if (own)
      tolerance.absolute = std::max(tolerance.absolute, tolerance.relative * size);
    tolerance.absolute += tolerance.magnitude * size;
  }
}

void ArgumentData::expect_bytes(std::size_t output, std::span<const std::uint8_t> bytes) {
  check(cudaMemcpyAsync(expected_memory(output), bytes.data(), bytes.size(), cudaMemcpyHostToDevice,
                        kernels_.stream()));
  check(cudaStreamSynchronize(kernels_.stream()));
  seal_expected(output);
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
