#include "gridsmith/tuner/worker/device/expected_answer.hpp"

#include "gridsmith/kernels/definition/filling.hpp"
#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/kernels/inputs/element_bits.hpp"
#include "gridsmith/kernels/inputs/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

namespace gridsmith {

namespace {

/// Elements of the reference kernel's answer that are computed again on the host, and the time
/// after which enough of them were.
constexpr int spot_checks = 64;
constexpr std::chrono::milliseconds spot_check_limit{200};

/// Host references see the inputs as functions, numbered from 0 without the outputs.
HostInput host_input(const OpenWork& work, std::uint64_t seed) {
  std::vector<FilledBuffer> inputs;
  for (std::size_t i = 0; i < work.arguments.size(); ++i)
    if (const auto& buffer = work.arguments[i].buffer; buffer && !buffer->output)
      inputs.emplace_back(*buffer, seed, i);
  return [inputs](std::size_t input, std::uint64_t element) {
    return inputs.at(input).value(element);
  };
}

const HostReference& fitting_reference(const OpenWork& work, const ArgumentData& data) {
  const HostReference& reference = find_host_reference(work.reference.host);
  if (data.outputs() != 1)
    throw Error(fmt::format("the host reference '{}' has one output, the kernel {}", reference.name,
                            data.outputs()));
  const std::uint64_t elements = reference.elements(work.reference.problem);
  if (elements != data.output_spec(0).elements)
    throw Error(fmt::format("the host reference '{}' gives {} elements, '{}' has {}",
                            reference.name, elements, data.output_spec(0).name,
                            data.output_spec(0).elements));
  return reference;
}

bool close_enough(double got, double want, const ReferenceWork& rules, ElementType type) {
  const double relative = is_real(type) ? rules.relative_tolerance : 0;
  return got == want ||
         std::fabs(got - want) <= rules.absolute_tolerance + relative * std::fabs(want);
}

/// The first element where the reference kernel and the host reference differ.
std::optional<std::string> spot_check(const OpenWork& work, std::uint64_t seed,
                                      const ArgumentData& data) {
  const HostReference& reference = fitting_reference(work, data);
  const BufferSpec& spec = data.output_spec(0);
  const HostInput input = host_input(work, seed);
  const auto begun = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < spot_checks; ++i) {
    // The corners, where boundary code is, then anywhere.
    const std::uint64_t element = i == 0   ? 0
                                  : i == 1 ? spec.elements - 1
                                           : random_bits(seed, 0, i) % spec.elements;
    const double want = reference.element(input, work.reference.problem, element);
    const std::uint64_t bits = data.expected_bits(0, element);
    if (!close_enough(value_of_bits(spec.type, bits), want, work.reference, spec.type))
      return fmt::format("element {} of '{}' is {} by the reference kernel and {} by the host "
                         "reference '{}'",
                         element, spec.name, text_of_bits(spec.type, bits), want, reference.name);
    if (std::chrono::steady_clock::now() - begun > spot_check_limit)
      break;
  }
  return std::nullopt;
}

std::string name_of(const ReferenceWork& reference) {
  return reference.default_configuration ? "the default configuration" : "the reference kernel";
}

std::optional<std::string> judge_reference(const std::string& name, const DeviceKernels& kernels,
                                           const ArgumentData& data) {
  const std::size_t count = data.verdicts();
  const DeviceMemory memory = allocate(count * sizeof(Verdict));
  check(cudaMemsetAsync(memory.get(), 0, count * sizeof(Verdict), kernels.stream()));
  data.judge(static_cast<Verdict*>(memory.get()));
  std::vector<Verdict> verdicts(count);
  check(cudaMemcpyAsync(verdicts.data(), memory.get(), count * sizeof(Verdict),
                        cudaMemcpyDeviceToHost, kernels.stream()));
  check(cudaStreamSynchronize(kernels.stream()));
  // Outputs are compared with themselves: only NaN and unwritten elements differ.
  const auto mismatch = data.judgement(verdicts).mismatch;
  return mismatch ? std::optional(name + ": " + *mismatch) : std::nullopt;
}

std::optional<std::string> run_reference_kernel(const OpenWork& work, std::uint64_t seed,
                                                const Device& device, const DeviceKernels& kernels,
                                                ArgumentData& data, SpotCheck spot) {
  const std::string name = name_of(work.reference);
  LoadedKernel kernel(*work.reference.kernel);
  if (const auto error = kernel.launch_error(device, data.argument_bytes()))
    throw Error(name + " cannot be launched: " + *error);
  data.copy_constants(kernel);
  data.prepare();
  kernel.launch(data.pointers(), kernels.stream());
  check(cudaStreamSynchronize(kernels.stream()));
  data.expect_current_outputs();
  auto problem = judge_reference(name, kernels, data);
  if (work.reference.default_configuration && !problem)
    data.allow_rounding();
  if (spot == SpotCheck::yes && !problem && !work.reference.host.empty())
    problem = spot_check(work, seed, data);
  data.repair();
  return problem;
}

void take_bytes(const Bytes& expected, ArgumentData& data) {
  std::size_t wanted = 0;
  for (std::size_t output = 0; output < data.outputs(); ++output)
    wanted += data.output_spec(output).elements * size_of(data.output_spec(output).type);
  if (wanted != expected.size())
    throw Error(fmt::format("the expected output has {} bytes, the outputs need {}",
                            expected.size(), wanted));
  std::span<const std::uint8_t> rest = expected;
  for (std::size_t output = 0; output < data.outputs(); ++output) {
    const BufferSpec& spec = data.output_spec(output);
    const std::size_t bytes = spec.elements * size_of(spec.type);
    data.expect_bytes(output, rest.first(bytes));
    rest = rest.subspan(bytes);
  }
}

} // namespace

std::optional<std::string> make_expected(const OpenWork& work, std::uint64_t seed,
                                         const Device& device, const DeviceKernels& kernels,
                                         ArgumentData& data, SpotCheck spot) {
  const ReferenceWork& reference = work.reference;
  data.fill(reference.expected.empty() ? seed : work.seed);
  if (data.outputs() == 0)
    return std::nullopt;
  if (reference.kernel)
    return run_reference_kernel(work, seed, device, kernels, data, spot);
  if (!reference.expected.empty())
    take_bytes(reference.expected, data);
  else if (!reference.host.empty())
    data.expect_values(
        0, fitting_reference(work, data).whole(host_input(work, seed), reference.problem));
  return std::nullopt;
}

} // namespace gridsmith
