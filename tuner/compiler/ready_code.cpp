// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/compiler/ready_code.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/definition.hpp"
#include "gridsmith/metrics/code/cubin.hpp"
#include "gridsmith/tuner/compiler/log/code_hash.hpp"
#include "gridsmith/tuner/compiler/ptx_assembler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

namespace gridsmith {
namespace {

/// Among those of the request, from 0. @throws InputError: there is none of this number
const SourceFile& chosen(const CompileRequest& request) {
  const std::string prefix = fmt::format("-D{}=", binary_parameter);
  std::size_t number = 0;
  for (const std::string& option : request.options)
    if (option.starts_with(prefix))
      std::from_chars(option.data() + prefix.size(), option.data() + option.size(), number);
  if (number == 0)
    return request.source->main;
  const auto& files = request.source->headers;
  const auto found = number <= request.units.size()
                         ? std::find_if(files.begin(), files.end(),
                                        [&](const SourceFile& one) {
                                          return one.name == request.units[number - 1];
                                        })
                         : files.end();
  if (found == files.end())
    throw InputError(fmt::format("{}={}: there are {} files of compiled code", binary_parameter,
                                 number, 1 + request.units.size()));
  return *found;
}

/// Every kernel has a section of its own.
std::vector<std::string> kernels_of(const CubinFile& cubin) {
  constexpr std::string_view code = ".text.";
  std::vector<std::string> names;
  for (const CubinSection& section : cubin.sections)
    if (section.name.starts_with(code) &&
        !content_of(cubin, fmt::format(".nv.info.{}", section.name.substr(code.size()))).empty())
      names.emplace_back(section.name.substr(code.size()));
  return names;
}

/// @throws InputError
std::string kernel_in(const std::vector<std::string>& names, const std::string& wanted,
                      const std::string& file) {
  if (std::find(names.begin(), names.end(), wanted) != names.end())
    return wanted;
  if (names.size() == 1) // compilers name a kernel after what they made it of
    return names.front();
  throw InputError(
      fmt::format("{} has no kernel '{}' (valid: {})", file, wanted, fmt::join(names, ", ")));
}

} // namespace

CodeObject ready_code(const CompileJob& job, const std::filesystem::path& libraries) {
  return compiled([&](CodeObject& code) {
    if (!job.request.source)
      throw InputError("there is no code");
    const SourceFile& file = chosen(job.request);
    const bool ptx = is_ptx(file.text);
    Bytes bytes = ptx ? assembled(file, job.compute_capability, libraries)
                      : Bytes(file.text.begin(), file.text.end());
    if (ptx && job.ptx)
      code.ptx = file.text;
    const auto cubin = read_cubin(bytes);
    if (!cubin || !cubin->whole)
      throw InputError(file.name + " is neither a cubin nor PTX");
    if (cubin->compute_capability / 10 != job.compute_capability / 10 ||
        cubin->compute_capability > job.compute_capability)
      throw InputError(fmt::format("{} is code for compute capability {}.{}; this device has {}.{}",
                                   file.name, cubin->compute_capability / 10,
                                   cubin->compute_capability % 10, job.compute_capability / 10,
                                   job.compute_capability % 10));
    code.kernel = kernel_in(kernels_of(*cubin), job.request.kernel, file.name);
    const CompileFacts resources = resources_of(*cubin, code.kernel);
    take_code(std::move(bytes), "", code);
    code.facts.registers_per_thread = resources.registers_per_thread;
    code.facts.static_shared_bytes = resources.static_shared_bytes;
    code.facts.local_bytes = resources.local_bytes;
    code.facts.spill_store_bytes = code.facts.spill_load_bytes = std::nullopt;
  });
}

} // namespace gridsmith
