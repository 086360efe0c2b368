#include "gridsmith/tuner/session/replay_record.hpp"

#include "gridsmith/base/content_hash.hpp"

#include <fstream>
#include <set>
#include <sstream>

namespace gridsmith {
namespace {

std::string hash_of(const std::filesystem::path& file) {
  std::ostringstream content;
  content << std::ifstream(file, std::ios::binary).rdbuf();
  return sha256_hex(content.str());
}

ScopeKey replay_key(const Subject& subject) {
  return {.kernel = subject.kernel,
          .source_hash = std::string(replayed_prefix) + hash_of(subject.recording.value_or("")),
          .definition_hash = "",
          .device_name = subject.device.name,
          .device_uuid = subject.device.uuid,
          .driver = subject.device.driver_version,
          .toolkit = subject.device.toolkit_version,
          .problem = subject.problem,
          .conditions = subject.conditions,
          .counter_set = subject.format};
}

/// Those of configurations without a record, so that a second replay adds nothing.
std::vector<Measurement> missing(const Store& store, ScopeId scope,
                                 const std::vector<Measurement>& measurements) {
  std::set<std::string> held;
  for (const Measurement& one : store.all(scope))
    held.insert(to_text(one.configuration));
  std::vector<Measurement> rows;
  for (const Measurement& one : measurements)
    if (held.insert(to_text(one.configuration)).second)
      rows.push_back(one);
  return rows;
}

} // namespace

void keep_replay(const std::filesystem::path& file, const Outcome& outcome, const Run& run) {
  const Subject& subject = outcome.subject;
  Store store = Store::open(file, Store::Mode::read_write);
  const ScopeId scope = store.declare(replay_key(subject), subject.device, subject.parameters);
  store.add(scope, missing(store, scope, outcome.result.measurements), store.begin_run(scope, run));
  if (!subject.peaks.empty())
    store.set_peaks(scope, subject.peaks);
  if (!outcome.answer.ranking.empty())
    store.add_answer(scope, outcome.answer);
}

} // namespace gridsmith
