// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/guard/judged_subjects.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/kernels/definition/drawn_sizes.hpp"
#include "gridsmith/kernels/inputs/fill.hpp"
#include "gridsmith/results/store/store.hpp"
#include "gridsmith/tuner/guard/candidate_source.hpp"
#include "gridsmith/tuner/guard/spite.hpp"
#include "gridsmith/tuner/session/record_book.hpp"
#include "gridsmith/tuner/session/usual_configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

/// The definition with another source. Its reference stays the user's.
KernelDefinition with_source(const KernelDefinition& definition, const fs::path& source) {
  KernelDefinition other = definition;
  other.source = fs::canonical(source);
  join(other.readable, {other.source});
  if (other.reference.kernel && !other.reference.source)
    other.reference.source = definition.source;
  return other;
}

std::size_t smallest_of(const std::vector<ProblemSize>& problems) {
  const auto elements = [](const ProblemSize& one) {
    double product = 1; // may be beyond any integer
    for (const std::int64_t extent : one.extents)
      product *= static_cast<double>(extent);
    return product;
  };
  return static_cast<std::size_t>(
      std::min_element(problems.begin(), problems.end(),
                       [&](const auto& a, const auto& b) { return elements(a) < elements(b); }) -
      problems.begin());
}

/// Memory that a kernel finds as an earlier launch left it, unless its user restores it.
bool has_scratch(const KernelDefinition& definition) {
  return std::any_of(definition.arguments.begin(), definition.arguments.end(),
                     [](const Argument& one) {
                       return one.is_vector && one.access == Access::read_write && !one.output;
                     });
}

/// The definition with the source of either.
struct Sides {
  KernelDefinition then, now;
  bool configured_alike = false; ///< as the candidate is
};

/// All vectors of which an alignment is known begin so many elements after an aligned start, unless that is aligned for
/// every access. False: there are none.
bool move_vectors(KernelDefinition& definition, std::int64_t elements) {
  constexpr std::size_t widest_access = 16; // bytes
  bool any = false;
  for (Argument& argument : definition.arguments) {
    const InputRule rule = argument.input.value_or(InputRule{});
    if (!argument.is_vector || !argument.alignment || rule.offset || rule.row ||
        static_cast<std::size_t>(elements) * size_of(argument.type) >= widest_access)
      continue;
    argument.input = rule;
    argument.input->offset = Expression::parse(std::to_string(elements));
    any = true;
  }
  return any;
}

class Subjects {
public:
  Subjects(const KernelDefinition& definition, const JudgeSettings& settings,
           const std::string& candidate, const std::string& original, const Device& device,
           std::uint64_t seed)
      : definition_(definition), settings_(settings), candidate_(candidate), original_(original),
        device_(device), seed_(seed) {}

  JudgedSubjects find();

private:
  Sides sides() const;
  std::vector<ProblemSize> problems() const;
  void add(const ProblemSize& problem, const Sides& sides, const std::string& data,
           bool only_verified);
  bool add_if_possible(const ProblemSize& problem, const Sides& sides, const std::string& data);
  void add_other_data(const std::vector<ProblemSize>& asked, const Sides& sides);
  void add_changed_data(const std::vector<ProblemSize>& asked, const Sides& sides);
  void add_further_sizes(const std::vector<ProblemSize>& asked, const Sides& sides);
  void add_tiny_sizes(const std::vector<ProblemSize>& asked, const Sides& sides);
  void add_moved(const ProblemSize& problem, const Sides& sides);

  const KernelDefinition& definition_;
  const JudgeSettings& settings_;
  const std::string &candidate_, &original_;
  const Device& device_;
  std::uint64_t seed_;
  JudgedSubjects found_;
};

Sides Subjects::sides() const {
  Sides sides{with_source(definition_, settings_.incumbent.value_or(definition_.source)),
              with_source(definition_, settings_.candidate)};
  sides.now.kernel = name_in(candidate_, definition_.kernel);
  return sides;
}

std::vector<ProblemSize> Subjects::problems() const {
  if (!settings_.check.session.problems.empty())
    return settings_.check.session.problems;
  return definition_.problem_sizes.empty() ? std::vector{definition_.default_problem()}
                                           : definition_.problem_sizes;
}

/// @param data a word for it; "": the definition's own
void Subjects::add(const ProblemSize& problem, const Sides& sides, const std::string& data,
                   bool only_verified) {
  const auto old = std::make_shared<KernelInstance>(instantiate(sides.then, problem, device_));
  const auto tuning = newest_tuning(settings_.check.session.store,
                                    {sides.now.name, to_text(problem), device_.name});
  const Configuration usual = usual_configuration(*old, tuning).configuration;
  const Configuration incumbents = configuration_of(original_, usual, old->parameters);
  CheckSubject subject;
  try {
    const Configuration candidates = configuration_of(candidate_, usual, old->parameters);
    subject = subject_of_versions(old, sides.configured_alike ? candidates : incumbents, sides.now,
                                  candidates);
  } catch (const InputError& error) { // with the incumbent's source all is well
    subject.settle(CheckVerdict::missing, error.what());
  }
  subject.data = data;
  subject.only_verified = only_verified;
  found_.all.push_back(std::move(subject));
}

