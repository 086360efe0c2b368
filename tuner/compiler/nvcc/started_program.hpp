// SPDX-License-Identifier: Apache-2.0
// A program that is started with what is given and nothing else, and waited for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gridsmith {

struct Started {
  std::string output;     ///< standard output and error, at most 4 MiB
  std::string ended;      ///< "ended with exit code 1", "was ended by signal 9 (Killed)"
  bool good = false;      ///< exit code 0
  bool by_signal = false; ///< or not started at all
};

/// Its standard input is empty, no other file of ours is open in it.
/// @param environment all of it @param folder in which it runs
Started start_program(const std::filesystem::path& program,
                      const std::vector<std::string>& arguments,
                      const std::vector<std::string>& environment,
                      const std::filesystem::path& folder);

/// The dynamic loader of this process: starting a program opens it as one too.
std::filesystem::path program_loader();

} // namespace gridsmith
