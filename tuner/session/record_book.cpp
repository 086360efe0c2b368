// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/session/record_book.hpp"

#include "gridsmith/base/content_hash.hpp"
#include "gridsmith/kernels/definition/input_specs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace gridsmith {
namespace {

constexpr std::size_t code_digits = 32; ///< 128 bits: no two meet by chance

/// The kernel with its headers, what its results are compared with, whatever else a compiler reads,
/// and the elements of files.
std::string source_hash(const KernelInstance& instance, const std::string& toolkit) {
  const auto hash = [](const std::shared_ptr<const SourceBundle>& source) {
    return source ? source->hash : "none";
  };
  const std::string source = hash(instance.source), reference = hash(instance.reference_source);
  const auto& file = instance.definition.reference.file;
  const std::string expected = file ? expected_output(instance)
                               : instance.definition.reference.any()
                                   ? ""
                                   : "default " + to_text(instance.definition.defaults);
  std::vector<std::string_view> parts{source, reference, file ? "file" : "none", expected, toolkit};
  std::vector<ArgumentSpec> inputs = argument_specs(instance);
  read_contents(instance, inputs);
  for (const ArgumentSpec& input : inputs)
    if (input.buffer && input.buffer->content)
      parts.emplace_back(reinterpret_cast<const char*>(input.buffer->content->data()),
                         input.buffer->content->size());
  return code_hash(instance) + "." + sha256_hex_of(parts).substr(0, code_digits);
}

/// "gridsmith-2.db" beside "gridsmith.db"; the first such name that is free.
std::filesystem::path free_name_beside(const std::filesystem::path& file) {
  for (int number = 2;; ++number) {
    std::filesystem::path name = file;
    name.replace_filename(
        fmt::format("{}-{}{}", file.stem().string(), number, file.extension().string()));
    if (std::error_code error; !std::filesystem::exists(name, error))
      return name;
  }
}

} // namespace

std::string code_hash(const KernelInstance& instance) {
  return sha256_hex(instance.source ? instance.source->hash : "none").substr(0, code_digits);
}

std::optional<std::string> code_in(const std::string& source_hash) {
  if (source_hash.find('.') != code_digits)
    return std::nullopt;
  return source_hash.substr(0, code_digits);
}

