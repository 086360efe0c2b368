// SPDX-License-Identifier: Apache-2.0
// Every kernel of the catalogue that can be run on the host, and its reference kernel, against what
// the definition says of each element: indexing, bounds of sizes that no tile divides, alignment of
// vector accesses, barriers. What cannot be emulated is shown, no failure.
#include "gridsmith/kernels/definition/compile_request.hpp"
#include "gridsmith/kernels/definition/filling.hpp"
#include "gridsmith/kernels/definition/first_guesses.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/kernels/inputs/element_bits.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/kernels/emulated_thread.hpp"
#include "gridsmith/tests/cpu/kernels/emulation.hpp"
#include "gridsmith/tests/sanitized.hpp"

#include <algorithm>
#include <cstring>
#include <iostream>
#include <memory>
#include <set>

namespace emulated_test {

using namespace gridsmith;
using test::EmulatedKernel;

namespace {

const std::size_t most_configurations = sanitized() ? 1 : 2; // each is compiled
constexpr std::int64_t most_threads = 300'000;               // of a launch: a second or so
constexpr std::uint64_t most_elements = 300'000;             // of all arguments
constexpr double most_flops = 2e7; // by the work model: less than a second for the formula
constexpr std::chrono::seconds comparison_limit{10}; // of one output

/// By the number of extents: what tiles divide, what they do not, and hardly anything.
const std::vector<ProblemSize> sizes[] = {
    {{{4096}}, {{1027}}, {{192}}, {{96}}, {{1}}},
    {{{128, 64}}, {{100, 76}}, {{37, 131}}, {{2, 35}}, {{1, 5}}},
    {{{128, 64, 32}}, {{70, 36, 20}}, {{67, 33, 41}}, {{1, 3, 5}}}};

Device device() {
  Device device = device_of_capability(90);
  device.sm_count = 3; // so that a grid of some blocks per SM strides
  return device;
}

constexpr std::size_t alignment = 256; // of an allocation and of a row, as a device has it

/// Elements from a row to the next, or all.
std::uint64_t pitch(const BufferSpec& spec) {
  const std::uint64_t of_alignment = alignment / size_of(spec.type);
  return spec.row == 0 ? spec.elements
                       : (spec.row + of_alignment - 1) / of_alignment * of_alignment;
}

/// A buffer between guards.
class GuardedBuffer {
public:
  GuardedBuffer(const BufferSpec& spec, std::uint64_t number)
      : spec_(spec), width_(size_of(spec.type)), bytes_(place(spec.elements - 1) * width_ + width_),
        memory_(bytes_ + 2 * guard + alignment, pattern) {
    void* at = memory_.data() + guard;
    std::size_t space = memory_.size() - guard;
    data_ = static_cast<std::uint8_t*>(std::align(alignment, bytes_ + guard, at, space));
    forget();
    if (spec.access != Access::write_only && !(spec.output && spec.access == Access::read_only))
      fill(number);
    before_.assign(data_, data_ + bytes_);
  }

  /// What an output holds before is not to be seen in it: NaN, or an unlikely integer.
  void forget() { std::fill_n(data_, bytes_, std::uint8_t{0xFF}); }

  void* data() { return data_; }

  const BufferSpec& spec() const { return spec_; }

  std::uint64_t bits(std::uint64_t i) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, data_ + place(i) * width_, width_);
    return bits;
  }

  bool intact() const {
    const std::uint8_t* const first = memory_.data();
    const bool input = spec_.access == Access::read_only && !spec_.output;
    return std::all_of(first, static_cast<const std::uint8_t*>(data_), is_pattern) &&
           std::all_of(static_cast<const std::uint8_t*>(data_) + bytes_, first + memory_.size(),
                       is_pattern) &&
           (!input || std::equal(before_.begin(), before_.end(), data_));
  }

private:
  static constexpr std::size_t guard = 4096;
  static constexpr std::uint8_t pattern = 0xC5;

