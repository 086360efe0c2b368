// SPDX-License-Identifier: Apache-2.0
// Promises that every kernel of the catalogue keeps, without a GPU.
#include "gridsmith/kernels/definition/first_guesses.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/kernels/reading/find_definition.hpp"
#include "gridsmith/kernels/reading/read_definition.hpp"
#include "gridsmith/tests/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace catalogue_test {

using namespace gridsmith;

namespace {

const std::filesystem::path folder = GRIDSMITH_SOURCE_DIR "/kernels/catalogue";

Device device_90() {
  Device device = device_of_capability(90);
  device.sm_count = 132;
  return device;
}

/// A grid axis that tiles an extent of the problem.
struct Tiling {
  std::size_t axis, extent;
  std::int64_t tile; ///< elements per block
};

Geometry geometry_of(const KernelDefinition& definition, ProblemSize problem,
                     const Configuration& configuration, std::size_t extent, std::int64_t length) {
  problem.extents[extent] = length;
  return launch_geometry(instantiate(definition, problem, device_90()), configuration);
}

/// Found by the definition alone: what doubles the blocks of an axis when it is doubled is tiled by
/// it. So long an extent has so many blocks that their number gives the tile exactly.
std::vector<Tiling> tilings_of(KernelDefinition definition, const ProblemSize& problem,
                               const Configuration& configuration) {
  constexpr std::int64_t length = std::int64_t{1} << 40;
  definition.flops.reset(); // their integers need not hold such an extent
  definition.bytes.reset();
  definition.arguments.clear();
  std::vector<Tiling> found;
  for (std::size_t extent = 0; extent < problem.extents.size(); ++extent) {
    const auto short_one = geometry_of(definition, problem, configuration, extent, length);
    const auto long_one = geometry_of(definition, problem, configuration, extent, 2 * length);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::int64_t once = short_one.grid[axis], twice = long_one.grid[axis];
      if (once > 1 && std::abs(twice - 2 * once) <= 1)
        found.push_back({axis, extent, (length + once / 2) / once});
    }
  }
  return found;
}

/// The grid does not grow with the problem, the kernel strides over the rest.
bool strides(const Configuration& configuration) {
  const Value* blocks = find_value(configuration, "blocks_per_sm");
  return blocks && to_number(*blocks) > 0;
}

/// As many blocks as needed, and no more. Where the grid does not grow with the problem the kernel
/// strides; whether it covers all of it, the emulation sees.
void check_cover(const KernelInstance& instance, const Configuration& configuration,
                 const Geometry& geometry) {
  const auto tilings = tilings_of(instance.definition, instance.problem, configuration);
  for (const Tiling& tiling : tilings) {
    const std::int64_t blocks = geometry.grid[tiling.axis];
    const std::int64_t extent = instance.problem.extents[tiling.extent];
    INFO("axis " << tiling.axis << ", extent " << tiling.extent << ", tile " << tiling.tile);
    CHECK(blocks * tiling.tile >= extent);
    CHECK((blocks - 1) * tiling.tile < extent);
  }
}

/// No tile of more than an element divides its extent, in any configuration of a sample.
bool nothing_divides(const KernelDefinition& definition, const ProblemSize& problem) {
  const auto space = build_space(instantiate(definition, problem, device_90()));
  Random random(1);
  for (const ConfigurationId id : space.sample(40, random)) {
    const Configuration configuration = space.at(id);
    if (strides(configuration))
      continue;
    for (const Tiling& tiling : tilings_of(definition, problem, configuration))
      if (tiling.tile > 1 && problem.extents[tiling.extent] % tiling.tile == 0)
        return false;
  }
  return true;
}

/// No failure: a kernel may be begun with less.
void show_missing(const KernelDefinition& definition) {
  const std::pair<const char*, bool> parts[] = {
      {"Description", !definition.description.empty()},
      {"Reference", definition.reference.any()},
      {"Reference.Element", !definition.reference.element.empty()},
      {"WorkModel", definition.flops || definition.bytes},
      {"recordings", std::filesystem::exists(definition.file.parent_path() / "recordings")}};
  for (const auto& [part, there] : parts)
    if (!there)
      std::cout << definition.name << ": no " << part << '\n';
}

