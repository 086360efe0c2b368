// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/gpu/counter_passes.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"

#include <chrono>

namespace gridsmith {
namespace {

constexpr auto plan_limit = std::chrono::seconds(30);

} // namespace

std::optional<CounterPasses> plan_passes(const std::filesystem::path& helpers,
                                         const std::string& chip,
                                         const std::vector<std::string>& names) {
  const auto program = helpers / "gridsmith-worker";
  if (!std::filesystem::exists(program))
    return std::nullopt;
  std::vector<std::string> words = {"--plan", chip};
  words.insert(words.end(), names.begin(), names.end());
  std::vector<std::string> chips;
  try {
    const ProgramOutput output = run_program(program, words, plan_limit);
    const auto json = json_of_text(well_formed(output.text));
    if (json.contains("chips"))
      chips = json.at("chips").get<std::vector<std::string>>();
    else
      return CounterPasses{json.at("passes").get<std::size_t>(),
                           json.at("rejected").get<std::vector<std::string>>()};
  } catch (const std::exception&) { // no CUPTI here
  }
  if (!chips.empty())
    throw InputError(unknown_name("chip", chip, chips));
  return std::nullopt;
}

double counting_ms(std::size_t passes) {
  constexpr double of_pass = 2.2, of_session = 46, ranges = 64;
  return passes == 0 ? 0 : of_pass * static_cast<double>(passes) + of_session / ranges;
}

} // namespace gridsmith
