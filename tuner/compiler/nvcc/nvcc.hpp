// SPDX-License-Identifier: Apache-2.0
// nvcc, for sources that have host code. It starts a host compiler's preprocessor and the toolkit's own
// compilers, through a shell; the wall allows it these programs and no others.
#pragma once

#include "gridsmith/base/error.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace gridsmith {

/// nvcc, or what it needs, does not work: one line.
class NvccError : public Error {
public:
  using Error::Error;
};

class Nvcc {
public:
  /// Starts them to learn what they need, so before the wall.
  /// @param host the host compiler
  /// @param folder all that is written, temporary files too, is below it @throws NvccError
  Nvcc(const std::filesystem::path& program, const std::filesystem::path& host,
       std::filesystem::path folder);

  /// Of nvcc, host compiler and C library, and a hash of the toolkit's headers: "13.0.88, g++-12 12.2.0, glibc 2.36; 5e…".
  const std::string& version() const { return version_; }

  /// What the wall has to allow: headers and libraries, …
  const std::vector<std::filesystem::path>& readable() const { return readable_; }

  /// … and programs.
  const std::vector<std::filesystem::path>& programs() const { return programs_; }

  /// To a cubin. Macros are defined in a file that includes the source, behind the headers of CUDA.
  /// Never throws for what is wrong with the source or the options: that is in the result.
  CodeObject compile(const CompileJob& job);

private:
  struct Ran;

  Ran run(const std::filesystem::path& program, const std::vector<std::string>& arguments) const;
  std::string answer(const std::filesystem::path& program,
                     const std::vector<std::string>& arguments) const;
  void learn_toolkit(const std::string& dry_run);
  void learn_host(const std::string& searched);
  void write_sources(const SourceBundle& bundle);
  void compile_into(CompileJob job, CodeObject& code);

  std::filesystem::path nvcc_, nvlink_, host_, folder_;
  std::filesystem::path home_; ///< of the main source, and where nvcc runs
  std::string written_;        ///< hash of the sources that lie there
  std::string version_;
  std::vector<std::filesystem::path> readable_, programs_;
};

} // namespace gridsmith
