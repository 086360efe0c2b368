// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/worker/steps/open_works.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gridsmith {
namespace {

constexpr double kept_free = 0.5; // of the device's memory, before a work is opened

} // namespace

OpenWorks::OpenWorks(Make make, FreeShare free_share)
    : make_(std::move(make)), free_share_(std::move(free_share)) {
}

void OpenWorks::close_first(WorkOpened& answer) {
  answer.closed.push_back(works_.front().number);
  works_.erase(works_.begin());
}

WorkOpened OpenWorks::open(const OpenWork& work) {
  WorkOpened answer;
  answer.work = work.work;
  while (!works_.empty() && free_share_() < kept_free)
    close_first(answer);
  std::unique_ptr<OpenedWork> made;
  try {
    made = make_(work, answer);
  } catch (const NoMemory&) {
    if (works_.empty())
      throw;
    while (!works_.empty())
      close_first(answer);
    made = make_(work, answer);
  }
  works_.push_back({work.work, std::move(made)});
  return answer;
}

void OpenWorks::run(const EvaluateBatch& batch) {
  const auto found = std::find_if(works_.begin(), works_.end(),
                                  [&](const Entry& one) { return one.number == batch.work; });
  if (found == works_.end())
    throw ProtocolError(fmt::format("work {} is not open", batch.work));
  std::rotate(found, found + 1, works_.end());
  works_.back().work->run(batch);
}

} // namespace gridsmith
