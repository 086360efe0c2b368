// The store as the tuning loop sees it: look up, write down. When the disk is full or the file
// cannot be written any more the tuning goes on in memory and says so once; nothing committed is
// touched.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tuner/loop/tuning.hpp"

#include <functional>
#include <string>
#include <vector>

namespace gridsmith {

/// What must be equal for a record to count again.
ScopeKey scope_key(const KernelInstance& instance, const Conditions& conditions);

class RecordBook {
public:
  /// Begins a run in the scope of this key. @param warn one line to the user.
  /// @throws InputError, StoreError as Store::open
  RecordBook(const std::filesystem::path& file, const ScopeKey& key, const Device& device,
             const std::vector<Parameter>& parameters, const Run& run,
             std::function<void(const std::string&)> warn);

  RecordKeeping keeping(); ///< refers to this object
  void add_answer(const Answer& answer);
  void set_peaks(const Peaks& peaks);
  /// Measurements of the nearest other device or problem, for a prior; empty when there are none.
  /// @param from says what they are of
  std::vector<Measurement> nearest(std::string& from) const;

private:
  void attempt(const std::function<void()>& write);

  Store store_;
  ScopeKey key_;
  Device device_;
  ScopeId scope_;
  Conditions conditions_;
  RunId run_;
  std::function<void(const std::string&)> warn_;
  bool failed_ = false;
};

} // namespace gridsmith
