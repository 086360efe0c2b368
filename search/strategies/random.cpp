// SPDX-License-Identifier: Apache-2.0
// Uniform draws without repetition; memory grows with what was asked, not with the space.
#include "gridsmith/search/strategies/proposing.hpp"

#include <algorithm>

namespace gridsmith {
namespace {

class RandomDraws final : public ProposingStrategy {
public:
  explicit RandomDraws(const SearchProblem& problem) : ProposingStrategy(problem) {}

  std::size_t batch() const override { return unlimited_batch; }

private:
  std::vector<ConfigurationId> propose(std::size_t count) override {
    std::vector<ConfigurationId> ids(std::min<std::uint64_t>(count, unasked_count()));
    std::generate(ids.begin(), ids.end(), [this] { return draw(); });
    return ids;
  }

  void learn(std::span<const Observation>) override {}
};

} // namespace

std::unique_ptr<Strategy> make_random(const SearchProblem& problem) {
  return std::make_unique<RandomDraws>(problem);
}

} // namespace gridsmith