/// To be verified; false: the definition has no such size.
bool Subjects::add_if_possible(const ProblemSize& problem, const Sides& sides,
                               const std::string& data) {
  try {
    add(problem, sides, data, true);
  } catch (const InputError&) {
    return false;
  }
  if (!found_.all.back().settled)
    return true;
  found_.all.pop_back();
  return false;
}

/// Results of which parts are kept are right for the same data alone.
void Subjects::add_changed_data(const std::vector<ProblemSize>& asked, const Sides& sides) {
  constexpr std::uint64_t few = 1, single = single_change + 1;
  for (const auto& [change, word] :
       {std::pair{few, "a few elements changed"}, {single, "one element changed"}}) {
    add(asked.front(), sides, word, true);
    found_.all.back().change = change;
  }
  if (!has_scratch(definition_))
    return;
  add(asked[found_.smallest], sides, "scratch memory of the launch before", true);
  found_.all.back().keep_scratch = true;
  found_.all.back().change = single;
}

/// At which few kernels are tried: the two smallest that the definition has.
void Subjects::add_tiny_sizes(const std::vector<ProblemSize>& asked, const Sides& sides) {
  constexpr std::size_t most = 2;
  for (const std::int64_t extent : {1, 2, 3, 5, 7}) {
    ProblemSize tiny = asked.front();
    for (std::size_t axis = 0; axis < tiny.extents.size(); ++axis)
      if (asked.size() == 1 || std::any_of(asked.begin(), asked.end(), [&](const auto& one) {
            return one.extents[axis] != tiny.extents[axis];
          }))
        tiny.extents[axis] = extent;
    if (add_if_possible(tiny, sides, ""))
      found_.unusual.emplace(found_.all.size() - 1, "wrong_at_tiny_sizes");
    if (found_.unusual.size() == most)
      return;
  }
}

/// What is aligned further than the definition says, as all that is allocated by itself is.
void Subjects::add_moved(const ProblemSize& problem, const Sides& sides) {
  for (const std::int64_t elements : {1, 2, 4, 8}) {
    Sides moved{sides.then, sides.now, true};
    if (!move_vectors(moved.then, elements) || !move_vectors(moved.now, elements))
      return;
    if (add_if_possible(problem, moved,
                        fmt::format("vectors that begin {} later",
                                    counted(static_cast<std::uint64_t>(elements), "element")))) {
      found_.unusual.emplace(found_.all.size() - 1, "needs_alignment");
      return;
    }
  }
}

/// Sizes that were not named, at which a kernel that is made for some is found out.
void Subjects::add_further_sizes(const std::vector<ProblemSize>& asked, const Sides& sides) {
  std::vector<std::vector<std::int64_t>> extents;
  extents.reserve(asked.size());
  for (const ProblemSize& one : asked)
    extents.push_back(one.extents);
  drawn_sizes(extents, settings_.further_sizes, seed_, [&](const std::vector<std::int64_t>& one) {
    return add_if_possible({one}, sides, "");
  });
}

void Subjects::add_other_data(const std::vector<ProblemSize>& asked, const Sides& sides) {
  const std::vector<OtherData> olds = other_data(sides.then), news = other_data(sides.now);
  for (std::size_t i = 0; i < olds.size(); ++i)
    add(olds[i].at_smallest ? asked[found_.smallest] : asked.front(),
        {olds[i].definition, news[i].definition}, olds[i].word, true);
}

JudgedSubjects Subjects::find() {
  const std::vector<ProblemSize> asked = problems();
  const Sides sides = this->sides();
  for (const ProblemSize& problem : asked)
    add(problem, sides, "", false);
  found_.smallest = smallest_of(asked);
  if (definition_.reference.file) // of one size, and of one set of data
    return std::move(found_);
  add_other_data(asked, sides);
  add_changed_data(asked, sides);
  add_further_sizes(asked, sides);
  add_tiny_sizes(asked, sides);
  add_moved(asked.front(), sides);
  return std::move(found_);
}

} // namespace

JudgedSubjects judged_subjects(const KernelDefinition& definition, const JudgeSettings& settings,
                               const std::string& candidate, const std::string& original,
                               const Device& device, std::uint64_t seed) {
  return Subjects(definition, settings, candidate, original, device, seed).find();
}

} // namespace gridsmith