  /// Of element i in memory, in elements.
  std::uint64_t place(std::uint64_t i) const {
    return spec_.row == 0 ? i : i / spec_.row * pitch(spec_) + i % spec_.row;
  }

  static bool is_pattern(std::uint8_t byte) { return byte == pattern; }

  void fill(std::uint64_t number) {
    for (std::uint64_t i = 0; i < spec_.elements; ++i) {
      const std::uint64_t bits = bits_of_value(spec_.type, filled_value(spec_, 1, number, i));
      std::memcpy(data_ + place(i) * width_, &bits, width_); // little-endian, as the device
    }
  }

  BufferSpec spec_;
  std::size_t width_, bytes_;
  std::vector<std::uint8_t> memory_, before_;
  std::uint8_t* data_ = nullptr;
};

/// The arguments of one launch.
struct Data {
  std::vector<ArgumentSpec> specs;
  std::vector<std::unique_ptr<GuardedBuffer>> buffers; ///< by argument; null: a scalar
  std::vector<std::uint64_t> scalars;
  std::vector<std::unique_ptr<emulated::Texture>> textures;
  std::vector<void*> pointers, arguments;

  explicit Data(const KernelInstance& instance) : specs(argument_specs(instance)) {
    scalars.resize(specs.size());
    pointers.resize(specs.size());
    for (std::size_t i = 0; i < specs.size(); ++i) {
      buffers.push_back(specs[i].buffer ? std::make_unique<GuardedBuffer>(*specs[i].buffer, i)
                                        : nullptr);
      if (specs[i].scalar)
        scalars[i] = bits_of_value(specs[i].scalar->type, value_of(*specs[i].scalar));
      pointers[i] = buffers[i] ? buffers[i]->data() : nullptr;
      arguments.push_back(buffers[i] ? static_cast<void*>(&pointers[i]) : &scalars[i]);
    }
    set_textures();
  }

  /// That one launch leaves to the next, which has to give the same.
  bool has_state() const {
    bool state = false, adds = false;
    for (const auto& buffer : buffers)
      if (buffer && buffer->spec().access == Access::read_write)
        (buffer->spec().output ? adds : state) = true;
    return state && !adds;
  }

private:
  void set_textures() {
    for (std::size_t i = 0; i < specs.size(); ++i)
      if (specs[i].scalar && specs[i].scalar->texture)
        scalars[i] = reinterpret_cast<std::uintptr_t>(
            textures.emplace_back(texture_of(*specs[i].scalar->texture)).get());
  }

  std::unique_ptr<emulated::Texture> texture_of(const TextureSpec& spec) const {
    auto texture = std::make_unique<emulated::Texture>();
    for (std::size_t i = 0; i < specs.size(); ++i)
      if (buffers[i] && buffers[i]->spec().name == spec.of) {
        texture->values = static_cast<const float*>(pointers[i]);
        texture->elements = buffers[i]->spec().elements;
      }
    texture->wraps = spec.mode.address == TextureAddress::wrap;
    return texture;
  }

  double value_of(const ScalarSpec& scalar) const {
    for (const ArgumentSpec& spec : specs)
      if (spec.buffer && spec.buffer->name == scalar.pitch_of)
        return static_cast<double>(pitch(*spec.buffer) *
                                   (scalar.pitch_in_bytes ? size_of(spec.buffer->type) : 1));
    return scalar.value;
  }
};

/// @return "" or the first element that is wrong; "late" where the formula is too slow
std::string wrong_element(const GuardedBuffer& found, OutputFormula& formula,
                          const Tolerance& rules) {
  const auto deadline = OutputFormula::Clock::now() + comparison_limit;
  const ElementType type = found.spec().type;
  const double relative = is_real(type) ? rules.relative : 0;
  for (std::uint64_t i = 0; i < found.spec().elements; ++i) {
    const auto number = formula.element(i, deadline);
    if (!number)
      return "late";
    const double want = std::visit([](auto held) { return static_cast<double>(held); }, *number);
    const double got = value_of_bits(type, found.bits(i));
    if (!(std::abs(got - want) <= rules.absolute + relative * std::abs(want)))
      return "element " + std::to_string(i) + " of '" + found.spec().name + "' is " +
             std::to_string(got) + ", not " + std::to_string(want);
  }
  return "";
}

