// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/device/expected_answer.hpp"

#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/tuner/worker/device/formula_run.hpp"
#include "gridsmith/tuner/worker/steps/spot_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <vector>

namespace gridsmith {

namespace {

std::string name_of(const ReferenceWork& reference) {
  return reference.default_configuration ? "the default configuration" : "the reference kernel";
}

/// Outputs are compared with themselves: only NaN and unwritten elements differ.
std::vector<Disagreement> judge_reference(const DeviceKernels& kernels, const ArgumentData& data) {
  const std::size_t count = data.verdicts();
  const DeviceMemory memory = allocate(count * sizeof(Disagreement));
  check(cudaMemsetAsync(memory.get(), 0, count * sizeof(Disagreement), kernels.stream()));
  data.judge(static_cast<Disagreement*>(memory.get()));
  std::vector<Disagreement> verdicts(count);
  check(cudaMemcpyAsync(verdicts.data(), memory.get(), count * sizeof(Disagreement),
                        cudaMemcpyDeviceToHost, kernels.stream()));
  check(cudaStreamSynchronize(kernels.stream()));
  return verdicts;
}

std::optional<std::string> problem_of(const std::string& name, const Judgement& judgement,
                                      const ArgumentData::Written& written) {
  if (judgement.mismatch)
    return name + ": " + *judgement.mismatch;
  if (!written.nothing_in.empty())
    return fmt::format("{} writes no element of '{}'", name, written.nothing_in);
  return std::nullopt;
}

bool looks_unwritten(const std::vector<Disagreement>& verdicts) {
  return std::any_of(verdicts.begin(), verdicts.end(),
                     [](const Disagreement& verdict) { return verdict.unwritten > 0; });
}

std::size_t output_of(const ArgumentData& data, const std::string& name) {
  std::size_t output = 0;
  while (data.output_spec(output).name != name)
    ++output;
  return output;
}

AnswerBits bits_of(const ArgumentData& data) {
  return [&data](const std::string& output, std::uint64_t element) {
    return data.expected_bits(output_of(data, output), element);
  };
}

/// @param launch of the reference's kernel, upon outputs that hold the poison
template <typename Launch>
ExpectedAnswer expect_result(const ReferenceWork& reference, const DeviceKernels& kernels,
                             ArgumentData& data, const Launch& launch) {
  launch(reference.only_written ? Poison::blind : Poison::impossible);
  data.expect_current_outputs();
  auto verdicts = judge_reference(kernels, data);
  ArgumentData::Written written;
  if (reference.only_written && looks_unwritten(verdicts)) {
    launch(Poison::plausible); // what holds the poison may have been written so
    written = data.leave_out_unwritten();
    verdicts = judge_reference(kernels, data);
  }
  ExpectedAnswer answer;
  answer.problem = problem_of(name_of(reference), data.judgement(verdicts), written);
  if (const WrittenElements& of = written.elements; of.unwritten > 0)
    answer.only_written = WrittenPart{of.written, of.written + of.unwritten};
  return answer;
}

ExpectedAnswer run_reference_kernel(const OpenWork& work, DataSeed seed, const Device& device,
                                    const DeviceKernels& kernels, ArgumentData& data,
                                    std::chrono::milliseconds spot_limit) {
  LoadedKernel kernel(*work.reference.kernel);
  ArgumentData::Passed passed = work.reference.arguments.empty()
                                    ? data.passed_to(kernel)
                                    : data.passed(work.reference.arguments);
  if (const auto error = kernel.launch_error(device, passed.bytes))
    throw Error(name_of(work.reference) + " cannot be launched: " + *error);
  data.copy_constants(kernel);
  ExpectedAnswer answer = expect_result(work.reference, kernels, data, [&](Poison poison) {
    data.prepare(poison);
    kernel.launch(passed.pointers.data(), kernels.stream());
    check(cudaStreamSynchronize(kernels.stream()));
  });
  if (spot_limit.count() > 0 && !answer.problem && !work.reference.element.empty()) {
    const auto checked = spot_check(work, seed, bits_of(data), AnswerOf::kernel, spot_limit);
    answer.problem = checked.problem;
    answer.elements_checked = answer.computed_again = checked.elements;
  }
  data.repair();
  return answer;
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

using Deadline = OutputFormula::Clock::time_point;

/// False where it is not done by the deadline.
bool take_on_host(OutputFormula& formula, ArgumentData& data, Deadline deadline) {
  const auto bytes = formula.bytes(deadline);
  if (bytes)
    data.expect_bytes(output_of(data, formula.output().name), *bytes);
  return bytes.has_value();
}

/// The host says why an element has no value.
[[noreturn]] void refuse(OutputFormula& formula, std::uint64_t element, Deadline deadline) {
  formula.element(element, deadline);
  throw Error(fmt::format("element {} of '{}' has no value on the GPU, and one on the host, by "
                          "Reference.Element",
                          element, formula.output().name));
}

bool take_on_device(OutputFormula& formula, const DeviceKernels& kernels, ArgumentData& data,
                    Deadline deadline) {
  const BufferSpec& output = formula.output();
  std::vector<FormulaSource> sources;
  for (const FormulaVector& vector : formula.formula().vectors())
    sources.push_back(data.source(vector.name));
  const auto left = std::max(deadline - OutputFormula::Clock::now(), Deadline::duration::zero());
  const FormulaRun run =
      run_on_device(kernels, formula.formula().program(), sources, output.type, output.elements,
                    data.expected_memory(output_of(data, output.name)), left);
  if (run.no_value && !run.late)
    refuse(formula, *run.no_value, Deadline::max());
  data.seal_expected(output_of(data, output.name));
  return !run.late;
}

/// How many elements the host has computed again.
std::uint64_t take_formulas(const OpenWork& work, DataSeed seed, const DeviceKernels& kernels,
                            ArgumentData& data, std::chrono::milliseconds spot_limit) {
  const auto deadline = OutputFormula::Clock::now() + formula_limit;
  bool on_device = false;
  for (OutputFormula& formula :
       output_formulas(work.reference.element, work.arguments, work.reference.extents, seed)) {
    const BufferSpec& output = formula.output();
    const bool many = output.elements >= least_for_device;
    on_device = on_device || many;
    if (!(many ? take_on_device(formula, kernels, data, deadline)
               : take_on_host(formula, data, deadline)))
      throw Error(fmt::format("Reference.Element needs more than {} s for the {} elements of '{}'; "
                              "with a Reference.Kernel as well, it checks only some of them",
                              formula_limit.count(), output.elements, output.name));
  }
  if (!on_device || spot_limit.count() == 0)
    return 0;
  const SpotChecked checked = spot_check(work, seed, bits_of(data), AnswerOf::formula, spot_limit);
  if (checked.problem)
    throw Error(*checked.problem);
  return checked.elements;
}

} // namespace

void choose_verified(const OpenWork& work, const DeviceKernels& kernels, ArgumentData& data) {
  for (std::size_t output = 0; output < data.outputs(); ++output) {
    const BufferSpec& spec = data.output_spec(output);
    auto formula = verified_formula(spec, work.arguments, work.reference.extents);
    if (!formula)
      continue;
    const FormulaRun run =
        run_on_device(kernels, formula->formula().program(), {}, ElementType::uint8, spec.elements,
                      data.verified_memory(output), formula_limit);
    if (run.no_value)
      formula->element(*run.no_value, Deadline::max()); // says why
    if (run.no_value || run.late)
      throw Error(fmt::format("Verify needs more than {} s for the {} elements of '{}'",
                              formula_limit.count(), spec.elements, spec.name));
  }
}

ExpectedAnswer make_expected(const OpenWork& work, DataSeed seed, const Device& device,
                             const DeviceKernels& kernels, ArgumentData& data,
                             std::chrono::milliseconds spot_limit) {
  const ReferenceWork& reference = work.reference;
  const DataSeed filled = reference.expected.empty() ? seed : DataSeed(work.seed);
  data.fill(filled);
  if (data.outputs() == 0 || data.recall_expected(filled))
    return {};
  ExpectedAnswer answer;
  if (reference.kernel)
    answer = run_reference_kernel(work, seed, device, kernels, data, spot_limit);
  else if (!reference.expected.empty())
    take_bytes(reference.expected, data);
  else
    answer.computed_again = take_formulas(work, seed, kernels, data, spot_limit);
  if (!answer.problem)
    data.set_tolerances(reference.default_configuration, !work.accept.empty());
  data.remember_expected(filled);
  return answer;
}

} // namespace gridsmith
