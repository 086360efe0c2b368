// SPDX-License-Identifier: Apache-2.0
// Recordings in a device's place: those that lie beside the definitions, or one that was given.
#pragma once

#include "gridsmith/tuner/backends/back_end.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gridsmith {

class RecordedBackEnd final : public BackEnd {
public:
  /// @param given none: those that are shipped serve
  /// @param ignored what was asked for, in words, and no recording has; noted with the first source
  /// @param note hears what of a recording cannot be used, too; may be empty
  RecordedBackEnd(std::optional<Replayed> given, std::vector<std::string> ignored, Note note)
      : given_(std::move(given)), ignored_(std::move(ignored)), note_(std::move(note)) {}

  /// A shipped recording stands in for a device that could run the kernel, a given one for any.
  bool runs(const KernelDefinition& definition) const override {
    return given_ || BackEnd::runs(definition);
  }

  /// The one that was given, or the shipped one. @throws NoSuchDevice naming what there is instead
  std::vector<Source> sources(const BackEndProblem& wanted) override;
  OpenedEvaluator evaluator_for(const EvaluatorRequest& request,
                                const std::stop_token& stop) override;

private:
  Source source(Replayed replayed);
  void say_ignored();

  std::optional<Replayed> given_;
  std::vector<std::string> ignored_; ///< until that is said
  Note note_;
};

} // namespace gridsmith
