// Every configuration, in the order of the space.
#include "search/strategies/all.hpp"
#include "search/strategies/common.hpp"

namespace gridsmith {
namespace {

class Exhaustive final : public ProposingStrategy {
public:
  explicit Exhaustive(const SearchProblem& problem) : ProposingStrategy(problem) {}

  std::size_t batch() const override { return unlimited_batch; }

private:
  std::vector<ConfigurationId> propose(std::size_t count) override {
    std::vector<ConfigurationId> ids;
    for (; ids.size() < count && next_ < space().size(); ++next_)
      if (!asked(next_))
        ids.push_back(next_);
    return ids;
  }

  void learn(std::span<const Observation>) override {}

  std::vector<ConfigurationId> foresee(std::size_t count) const override {
    std::vector<ConfigurationId> ids;
    for (ConfigurationId id = next_; ids.size() < count && id < space().size(); ++id)
      if (!asked(id))
        ids.push_back(id);
    return ids;
  }

  ConfigurationId next_ = 0;
};

} // namespace

std::unique_ptr<Strategy> make_exhaustive(const SearchProblem& problem) {
  return std::make_unique<Exhaustive>(problem);
}

} // namespace gridsmith
