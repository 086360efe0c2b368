// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/judge/evidence.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file.hpp"
#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gridsmith {
namespace {

constexpr const char* evidence_key = "gridsmith evidence";
constexpr int evidence_version = 1;
constexpr std::size_t largest_evidence = 16u << 20; // bytes

} // namespace

std::string evidence_text(const Evidence& evidence) {
  nlohmann::json json = to_fields(evidence);
  json[evidence_key] = evidence_version;
  return json_text(json, 1) + "\n";
}

Evidence evidence_of_text(std::string_view text) {
  try {
    const nlohmann::json json = json_of_text(text);
    if (!json.is_object() || json.value(evidence_key, 0) != evidence_version)
      throw InputError("is no evidence of this version of Gridsmith's");
    Evidence evidence;
    read_fields(json, evidence);
    return evidence;
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("is no evidence ({})", plain_text(error)));
  }
}

std::optional<Evidence> read_evidence(const std::filesystem::path& file) {
  if (std::error_code error; !std::filesystem::exists(file, error))
    return std::nullopt;
  try {
    return evidence_of_text(read_unpacked(file, largest_evidence));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

void write_evidence(const std::filesystem::path& file, const Evidence& evidence) {
  write_packed(file, evidence_text(evidence));
}

} // namespace gridsmith
