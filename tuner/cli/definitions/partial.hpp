// SPDX-License-Identifier: Apache-2.0
// Which configurations have certain values, and where none does, why not.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/tuner/cli/words.hpp"
#include "gridsmith/tuner/session/usual_configuration.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gridsmith {

struct PartialAnswer {
  struct Excluding {
    std::string constraint;
    double removed = 0; ///< of the product, by this constraint alone
  };

  std::vector<FixedValue> asked;
  std::uint64_t configurations = 0; ///< of the space, that have these values
  double product = 0;               ///< of the other parameters' values
  /// Where there are none: constraints that together leave nothing, none of them superfluous. Empty
  /// where a value asked for is not in its parameter's list.
  std::vector<Excluding> excluding;
};

/// Exact, by the space of what is left; never looks at configurations one by one.
/// @throws as SearchSpace::build
PartialAnswer ask_partial(const KernelInstance& instance, std::vector<FixedValue> asked,
                          const SpaceWatch& watch = {});

/// "64 is not a value of ROWS (2, 4, 8)". @pre it is none
std::string not_a_value(const FixedValue& fixed);

/// @pre a value for each parameter
/// @throws InputError with what excludes the configuration, as `space --why-not` tells it
void refuse_excluded(const KernelInstance& instance, const Configuration& configuration);

/// What the text of --configuration names; what it does not, as in `usual`, which is asked where it is needed.
/// @throws InputError: another form, no such parameter or value; as refuse_excluded()
UsualConfiguration named_configuration(const std::string& text, const KernelInstance& instance,
                                       const std::function<UsualConfiguration()>& usual);

/// One line, and one more per constraint that excludes.
std::string to_text(const PartialAnswer& answer);
nlohmann::json to_json(const PartialAnswer& answer);

/// Configurations as a whole number, as far as a double counts them one by one.
nlohmann::json count_json(double count);

} // namespace gridsmith
