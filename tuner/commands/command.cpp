#include "tuner/commands/command.hpp"

#include <string>

namespace gridsmith {

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void note(const std::string& line) {
  std::fputs(("gridsmith: " + line + "\n").c_str(), stderr);
}

CLI::Validator above(double limit) {
  return CLI::Validator(
      [limit](std::string& text) -> std::string {
        double value = 0;
        return CLI::detail::lexical_cast(text, value) && value > limit
                   ? std::string()
                   : "'" + text + "' is not a number above " +
                         std::to_string(static_cast<long>(limit));
      },
      "", "above");
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
