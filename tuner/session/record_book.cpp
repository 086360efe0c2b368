#include "gridsmith/tuner/session/record_book.hpp"

#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/base/content_hash.hpp"
#include "gridsmith/tuner/processes/cubin_cache.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

namespace gridsmith {

ScopeKey scope_key(const KernelInstance& instance, bool warm, const std::string& counter_set) {
  std::ifstream in(instance.definition.file, std::ios::binary);
  std::ostringstream definition;
  definition << in.rdbuf();
  // One compile request stands for the source and all it includes; the values of parameters are not
  // in it.
  CompileRequest request = compile_request(instance, instance.definition.defaults);
  request.options.clear();
  ScopeKey key;
  key.kernel = instance.definition.name;
  key.source_hash = compile_key(request, 0, "");
  key.definition_hash = sha256_hex(definition.str());
  key.device_name = instance.device.name;
  key.device_uuid = instance.device.uuid;
  key.driver = instance.device.driver_version;
  key.toolkit = instance.device.toolkit_version;
  key.problem = to_text(instance.problem);
  key.warm = warm;
  key.counter_set = counter_set;
  return key;
}

RecordBook::RecordBook(const std::filesystem::path& file, const ScopeKey& key, const Device& device,
                       const std::vector<Parameter>& parameters,
                       std::function<void(const std::string&)> warn)
    : store_(Store::open(file, Store::Mode::read_write)), key_(key), device_(device),
      scope_(store_.declare(key, device, parameters)), warn_(std::move(warn)) {
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
  return {
      .find =
          [this](const Configuration& configuration) { return store_.find(scope_, configuration); },
      .add =
          [this](std::span<const Measurement> measurements) {
            attempt([&] { store_.add(scope_, measurements); });
          }};
}

void RecordBook::add_answer(const std::vector<Measurement>& ranked, std::size_t tied) {
  Answer answer;
  answer.finalists = ranked;
  answer.tied = tied;
  attempt([&] { store_.add_answer(scope_, answer); });
}

std::vector<Measurement> RecordBook::nearest(std::string& from) const {
  const auto scope = store_.nearest(key_, device_);
  if (!scope)
    return {};
  from = fmt::format("{} {}", scope->key.device_name, scope->key.problem);
  return store_.all(scope->id);
}

} // namespace gridsmith
