// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/processes/compile_queue.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

constexpr std::size_t most_ahead = 256; // not begun
constexpr std::size_t kept_ahead = 256; // finished and not yet asked for

bool wants(const CompileWork& work, std::uint64_t id) {
  return std::find(work.wanted_by.begin(), work.wanted_by.end(), id) != work.wanted_by.end();
}

} // namespace

void CompileQueue::ask(std::uint64_t id, const std::string& key, const CompileRequest& request,
                       CompileForecast forecast) {
  auto& work = by_key_[key];
  if (!work) {
    work = std::make_shared<CompileWork>(CompileWork{key, request});
    if (auto cached = cache_.find(key)) {
      cached->ms = 0; // nothing was compiled now
      work->code = std::move(cached);
    }
  }
  if (work->code) {
    done_.push_back({id, work->code});
    by_key_.erase(key); // each configuration is asked for once; its cubin need not stay in memory
    return;
  }
  const bool was_ahead = work->wanted_by.empty();
  work->wanted_by.push_back(id);
  work->forecast = forecast;
  if (was_ahead && !work->running) {
    std::erase(ahead_, work);
    wanted_.push_back(work);
  }
}

void CompileQueue::expect(std::uint64_t id, CompileForecast forecast) {
  for (const Work& work : wanted_)
    if (wants(*work, id)) {
      forecast.more_follow = work->forecast.more_follow;
      work->forecast = forecast;
    }
}

void CompileQueue::ask_ahead(const std::string& key, const CompileRequest& request) {
  if (ahead_.size() >= most_ahead || by_key_.contains(key) || cache_.contains(key))
    return;
  ahead_.push_back(std::make_shared<CompileWork>(CompileWork{key, request}));
  by_key_[key] = ahead_.back();
}

void CompileQueue::drop_ahead() {
  ahead_.clear();
  std::erase_if(by_key_, [](const auto& one) {
    return one.second->wanted_by.empty() && !one.second->running;
  });
}

void CompileQueue::withdraw(std::uint64_t id) {
  std::erase_if(done_, [&](const Compiled& one) { return one.id == id; });
  const auto at = std::find_if(by_key_.begin(), by_key_.end(),
                               [&](const auto& one) { return wants(*one.second, id); });
  if (at == by_key_.end())
    return;
  const Work work = at->second;
  std::erase(work->wanted_by, id);
  if (work->wanted_by.empty() && !work->running) {
    std::erase(wanted_, work);
    by_key_.erase(at);
  }
}

CompileQueue::Work CompileQueue::next(std::size_t compilers) {
  auto& queue = wanted_.empty() ? ahead_ : wanted_;
  if (queue.empty())
    return nullptr;
  std::vector<CompileForecast> waiting;
  waiting.reserve(queue.size());
  for (const Work& work : queue)
    waiting.push_back(work->forecast);
  const auto at = queue.begin() + static_cast<std::ptrdiff_t>(next_to_compile(waiting, compilers));
  Work work = *at;
  queue.erase(at);
  work->running = true;
  return work;
}

void CompileQueue::again(const Work& work) {
  work->running = false;
  (work->wanted_by.empty() ? ahead_ : wanted_).push_front(work);
}

void CompileQueue::keep(const std::string& key) {
  kept_.push_back(key);
  if (kept_.size() <= kept_ahead)
    return;
  const auto oldest = by_key_.find(kept_.front());
  if (oldest != by_key_.end() && oldest->second->code)
    by_key_.erase(oldest);
  kept_.pop_front();
}

void CompileQueue::finish(const Work& work, std::shared_ptr<const CodeObject> code) {
  work->running = false;
  cache_.add(work->key, *code);
  if (work->wanted_by.empty()) {
    work->code = std::move(code); // waits until it is asked for
    return keep(work->key);
  }
  for (const std::uint64_t id : work->wanted_by)
    done_.push_back({id, code});
  by_key_.erase(work->key);
}

} // namespace gridsmith
