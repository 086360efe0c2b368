// The store as the tuning loop sees it: look up, write down. When the disk is full or the file
// cannot be written any more the tuning goes on in memory and says so once; nothing committed is
// touched.
#pragma once

#include "gridsmith/kernels/definition/definition.hpp"
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tuner/loop/tuning.hpp"

#include <functional>
#include <optional>
#include <string>

namespace gridsmith {

/// What must be equal for a record to count again.
ScopeKey scope_key(const KernelInstance& instance, bool warm, const std::string& counter_set);

class RecordBook {
public:
  /// @param warn one line to the user.
  RecordBook(const std::filesystem::path& file, const ScopeKey& key, const Device& device,
             const std::vector<Parameter>& parameters,
             std::function<void(const std::string&)> warn);

  RecordKeeping keeping(); ///< refers to this object
  void add_answer(const std::vector<Measurement>& ranked, std::size_t tied);
  /// Measurements of the nearest other device or problem, for a prior; empty when there are none.
  std::vector<Measurement> nearest(std::string& from) const;

private:
  void attempt(const std::function<void()>& write);

  Store store_;
  ScopeKey key_;
  Device device_;
  ScopeId scope_;
  std::function<void(const std::string&)> warn_;
  bool failed_ = false;
};

} // namespace gridsmith
