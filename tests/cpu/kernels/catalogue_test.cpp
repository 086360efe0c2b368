// Promises that every kernel of the catalogue keeps, without a GPU.
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/tests/catch.hpp"

#include <filesystem>
#include <map>

using namespace gridsmith;

namespace {

const std::filesystem::path folder = GRIDSMITH_SOURCE_DIR "/kernels/catalogue";

Device device_90() {
  Device device = device_of_capability(90);
  device.sm_count = 132;
  return device;
}

std::int64_t of(const Configuration& configuration, const std::string& name) {
  return std::get<std::int64_t>(*find_value(configuration, name));
}

/// Elements of the output one block makes, along x and y, and the output's extents.
struct Tile {
  std::int64_t x, y, width, height;
};

Tile tile_of(const std::string& kernel, const Configuration& c, const ProblemSize& problem) {
  const auto& e = problem.extents;
  if (kernel == "transpose")
    return {of(c, "TILE"), of(c, "TILE"), e[1], e[0]};
  if (kernel == "matmul")
    return {of(c, "BN"), of(c, "BM"), e[1], e[0]};
  if (kernel == "transpose_bench")
    return {of(c, "TILE"), of(c, "TILE"), e[0], e[0]};
  if (kernel == "sgemm_bench")
    return {of(c, "BN"), of(c, "BM"), e[0], e[0]};
  if (kernel == "histogram_bench")
    return {of(c, "BLOCK") * of(c, "ITEMS"), 1, e[0], 1};
  if (kernel == "vector_add" && of(c, "blocks_per_sm") == 0)
    return {of(c, "ELEMENTS") * of(c, "block_size_x"), 1, e[0], 1};
  return {0, 0, 0, 0}; // strides over the rest
}

void check_cover(std::int64_t blocks, std::int64_t tile, std::int64_t extent) {
  CHECK(blocks * tile >= extent);
  CHECK((blocks - 1) * tile < extent);
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

TEST_CASE("every catalogue kernel is complete", "[catalogue]") {
  REQUIRE(catalogue(folder).size() >= 6);
  for (const auto& file : catalogue(folder)) {
    INFO(file);
    const auto definition = read_definition(file);
    CHECK(definition.runnable());
    CHECK_FALSE(definition.community);
    CHECK(definition.reference.any());
    CHECK_FALSE(definition.reference.host.empty());
    CHECK(std::filesystem::exists(definition.source));
    CHECK(definition.bytes);
    CHECK(find_host_reference(definition.reference.host).extents >=
          definition.problem_sizes.front().extents.size());
    const auto instance = instantiate(definition, definition.problem_sizes.front(), device_90());
    CHECK(instance.model_bytes > 0);
    if (!definition.automatic.dimensions) // else the block comes from the device
      CHECK(build_space(instance).find(definition.defaults));
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
      for (const ConfigurationId id : space.sample(100, random)) {
        const Configuration configuration = space.at(id);
        INFO(to_text(configuration));
        const Geometry geometry = launch_shape(instance, configuration);
        CHECK(geometry.threads_per_block() % 32 == 0);
        CHECK(geometry.threads_per_block() <= 1024);
        if (const Tile tile = tile_of(definition.name, configuration, problem); tile.x) {
          check_cover(geometry.grid[0], tile.x, tile.width);
          check_cover(geometry.grid[1], tile.y, tile.height);
        }
      }
      const Geometry reference = reference_shape(instance);
      CHECK(reference.blocks() > 0);
      for (const ArgumentSpec& spec : argument_specs(instance)) {
        CHECK(spec.buffer.has_value() != spec.scalar.has_value());
        CHECK((!spec.scalar || spec.scalar->value >= 1));
      }
    }
  }
}

TEST_CASE("outputs are as long as the host reference's", "[catalogue]") {
  for (const auto& file : catalogue(folder)) {
    const auto definition = read_definition(file);
    for (const ProblemSize& problem : definition.problem_sizes)
      for (const ArgumentSpec& spec : argument_specs(instantiate(definition, problem, device_90())))
        if (spec.buffer && spec.buffer->output)
          CHECK(spec.buffer->elements ==
                find_host_reference(definition.reference.host).elements(problem.extents));
  }
}
