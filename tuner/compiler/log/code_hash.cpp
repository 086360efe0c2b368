// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/compiler/log/code_hash.hpp"

#include "gridsmith/base/content_hash.hpp"
#include "gridsmith/metrics/code/cubin.hpp"
#include "gridsmith/tuner/compiler/log/compile_log.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <string_view>

namespace gridsmith {
namespace {

/// ".text" of ".text.KERNEL": what a section is, without whose it is.
std::string_view kind_of(std::string_view name) {
  constexpr std::array<std::string_view, 10> kinds{
      ".nv.constant",  ".nv.shared", ".nv.global", ".nv.info", ".nv.rel.action",
      ".nv.callgraph", ".rela.text", ".rel.text",  ".text",    ".nv.local"};
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](std::string_view kind) { return name.starts_with(kind); });
  return found == kinds.end() ? std::string_view{} : *found;
}

/// What of a section counts; empty: nothing.
std::string digest_of(const CubinSection& section) {
  const std::string_view kind = kind_of(section.name);
  if (kind.empty())
    return {};
  return std::string(kind) + '\0' + std::to_string(section.size) + '\0' +
         std::to_string(section.info) + '\0' + sha256_hex(section.content);
}

} // namespace

std::string code_hash(const Bytes& cubin) {
  const auto file = read_cubin(cubin);
  if (!file)
    return sha256_hex({reinterpret_cast<const char*>(cubin.data()), cubin.size()});
  std::string all = std::to_string(file->flags);
  for (const CubinSection& section : file->sections)
    all += digest_of(section) + '\n';
  return sha256_hex(all);
}

CodeObject compiled(const std::function<void(CodeObject&)>& fill) {
  CodeObject code;
  const auto begun = std::chrono::steady_clock::now();
  try {
    fill(code);
  } catch (const std::exception& error) {
    code.cubin = nullptr;
    code.error = error.what();
  }
  code.ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
  return code;
}

void take_code(Bytes cubin, std::string_view log, CodeObject& code) {
  code.code_hash = code_hash(cubin);
  code.parameter_bytes = parameter_bytes(cubin, code.kernel);
  code.variables = variables(cubin);
  code.facts = facts_from_log(log, code.kernel);
  code.facts.max_threads_per_block = launch_bound(cubin, code.kernel);
  code.cubin = std::make_shared<const Bytes>(std::move(cubin));
}

} // namespace gridsmith
