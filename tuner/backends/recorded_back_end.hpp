// SPDX-License-Identifier: Apache-2.0
// Recordings in a device's place: those that lie beside the definitions, or one that was given.
#pragma once

#include "gridsmith/tuner/backends/back_end.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gridsmith {

class RecordedBackEnd final : public BackEnd {
public:
  /// @param note hears what of a recording cannot be used; may be empty
  explicit RecordedBackEnd(Note note) : note_(std::move(note)) {}

  /// The shipped one. @throws NoSuchDevice naming what there is instead
  std::vector<Source> sources(const BackEndProblem& wanted) override;
  /// @param because why it is replayed, for people
  Source source(std::shared_ptr<const Recording> recording, const std::filesystem::path& file,
                const std::string& because);
  OpenedEvaluator evaluator_for(const EvaluatorRequest& request,
                                const std::stop_token& stop) override;

private:
  Note note_;
};

} // namespace gridsmith
