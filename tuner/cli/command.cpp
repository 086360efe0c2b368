#include "gridsmith/tuner/cli/command.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/results/measurement/objective.hpp"

#include <algorithm>
#include <string>

namespace gridsmith {
namespace {

/// "9.0" -> 90.
int capability_from_text(const std::string& text) {
  const std::size_t dot = text.find('.');
  try {
    std::size_t used_major = 0, used_minor = 0;
    const int major = std::stoi(text.substr(0, dot), &used_major);
    const int minor = dot == std::string::npos ? 0 : std::stoi(text.substr(dot + 1), &used_minor);
    const bool whole = used_major == std::min(dot, text.size()) &&
                       (dot == std::string::npos || dot + 1 + used_minor == text.size());
    if (whole && minor >= 0 && minor < 10)
      return 10 * major + minor;
  } catch (const std::logic_error&) { // not a number, or a huge one
  }
  throw InputError("compute capability '" + text + "' is not of the form 9.0");
}

} // namespace

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void note(const std::string& line) {
  std::fputs(("gridsmith: " + line + "\n").c_str(), stderr);
}

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