ScopeKey scope_key(const KernelInstance& instance, const Conditions& conditions,
                   const std::string& toolkit) {
  return {.kernel = instance.definition.name,
          .source_hash = source_hash(instance, toolkit),
          .definition_hash = instance.definition.file_hash,
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
    : file_(file), store_(Store::open(file, Store::Mode::read_write)), key_(key), device_(device),
      parameters_(parameters), scope_(store_.declare(key, device, parameters)), run_(run),
      run_id_(store_.begin_run(scope_, run)),
      kept_peaks_(merged(store_.kept_peaks(device), store_.scope(scope_).peaks)),
      earlier_finals_(store_.finals(scope_)), warn_(std::move(warn)) {
}

std::optional<std::filesystem::path> RecordBook::stored_in() const {
  return memory_only_ ? std::nullopt : std::optional(file_);
}

void RecordBook::attempt(const std::function<void()>& write) {
  if (memory_only_)
    return;
  try {
    write();
    if (const auto what = store_.disturbed())
      move_on(*what);
  } catch (const StoreError& error) {
    if (const auto what = store_.disturbed())
      return move_on(*what);
    memory_only_ = true;
    warn_(fmt::format("{}; tuning continues, and further measurements are kept in memory only",
                      error.what()));
  } catch (const InputError&) { // it was whole when it was opened
    move_on(store_.disturbed().value_or("was damaged"));
  }
}

/// The file is lost, or somebody else's: what this run knows goes into a new one.
void RecordBook::move_on(const std::string& what) {
  const std::string lost = fmt::format("{}: the store {} while in use", file_.string(), what);
  const std::filesystem::path file = free_name_beside(file_);
  store_.let_go();
  try {
    begin_in(file);
    warn_(fmt::format("{}; this run's measurements are kept in {}", lost, file.string()));
  } catch (const Error& error) {
    memory_only_ = true;
    readable_ = false;
    warn_(fmt::format("{}, and {}; measurements are kept in memory only", lost, error.what()));
  }
}

void RecordBook::begin_in(const std::filesystem::path& file) {
  Store fresh = Store::open(file, Store::Mode::read_write);
  scope_ = fresh.declare(key_, device_, parameters_);
  run_id_ = fresh.begin_run(scope_, run_);
  fresh.add(scope_, reused_);
  written_ = fresh.add(scope_, measured_, run_id_);
  if (!peaks_.empty())
    fresh.set_peaks(scope_, peaks_);
  if (answer_)
    fresh.add_answer(scope_, *answer_);
  store_ = std::move(fresh);
  file_ = file;
}

void RecordBook::add(std::span<const Measurement> measurements) {
  attempt([&] {
    measured_.insert(measured_.end(), measurements.begin(), measurements.end());
    const auto ids = store_.add(scope_, measurements, run_id_);
    written_.insert(written_.end(), ids.begin(), ids.end());
  });
}

/// To the last one of this run; one of an earlier run is written once more, with them.
void RecordBook::add_counters(const Measurement& measurement) {
  const auto last = std::find_if(measured_.rbegin(), measured_.rend(), [&](const Measurement& one) {
    return one.configuration == measurement.configuration && one.mode == measurement.mode;
  });
  if (last == measured_.rend())
    return add({&measurement, 1});
  last->counters = measurement.counters;
  const auto place = static_cast<std::size_t>(measured_.rend() - last) - 1;
  if (place < written_.size())
    attempt([&] { store_.add_counters(written_[place], measurement.counters); });
}

std::optional<Measurement> RecordBook::find(const Configuration& configuration,
                                            const std::function<bool(const Measurement&)>& serves) {
  std::optional<Measurement> found;
  const auto look = [&] { found = store_.find(scope_, configuration, run_.conditions, serves); };
  if (!memory_only_)
    attempt(look);
  else if (readable_) // a full disk
    look();
  if (found)
    reused_.push_back(*found);
  return found;
}

RecordKeeping RecordBook::keeping(std::function<bool(const Measurement&)> serves) {
  return {.find = [this, serves = std::move(serves)](
                      const Configuration& configuration) { return find(configuration, serves); },
          .add = [this](std::span<const Measurement> measurements) { add(measurements); },
          .add_counters = [this](const Measurement& one) { add_counters(one); }};
}

void RecordBook::become(const Device& device) {
  device_ = device;
  key_.device_uuid = device.uuid;
  measured_.clear();
  reused_.clear();
  written_.clear();
  attempt([&] {
    scope_ = store_.declare(key_, device_, parameters_);
    run_id_ = store_.begin_run(scope_, run_);
  });
}

void RecordBook::set_aside() {
  reused_.clear();
  earlier_finals_.clear();
  attempt([&] {
    store_.all_or_none([&] {
      store_.set_aside(scope_);
      scope_ = store_.declare(key_, device_, parameters_);
      run_id_ = store_.begin_run(scope_, run_);
      written_.clear();
      for (const Measurement& one : measured_)
        written_.push_back(store_.add(scope_, one, run_id_));
    });
  });
  readable_ = readable_ && !memory_only_;
}

void RecordBook::add_answer(const Answer& answer) {
  answer_ = answer;
  attempt([&] { store_.add_answer(scope_, answer); });
}

void RecordBook::set_peaks(const Peaks& peaks) {
  peaks_ = peaks;
  if (!peaks.empty())
    attempt([&] { store_.set_peaks(scope_, peaks); });
}

void RecordBook::finish(bool whole_file) {
  attempt([&] {
    if (const auto what = store_.disturbed(run_id_, written_, whole_file))
      move_on(*what);
  });
}

std::vector<Measurement> RecordBook::nearest(std::string& from) const {
  const auto scope = store_.nearest(key_, device_);
  if (!scope)
    return {};
  from = fmt::format("{} {}", scope->key.device_name, scope->key.problem);
  return store_.all(scope->id);
}

} // namespace gridsmith
