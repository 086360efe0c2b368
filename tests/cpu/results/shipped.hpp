// SPDX-License-Identifier: Apache-2.0
// Hand-made selections of catalogue kernels, and headers of them compiled and loaded: for the tests
// and the bench of what is shipped.
#pragma once

#include "gridsmith/kernels/definition/instance.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/results/header/header.hpp"
#include "gridsmith/results/header/kernel_code.hpp"
#include "gridsmith/tests/cpu/results/sample.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <memory>

namespace gridsmith {

inline KernelDefinition catalogue_definition(const std::string& kernel) {
  return read_definition(std::filesystem::path(GRIDSMITH_SOURCE_DIR) / "kernels" / "catalogue" /
                         kernel / (kernel + ".json"));
}

/// With all limits that a definition may ask for.
inline Device h200() {
  Device device = device_of_capability(90);
  device.name = "NVIDIA H200";
  device.sm_count = 132;
  device.l2_bytes = 62914560;
  device.peak_dram_gb_per_s = 4814.5;
  device.max_grid_extent[0] = 2147483647;
  device.max_grid_extent[1] = device.max_grid_extent[2] = 65535;
  device.driver_version = "580.159";
  device.toolkit_version = "13.0";
  return device;
}

/// Sizes around the definition's first, each with a best one and times that nobody measured.
inline Selection invented_selection(const KernelDefinition& definition, const Device& device,
                                    std::size_t count, std::size_t problems, RuleKind rule) {
  const KernelInstance instance = instantiate(definition, definition.default_problem(), device);
  const SearchSpace space = build_space(instance);
  Random random(7);
  Selection selection;
  selection.kernel = definition.name;
  selection.device = device;
  selection.date = "2026-11-22T08:00:00Z";
  selection.source_hash = "abc";
  selection.conditions = "cold L2 cache";
  selection.rule.kind = rule;
  for (std::size_t p = 0; p < problems; ++p) {
    SelectedProblem problem;
    problem.problem = definition.default_problem();
    for (std::int64_t& extent : problem.problem.extents)
      extent = std::max<std::int64_t>(1, extent >> (p % 8)) + static_cast<std::int64_t>(p / 8) * 64;
    problem.best = p % count;
    problem.least_cost = 1;
    problem.cost = problem.plain_cost = 1.01;
    problem.margin = 1.05;
    problem.default_cost = 1.5;
    selection.problems.push_back(problem);
  }
  selection.left_out = selection.measured = {1.01, 1.02, 1, 1, problems, 0, 0};
  for (const ConfigurationId id : space.sample(count, random)) {
    SelectedConfiguration one;
    one.of = {space.at(id), 2,
              std::vector<std::int64_t>(definition.default_problem().extents.size(), 64)};
    for (double& coefficient : one.model.coefficients)
      coefficient = 1e-9 * unit(random);
    for (std::size_t p = 0; p < problems; ++p) {
      one.costs.push_back(1 + unit(random));
      one.ratios.push_back(0.9 + 0.2 * unit(random));
    }
    selection.configurations.push_back(one);
  }
  selection.default_configuration = selection.configurations.front().of.configuration;
  return selection;
}

inline std::string invented_header(const KernelDefinition& definition,
                                   RuleKind rule = RuleKind::corrected, std::size_t count = 10,
                                   std::size_t problems = 24) {
  const ShippedKernel kernel{definition.name,
                             &definition,
                             "",
                             {{invented_selection(definition, h200(), count, problems, rule), {}}}};
  return header_text({&kernel, 1});
}

/// C++ that sets every fact of a device `d`.
inline std::string device_statements(const Device& device) {
  std::string text = "  tuned::Device d;\n";
  for (const auto& [name, number] : device_facts(device))
    text += number > 0 ? fmt::format("  d.{} = {};\n", name, number) : "";
  return text;
}

/// @return whether the shell's command succeeded
inline bool succeeds(const std::string& command) {
  return std::system(command.c_str()) == 0;
}

inline const std::string strict_flags =
    " -std=c++17 -Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror ";

/// A shared object of one source beside the header "tuned.hpp". @throws std::runtime_error
class CompiledHeader {
public:
  CompiledHeader(const std::string& header, const std::string& source, const std::string& options) {
    test::write(folder_ / "tuned.hpp", header);
    test::write(folder_ / "use.cpp", "#include \"tuned.hpp\"\n" + source);
    const std::string where = folder_.path().string();
    if (!succeeds("cd '" + where + "' && c++" + strict_flags + options +
                  " -shared -fPIC use.cpp -o use.so"))
      throw std::runtime_error("the header does not compile");
    library_.reset(dlopen((where + "/use.so").c_str(), RTLD_NOW));
    if (!library_)
      throw std::runtime_error(dlerror());
  }

  template <class Call>
  Call* function(const char* name) const {
    return reinterpret_cast<Call*>(dlsym(library_.get(), name));
  }

private:
  struct Close {
    void operator()(void* library) const { dlclose(library); }
  };

  test::Folder folder_;
  std::unique_ptr<void, Close> library_;
};

} // namespace gridsmith
