#include "gridsmith/tuner/session/record_book.hpp"

#include "gridsmith/base/content_hash.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

namespace gridsmith {
namespace {

std::string content_of(const std::filesystem::path& file) {
  std::ostringstream content;
  content << std::ifstream(file, std::ios::binary).rdbuf();
  return content.str();
}

/// The kernel with its headers, and what its results are compared with.
std::string source_hash(const KernelInstance& instance) {
  std::string content;
  for (const auto& source : {instance.source, instance.reference_source})
    content += (source ? source->hash : "none") + "\n";
  if (const auto& expected = instance.definition.reference.file)
    content += sha256_hex(content_of(*expected));
  return sha256_hex(content);
}

} // namespace

ScopeKey scope_key(const KernelInstance& instance, const Conditions& conditions) {
  return {.kernel = instance.definition.name,
          .source_hash = source_hash(instance),
          .definition_hash = sha256_hex(content_of(instance.definition.file)),
          .device_name = instance.device.name,
          .device_uuid = instance.device.uuid,
          .driver = instance.device.driver_version,
          .toolkit = instance.device.toolkit_version,
          .problem = to_text(instance.problem),
          .conditions = comparable_text(conditions),
          .counter_set = conditions.counter_set};
}

RecordBook::RecordBook(const std::filesystem::path& file, const ScopeKey& key, const Device& device,
                       const std::vector<Parameter>& parameters, const Run& run,
                       std::function<void(const std::string&)> warn)
    : store_(Store::open(file, Store::Mode::read_write)), key_(key), device_(device),
      scope_(store_.declare(key, device, parameters)), conditions_(run.conditions),
      run_(store_.begin_run(scope_, run)), warn_(std::move(warn)) {
}

void RecordBook::attempt(const std::function<void()>& write) {
  if (failed_)
    return;
  try {
    write();
  } catch (const StoreError& error) {
    failed_ = true;
    warn_(fmt::format("{}; tuning goes on, what is measured from now on is kept in memory only",
                      error.what()));
  }
}

RecordKeeping RecordBook::keeping() {
  return {.find =
              [this](const Configuration& configuration) {
                return store_.find(scope_, configuration, conditions_);
              },
          .add =
              [this](std::span<const Measurement> measurements) {
                attempt([&] { store_.add(scope_, measurements, run_); });
              }};
}

void RecordBook::add_answer(const Answer& answer) {
  attempt([&] { store_.add_answer(scope_, answer); });
}

void RecordBook::set_peaks(const Peaks& peaks) {
  if (!peaks.empty())
    attempt([&] { store_.set_peaks(scope_, peaks); });
}

std::vector<Measurement> RecordBook::nearest(std::string& from) const {
  const auto scope = store_.nearest(key_, device_);
  if (!scope)
    return {};
  from = fmt::format("{} {}", scope->key.device_name, scope->key.problem);
  return store_.all(scope->id);
}

} // namespace gridsmith