/// @return outputs that were compared
std::size_t check(const EmulatedKernel& kernel, const KernelInstance& instance,
                  const Geometry& geometry) {
  Data data(instance);
  for (const auto& buffer : data.buffers)
    if (buffer && buffer->spec().constant_memory)
      if (void* const at = kernel.constant(buffer->spec().name))
        std::memcpy(at, buffer->data(), buffer->spec().elements * size_of(buffer->spec().type));
  REQUIRE_NOTHROW(kernel.run(geometry, data.arguments));
  if (data.has_state()) {
    for (const auto& buffer : data.buffers)
      if (buffer && buffer->spec().output)
        buffer->forget();
    REQUIRE_NOTHROW(kernel.run(geometry, data.arguments));
  }
  for (const auto& buffer : data.buffers)
    CHECK((!buffer || buffer->intact()));
  std::size_t compared = 0;
  const Reference& reference = instance.definition.reference;
  for (OutputFormula& formula :
       output_formulas(reference.element, data.specs, extents_of(instance), 1))
    for (const auto& buffer : data.buffers)
      if (buffer && buffer->spec().output && buffer->spec().name == formula.output().name) {
        const std::string wrong = wrong_element(*buffer, formula, buffer->spec().tolerance);
        INFO(wrong);
        CHECK((wrong.empty() || wrong == "late"));
        compared += wrong.empty();
      }
  return compared;
}

/// Some that have as many values of the parameters among them as there can be.
std::vector<Configuration> varied(const SearchSpace& space, std::size_t most) {
  Random random(1);
  std::vector<Configuration> candidates, chosen;
  for (const ConfigurationId id : space.sample(64, random))
    candidates.push_back(space.at(id));
  std::set<std::pair<std::string, std::string>> seen;
  const auto fresh = [&](const Configuration& one) {
    return std::count_if(one.begin(), one.end(), [&](const auto& pair) {
      return !seen.contains({pair.first, to_text(pair.second)});
    });
  };
  while (chosen.size() < std::min(most, candidates.size())) {
    const auto best = std::max_element(
        candidates.begin(), candidates.end(),
        [&](const Configuration& a, const Configuration& b) { return fresh(a) < fresh(b); });
    if (fresh(*best) == 0)
      break;
    for (const auto& [name, value] : *best)
      seen.emplace(name, to_text(value));
    chosen.push_back(*best);
  }
  return chosen;
}

/// What was done with one kernel of the catalogue.
struct Tally {
  std::size_t configurations = 0, launches = 0, compared = 0;
  std::string missing; ///< why something of it was not emulated
};

/// Some problems are squares or cubes of their one extent, or their work is.
bool is_small(const KernelInstance& instance) {
  std::uint64_t elements = 0;
  for (const ArgumentSpec& argument : argument_specs(instance))
    elements += argument.buffer ? argument.buffer->elements : 0;
  return elements <= most_elements && instance.model_flops <= most_flops;
}

/// Sizes for which the definition has a space.
std::vector<KernelInstance> instances_of(const KernelDefinition& definition) {
  std::vector<KernelInstance> instances;
  for (const ProblemSize& size : sizes[definition.default_problem().extents.size() - 1]) {
    try {
      KernelInstance instance = instantiate(definition, size, device());
      if (is_small(instance) && build_space(instance).size() > 0)
        instances.push_back(std::move(instance));
    } catch (const InputError&) {
      continue; // too small for an argument
    }
  }
  return instances;
}

