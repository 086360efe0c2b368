// SPDX-License-Identifier: Apache-2.0
// The agents of a job: who serves, which number their GPUs have in the one list of all, where there is
// the most room to compile. Sends nothing.
#pragma once

#include "gridsmith/tuner/mpi/letter.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

class Nodes {
public:
  using Clock = std::chrono::steady_clock;
  using Note = std::function<void(const std::string&)>;

  /// A GPU of the list.
  struct Place {
    int agent;
    Device device; ///< as its node knows it
  };

  /// @param reports by rank, rank 0's first; those that cannot serve are noted and left out
  /// @param compile_only agents without a GPU compile
  Nodes(std::vector<AgentReport> reports, bool compile_only, Note note);

  const std::vector<Place>& places() const { return places_; }

  /// As the worker of one machine says it.
  std::string device_list() const;
  /// None: there is no such GPU.
  const Place* place(int number) const;
  /// The one with the GPU that these words name by its UUID; else any that has one.
  int agent_of(const std::vector<std::string>& words) const;

  /// Cores of all agents that compile.
  std::size_t compilers() const;
  /// Of those that serve, whose cores have the least to do.
  std::optional<int> best_compiler() const;

  void compiler_begun(int agent) { ++agents_[static_cast<std::size_t>(agent)].compiling; }

  void compiler_ended(int agent) { --agents_[static_cast<std::size_t>(agent)].compiling; }

  const std::string& host(int agent) const { return at(agent).report.host; }

  const std::string& lost(int agent) const { return at(agent).lost; } ///< why; "": it serves

  /// False: it did not serve before.
  bool drop(int agent, const std::string& why);

  void heard(int agent) { agents_[static_cast<std::size_t>(agent)].heard = Clock::now(); }

  /// Those of other machines that serve and have said nothing for so long.
  /// This process did not listen for so long: nobody was silent.
  void paused(Clock::duration by);
  std::vector<int> silent_for(std::chrono::milliseconds time) const;

private:
  struct Agent {
    AgentReport report;
    Clock::time_point heard;
    std::size_t compiling = 0; ///< compilers there
    std::string lost = {};
  };

  const Agent& at(int agent) const { return agents_[static_cast<std::size_t>(agent)]; }

  std::string unfit(const AgentReport& report, bool compile_only) const;

  std::vector<Agent> agents_;
  std::vector<Place> places_;
  Note note_;
};

} // namespace gridsmith
