// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/processes/disassembler.hpp"

#include "gridsmith/tuner/processes/child_process.hpp"
#include "gridsmith/tuner/processes/find_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

/// A file with these bytes, gone at the end: the programs take no standard input.
class TemporaryFile {
public:
  explicit TemporaryFile(const Bytes& bytes) {
    std::error_code error;
    name_ = (fs::temp_directory_path(error) / "gridsmith-XXXXXX").string();
    const int file = ::mkostemp(name_.data(), O_CLOEXEC);
    written_ = file >= 0 &&
               ::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
    exists_ = file >= 0;
    if (exists_)
      ::close(file);
  }

  ~TemporaryFile() {
    if (exists_)
      ::unlink(name_.c_str());
  }

  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  bool written() const { return written_; }

  const std::string& name() const { return name_; }

private:
  std::string name_;
  bool exists_ = false, written_ = false;
};

Disassembly missing(const std::string& why) {
  return {std::nullopt, why};
}

} // namespace

Disassembler::Disassembler(std::optional<fs::path> program, const std::vector<fs::path>& folders)
    : program_(program ? std::move(program) : find_program({"nvdisasm", "cuobjdump"}, folders)) {
}

Disassembly Disassembler::disassemble(const Bytes& cubin) const {
  if (!program_)
    return missing("there is no nvdisasm or cuobjdump here");
  constexpr std::array<unsigned char, 4> elf{0x7f, 'E', 'L', 'F'};
  if (cubin.size() < elf.size() || !std::equal(elf.begin(), elf.end(), cubin.begin()))
    return missing("the code is no cubin"); // they would complain on our standard error
  const TemporaryFile file(cubin);
  if (!file.written())
    return missing(file.name() + ": the cubin cannot be written there");
  std::vector<std::string> arguments{file.name()};
  if (program_->filename() == "cuobjdump")
    arguments.insert(arguments.begin(), "--dump-sass");
  try {
    ProgramOutput output = run_program(*program_, arguments, std::chrono::seconds(30));
    if (output.good && !output.text.empty())
      return {std::move(output.text), std::nullopt};
    return missing(fmt::format("{} {}", program_->string(), output.ended));
  } catch (const std::exception& error) {
    return missing(error.what());
  }
}

} // namespace gridsmith
