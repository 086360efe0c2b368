#include "gridsmith/tuner/cli/command.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/results/measurement/objective.hpp"
#include "gridsmith/tuner/cli/words.hpp"

#include <string>

namespace gridsmith {

ProblemSize problem_of(const KernelDefinition& definition, const std::string& size) {
  return size.empty() ? definition.default_problem() : problem_size_from_text(size);
}

Device device_of_text(const std::string& capability) {
  return device_of_capability(capability_from_text(capability));
}

std::string objective_words() {
  std::string words;
  for (const Objective& one : objectives())
    words += (words.empty() ? "" : ", ") + one.name;
  return words;
}

void add_include_option(CLI::App& command, std::vector<std::filesystem::path>& folders) {
  command
      .add_option_function<std::vector<std::string>>(
          "--include",
          [&folders](const std::vector<std::string>& texts) {
            folders.assign(texts.begin(), texts.end());
          },
          "The definition may read below this folder too, and headers are searched there; may be "
          "repeated")
      ->type_name("DIR")
      ->allow_extra_args(false);
}

CLI::Validator count_from(std::uint64_t least) {
  return CLI::Validator(
      [least](std::string& text) -> std::string {
        const bool digits = !text.empty() &&
                            text.find_first_not_of("0123456789") == std::string::npos &&
                            text.size() < 19;
        return digits && std::stoull(text) >= least
                   ? std::string()
                   : "'" + text + "' is not a whole number from " + std::to_string(least) + " on";
      },
      "", "count_from");
}

} // namespace gridsmith
