// SPDX-License-Identifier: Apache-2.0
// Every configuration, last values first: large tiles and unrolled loops take longest to compile,
// so they should not be what all wait for at the end, and they are more often among the good ones
// that the others are raced against.
#include "gridsmith/search/strategies/proposing.hpp"

namespace gridsmith {
namespace {

class Exhaustive final : public ProposingStrategy {
public:
  explicit Exhaustive(const SearchProblem& problem) : ProposingStrategy(problem) {}

  std::size_t batch() const override { return unlimited_batch; }

private:
  std::vector<ConfigurationId> propose(std::size_t count) override {
    std::vector<ConfigurationId> ids;
    while (ids.size() < count && left_ > 0)
      if (!asked(--left_))
        ids.push_back(left_);
    return ids;
  }

  void learn(std::span<const Observation>) override {}

  std::vector<ConfigurationId> likely_next(std::size_t count) const override {
    std::vector<ConfigurationId> ids;
    for (ConfigurationId id = left_; ids.size() < count && id > 0;)
      if (!asked(--id))
        ids.push_back(id);
    return ids;
  }

  ConfigurationId left_ = space().size(); ///< ids below it are still to come
};

} // namespace

std::unique_ptr<Strategy> make_exhaustive(const SearchProblem& problem) {
  return std::make_unique<Exhaustive>(problem);
}

} // namespace gridsmith
