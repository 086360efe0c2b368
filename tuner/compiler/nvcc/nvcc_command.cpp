// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/compiler/nvcc/nvcc_command.hpp"

#include "gridsmith/kernels/source/kernel_expression.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace gridsmith {
namespace {

std::string quoted(const std::string& word) {
  if (!word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                              "0123456789_-+=./:,@%") == std::string::npos)
    return word;
  std::string text = "'";
  for (const char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

} // namespace

std::string nvcc_command(const CompileJob& job) {
  const std::string source = job.request.source ? job.request.source->main.name : "";
  std::string command = fmt::format("nvcc -cubin -arch=sm_{}", job.compute_capability);
  for (const std::string& option : job.request.options)
    command += " " + quoted(option);
  command += " -I.";
  if (job.request.source)
    for (const std::string& folder : job.request.source->folders)
      command += " " + quoted("-I" + folder);
  if (!job.request.units.empty())
    command += " -rdc=true"; // of this source; the others likewise, and nvlink links them
  const std::string out =
      quoted(std::filesystem::path(source).replace_extension(".cubin").string());
  if (kernel_words(job.request.kernel).name.find('<') == std::string::npos)
    return command + " -o " + out + " " + quoted(source);
  // A template makes no code by itself: what takes its address asks for this one.
  const KernelExpression kernel = kernel_expression(job.request.kernel);
  return "printf '%s\\n' " + quoted("#include \"" + source + "\"") + " " +
         (kernel.declaration.empty() ? "" : quoted(kernel.declaration) + " ") +
         quoted("auto* gridsmith_kernel = " + kernel.address + ";") + " | " + command +
         " -x cu -o " + out + " -";
}

} // namespace gridsmith
