// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/mpi/nodes.hpp"

#include "gridsmith/base/json_fields.hpp"
#include "gridsmith/base/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gridsmith {

Nodes::Nodes(std::vector<AgentReport> reports, bool compile_only, Note note)
    : note_(std::move(note)) {
  for (AgentReport& one : reports)
    agents_.push_back({std::move(one), Clock::now()});
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    const AgentReport& report = agents_[i].report;
    if (const std::string why = unfit(report, compile_only); !why.empty())
      drop(static_cast<int>(i), why);
    else
      for (const Device& device : report.devices)
        places_.push_back({static_cast<int>(i), device});
  }
}

/// Why; "" where it is fit. What is measured by one driver is not compared with what another one ran.
std::string Nodes::unfit(const AgentReport& report, bool compile_only) const {
  const auto& first = agents_.front().report;
  if (report.version != first.version)
    return fmt::format("has Gridsmith {}, rank 0 has {}", report.version, first.version);
  if (report.devices.empty())
    return compile_only
               ? ""
               : fmt::format("has no GPU ({}); --compile-ranks lets it compile", report.reason);
  const std::string& driver = report.devices.front().driver_version;
  const std::string& known = places_.empty() ? driver : places_.front().device.driver_version;
  return driver == known ? "" : fmt::format("has driver {}, others have {}", driver, known);
}

std::string Nodes::device_list() const {
  auto list = nlohmann::json::array();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Device device = places_[i].device;
    device.ordinal = static_cast<int>(i);
    list.push_back(to_fields(device));
  }
  return json_text(nlohmann::json{{"devices", list}, {"reason", agents_.front().report.reason}});
}

const Nodes::Place* Nodes::place(int number) const {
  const bool known = number >= 0 && static_cast<std::size_t>(number) < places_.size();
  return known ? &places_[static_cast<std::size_t>(number)] : nullptr;
}

int Nodes::agent_of(const std::vector<std::string>& words) const {
  int agent = places_.empty() ? 0 : places_.front().agent;
  for (const Place& place : places_)
    if (std::find(words.begin(), words.end(), place.device.uuid) != words.end())
      agent = place.agent;
  return agent;
}

std::size_t Nodes::compilers() const {
  std::size_t sum = 0;
  for (const Agent& agent : agents_)
    sum += agent.lost.empty() ? agent.report.cores : 0;
  return std::max<std::size_t>(1, sum);
}

std::optional<int> Nodes::best_compiler() const {
  std::optional<int> best;
  double least = 0;
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    const Agent& agent = agents_[i];
    const double load =
        static_cast<double>(agent.compiling) / static_cast<double>(agent.report.cores);
    if (agent.lost.empty() && (!best || load < least)) {
      best = static_cast<int>(i);
      least = load;
    }
  }
  return best;
}

bool Nodes::drop(int number, const std::string& why) {
  Agent& agent = agents_[static_cast<std::size_t>(number)];
  if (!agent.lost.empty())
    return false;
  agent.lost = why;
  if (note_)
    note_(fmt::format("{} (rank {}) is not used: it {}", agent.report.host, number, why));
  return true;
}

void Nodes::paused(Clock::duration by) {
  for (Agent& agent : agents_)
    agent.heard = std::min(agent.heard + by, Clock::now());
}

std::vector<int> Nodes::silent_for(std::chrono::milliseconds time) const {
  std::vector<int> silent;
  const auto now = Clock::now();
  for (std::size_t i = 1; i < agents_.size(); ++i)
    if (agents_[i].lost.empty() && now - agents_[i].heard > time)
      silent.push_back(static_cast<int>(i));
  return silent;
}

} // namespace gridsmith