std::uint64_t space_size(const std::string& kernel, const ProblemSize& problem) {
  const auto definition = read_definition(find_definition(kernel, folder));
  return build_space(instantiate(definition, problem, device_90())).size();
}

} // namespace

TEST_CASE("sizes of the catalogue's spaces", "[catalogue]") {
  CHECK(space_size("transpose_bench", {{8192}}) == 26);
  CHECK(space_size("sgemm_bench", {{4096}}) == 225);
  CHECK(space_size("histogram_bench", {{16777216}}) == 140);
  CHECK(space_size("transpose", {{8192, 8192}}) == 167);
  CHECK(space_size("matmul", {{4096, 4096, 4096}}) == 157);
  CHECK(space_size("vector_add", {{67108864}}) == 3 * 32 * 3);
}

TEST_CASE("every catalogue kernel can be tuned, and what it lacks is shown", "[catalogue]") {
  REQUIRE_FALSE(catalogue(folder).empty());
  for (const auto& file : catalogue(folder)) {
    INFO(file);
    const auto definition = read_definition(file);
    show_missing(definition);
    CHECK(definition.runnable());
    CHECK_FALSE(definition.community);
    CHECK(std::filesystem::exists(definition.source));
    for (const ProblemSize& problem : definition.problem_sizes) {
      const auto instance = instantiate(definition, problem, device_90());
      CHECK_NOTHROW(check_elements(instance));
      CHECK((!definition.bytes || instance.model_bytes > 0));
    }
    const auto instance = instantiate(definition, definition.problem_sizes.front(), device_90());
    if (!definition.automatic) // else the block comes from the device
      CHECK(build_space(instance).find(definition.defaults));
  }
}

TEST_CASE("every catalogue kernel has three sizes, one of them a multiple of no tile",
          "[catalogue]") {
  for (const auto& file : catalogue(folder)) {
    const auto definition = read_definition(file);
    INFO(definition.name);
    const auto& sizes = definition.problem_sizes;
    CHECK(sizes.size() >= 3);
    if (!definition.name.ends_with("_bench")) // other tools' benchmarks, as they are: whole tiles
      CHECK(std::any_of(sizes.begin(), sizes.end(), [&](const ProblemSize& size) {
        return nothing_divides(definition, size);
      }));
  }
}

TEST_CASE("other tools for T1 can read the catalogue", "[catalogue]") {
  for (const auto& file : catalogue(folder)) {
    INFO(file);
    std::ifstream in(file);
    const auto json = nlohmann::json::parse(in); // strictly: no comments
    const auto& kernel = json.at("KernelSpecification");
    for (const char* field : {"GlobalSize", "LocalSize"}) // the T1 schema asks for both
      CHECK(kernel.at(field).at("X").is_string());
    for (const auto& parameter : json.at("ConfigurationSpace").at("TuningParameters"))
      CHECK(parameter.at("Values").is_string());
    CHECK(read_definition(file).remarks.empty());
  }
}

TEST_CASE("geometry covers the problem", "[catalogue]") {
  for (const auto& file : catalogue(folder)) {
    const auto definition = read_definition(file);
    for (const ProblemSize& problem : definition.problem_sizes) {
      const auto instance = instantiate(definition, problem, device_90());
      const auto space = build_space(instance);
      INFO(definition.name << " " << to_text(problem));
      REQUIRE(space.size() > 0);
      Random random(1);
      for (const ConfigurationId id : space.sample(40, random)) {
        const Configuration configuration = space.at(id);
        INFO(to_text(configuration));
        const Geometry geometry = launch_geometry(instance, configuration);
        // A definition with its own shapes may have some that leave lanes empty, to show it.
        CHECK((geometry.threads_per_block() % 32 == 0 || !definition.automatic));
        CHECK(geometry.threads_per_block() <= 1024);
        if (!strides(configuration))
          check_cover(instance, configuration, geometry);
      }
      if (definition.reference.kernel)
        CHECK(reference_geometry(instance, first_configuration(instance, space)).blocks() > 0);
      for (const ArgumentSpec& spec : argument_specs(instance)) {
        CHECK(spec.buffer.has_value() != spec.scalar.has_value());
        CHECK((!spec.scalar || spec.scalar->texture || !spec.scalar->pitch_of.empty() ||
               spec.scalar->value != 0)); // else its value was forgotten
      }
    }
  }
}

} // namespace catalogue_test