void emulate(const std::vector<KernelInstance>& instances, const Configuration& configuration,
             Tally& tally) {
  std::unique_ptr<EmulatedKernel> kernel;
  for (const KernelInstance& instance : instances) {
    if (!build_space(instance).find(configuration))
      continue; // this size forbids it
    const Geometry geometry = launch_geometry(instance, configuration);
    if (geometry.blocks() * geometry.threads_per_block() > most_threads)
      continue;
    INFO(to_text(instance.problem) << " " << to_text(configuration));
    if (!kernel)
      kernel =
          std::make_unique<EmulatedKernel>(instance.definition.source, instance.definition.kernel,
                                           compile_request(instance, configuration).options);
    tally.compared += check(*kernel, instance, geometry);
    ++tally.launches;
  }
  tally.configurations += kernel != nullptr;
}

Configuration first_of(const KernelInstance& instance) {
  return first_configuration(instance, build_space(instance));
}

void emulate_reference(const std::vector<KernelInstance>& instances, Tally& tally) {
  const KernelDefinition& definition = instances.front().definition;
  if (!definition.reference.kernel)
    return;
  const EmulatedKernel kernel(
      definition.reference.source.value_or(definition.source), *definition.reference.kernel,
      reference_compile_request(instances.front(), first_of(instances.front())).options);
  for (const KernelInstance& instance : instances) {
    const Geometry geometry = reference_geometry(instance, first_of(instance));
    if (geometry.blocks() * geometry.threads_per_block() > most_threads)
      continue;
    INFO(to_text(instance.problem) << " reference");
    tally.compared += check(kernel, instance, geometry);
    ++tally.launches;
  }
}

Tally emulate(const KernelDefinition& definition) {
  Tally tally;
  const auto instances = instances_of(definition);
  std::set<std::string> done;
  const auto attempt = [&](const auto& action) {
    try {
      action();
    } catch (const test::NotEmulated& error) {
      tally.missing = error.what();
    }
  };
  for (const KernelInstance& instance : instances)
    for (const Configuration& one : varied(build_space(instance), most_configurations))
      if (tally.configurations < most_configurations && done.insert(to_text(one)).second)
        attempt([&] { emulate(instances, one, tally); });
  if (!instances.empty())
    attempt([&] { emulate_reference(instances, tally); });
  return tally;
}

} // namespace

TEST_CASE("kernels of the catalogue, emulated, do what their definitions say") {
  std::size_t emulated = 0;
  for (const auto& file : catalogue(GRIDSMITH_SOURCE_DIR "/kernels/catalogue")) {
    const KernelDefinition definition = read_definition(file);
    INFO(definition.name);
    const Tally tally = emulate(definition);
    std::cout << definition.name << ": " << tally.configurations << " configurations, "
              << tally.launches << " launches, " << tally.compared << " outputs compared"
              << (tally.missing.empty() ? "" : "; not emulated: " + tally.missing) << '\n';
    emulated += tally.compared > 0;
  }
  CHECK(emulated > 0);
}

TEST_CASE("the emulation tells what a kernel does wrong") {
  const std::filesystem::path source =
      std::filesystem::path(GRIDSMITH_SOURCE_DIR) / "tests/data/emulated.cu";
  const EmulatedKernel sums(source, "sums<32>", {"-DSCALE=2"});
  std::uint32_t out[3] = {};
  int count = 64;
  void* at = out;
  void* arguments[] = {static_cast<void*>(&at), &count};
  Geometry geometry{{2, 1, 1}, {64, 1, 1}, 256};
  sums.run(geometry, arguments);
  CHECK(out[0] == 2 * 64 * 63 / 2); // of two warps, in shared memory and by shuffles
  CHECK(out[1] == 2 * 64 * 63 / 2);
  CHECK(out[2] == 0x55555555); // the even lanes
  const EmulatedKernel waits(source, "waits", {"-DSCALE=2"});
  CHECK_THROWS_WITH(waits.run(geometry, arguments), "threads wait at a barrier that others never "
                                                    "reach");
  CHECK_THROWS_AS(EmulatedKernel(source, "nothing", {"-DSCALE=2"}), test::NotEmulated);
}

} // namespace emulated_test
