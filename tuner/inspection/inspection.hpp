// SPDX-License-Identifier: Apache-2.0
// One configuration compiled, to be looked at: what the compiler is told, what it says and what comes
// out. Needs NVRTC and no GPU.
#pragma once

#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/metrics/code/code_facts.hpp"
#include "gridsmith/metrics/device/occupancy.hpp"
#include "gridsmith/tuner/processes/helper_settings.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace gridsmith {

struct Inspection {
  std::string compiler; ///< "NVRTC 13.0", as CompilerPool::named()
  Geometry geometry;
  std::shared_ptr<const CodeObject> code; ///< with PTX; without a cubin its error says why
  std::optional<CodeFacts> machine_code;  ///< none: it did not compile, or to no code that is known
  std::optional<CodeFacts> fast_math; ///< the same with fast math; none: not asked for, or as above
  std::optional<Occupancy> predicted; ///< none: it did not compile, or the device is not known
};

struct InspectionSettings {
  HelperSettings helpers = {}; ///< a compiler is started for each code, and no cache is used
  bool lines = false;          ///< with the lines of the source, whatever the definition's options
  bool fast_math = false;      ///< compiled with fast math too
  std::stop_token stop = {};
};

/// It was stopped before it was compiled.
class InspectionStopped : public Error {
public:
  using Error::Error;
};

/// By a compiler process of its own and without any cache, for the instance's device.
/// @throws InputError: no source, no geometry. HelperError: no compiler, or none that works.
/// InspectionStopped
Inspection inspect(const KernelInstance& instance, const Configuration& configuration,
                   const InspectionSettings& settings);

} // namespace gridsmith
