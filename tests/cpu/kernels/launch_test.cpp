// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/error.hpp"
#include "gridsmith/kernels/definition/compile_request.hpp"
#include "gridsmith/kernels/definition/first_guesses.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/kernels/source/compiler_options.hpp"
#include "gridsmith/metrics/device/occupancy.hpp"
#include "gridsmith/tests/catch.hpp"

#include <algorithm>

namespace launch_test {

using namespace gridsmith;

namespace {

Value integer(std::int64_t value) {
  return value;
}

KernelDefinition bare(std::vector<Parameter> parameters) {
  KernelDefinition definition;
  definition.name = "bare";
  definition.file = "bare.json";
  definition.language = "CUDA";
  definition.kernel = "k";
  definition.parameters = std::move(parameters);
  definition.problem_sizes = {{{1000, 60}}};
  return definition;
}

Device device_90() {
  Device device = device_of_capability(90);
  device.sm_count = 132;
  return device;
}

Geometry shape(const KernelDefinition& definition, const Configuration& configuration) {
  return launch_geometry(instantiate(definition, {{1000, 60}}, device_90()), configuration);
}

} // namespace

TEST_CASE("GridDiv divides and rounds up", "[launch]") {
  auto definition = bare({{"block_size_x", {integer(32)}}, {"tile", {integer(3)}}});
  definition.grid_div[0] = {Expression::parse("block_size_x"), Expression::parse("tile")};
  definition.grid[0] = Expression::parse("262144"); // stale, and does not count
  const auto geometry = shape(definition, {{"block_size_x", integer(32)}, {"tile", integer(3)}});
  CHECK(geometry == Geometry{{11, 60, 1}, {32, 1, 1}, 0}); // ceil(1000 / 96)
}

TEST_CASE("without GridDivX the block divides x", "[launch]") {
  auto definition = bare({{"block_size_x", {integer(64)}}});
  const Configuration configuration{{"block_size_x", integer(64)}};
  CHECK(shape(definition, configuration) == Geometry{{16, 60, 1}, {64, 1, 1}, 0});
  definition.grid_div[1] = {Expression::parse("7")};
  CHECK(shape(definition, configuration) == Geometry{{16, 9, 1}, {64, 1, 1}, 0});
  definition.grid_div[0].emplace(); // "GridDivX": []
  CHECK(shape(definition, configuration) == Geometry{{1000, 9, 1}, {64, 1, 1}, 0});
}

TEST_CASE("GlobalSize counts blocks or threads", "[launch]") {
  auto definition = bare({{"bx", {integer(32)}}});
  definition.block[0] = Expression::parse("bx");
  definition.block[1] = Expression::parse("2");
  definition.grid[0] = Expression::parse("ProblemSize[0]");
  definition.grid[1] = Expression::parse("ProblemSize[1] // 3");
  definition.dynamic_shared_bytes = Expression::parse("bx * 8");
  CHECK(shape(definition, {{"bx", integer(32)}}) == Geometry{{1000, 20, 1}, {32, 2, 1}, 256});
  definition.grid_unit = GridUnit::threads;
  CHECK(shape(definition, {{"bx", integer(32)}}) == Geometry{{32, 10, 1}, {32, 2, 1}, 256});
}

TEST_CASE("a geometry that is none is an error with field and value", "[launch]") {
  auto definition = bare({{"bx", {integer(32)}}});
  definition.block[0] = Expression::parse("bx / 64");
  CHECK_THROWS_AS(shape(definition, {{"bx", integer(32)}}), InputError);
  definition.block[0] = Expression::parse("bx - 32");
  try {
    shape(definition, {{"bx", integer(32)}});
    FAIL("no error");
  } catch (const InputError& error) {
    const std::string text = error.what();
    CHECK(text == "bare.json: KernelSpecification.LocalSize.X: 'bx - 32' gives 0; expected an "
                  "integer of at least 1");
  }
}

TEST_CASE("bytes of an access are those of an instruction", "[launch]") {
  auto definition = bare({{"width", {integer(4)}}});
  const auto loaded = [&](const std::string& text) {
    definition.load_bytes = Expression::parse(text);
    return access_bytes(instantiate(definition, {{1000, 60}}, device_90()), {{"width", integer(4)}})
        .load;
  };
  CHECK(loaded("4 * width") == 16);
  for (const auto& [text, value] :
       {std::pair("0", "0"), std::pair("width - 1", "3"), std::pair("16 * width", "64"),
        std::pair("width / 8", "0.5"), std::pair("-width", "-4")}) {
    INFO(text);
    CHECK_THROWS_WITH(loaded(text), "bare.json: Gridsmith.AccessBytes.Load: '" + std::string(text) +
                                        "' gives " + value +
                                        "; a thread's access has 1, 2, 4, 8, 16 or 32 bytes");
  }
}

TEST_CASE("the device's limits are constraints", "[launch]") {
  auto definition = bare({{"x", {integer(256), integer(512)}}, {"y", {integer(2), integer(4)}}});
  definition.block[0] = Expression::parse("x");
  definition.block[1] = Expression::parse("y");
  definition.dynamic_shared_bytes = Expression::parse("x * y * 227");
  const auto instance = instantiate(definition, {{1000, 60}}, device_90());
  CHECK(build_space(instance).size() == 3); // 512 x 4 has too many threads
  definition.dynamic_shared_bytes = Expression::parse("x * y * 228");
  CHECK(build_space(instantiate(definition, {{1000, 60}}, device_90())).size() == 1);
  CHECK_THROWS_AS(instantiate(definition, {{1000}}, device_90()), InputError);
}

TEST_CASE("macros of the community and of our own", "[launch]") {
  auto definition = bare({{"block_size_x", {integer(64)}}, {"use", {Value(true)}}});
  definition.compiler_options = {"-std=c++17"};
  const Configuration configuration{{"block_size_x", integer(64)}, {"use", Value(true)}};
  auto instance = instantiate(definition, {{1000, 60}}, device_90());
  CHECK_THROWS_AS(compile_request(instance, configuration), InputError); // there is no source
  instance.source = make_bundle({"k.cu", "text"});
  CHECK(compile_request(instance, configuration).options ==
        std::vector<std::string>{"-std=c++17", "-Dblock_size_x=64", "-Duse=true",
                                 "-Dgrid_size_x=16", "-Dblock_size_y=1", "-Dgrid_size_y=60",
                                 "-Dblock_size_z=1", "-Dgrid_size_z=1", "-Dkernel_tuner=1"});
  instance.definition.community = false;
  const auto request = compile_request(instance, configuration);
  CHECK(request.options ==
        std::vector<std::string>{"-std=c++17", "-Dblock_size_x=64", "-Duse=true"});
  CHECK(request.source == instance.source);
  instance.source = make_bundle({"k.cu", "int grid_size_xy, my_grid_size_y, grid_size_z;"});
  CHECK(compile_request(instance, configuration).options.back() == "-Dgrid_size_z=1");
  instance.definition.language = "OpenCL";
  CHECK_THROWS_AS(compile_request(instance, configuration), InputError);
}

TEST_CASE("a definition may give the source its extents as macros", "[launch]") {
  auto definition = bare({{"block_size_x", {integer(64)}}});
  definition.community = false;
  definition.macros.emplace("NI", Expression::parse("ProblemSize[0] + 2"));
  definition.macros.emplace("ROW_BYTES", Expression::parse("4 * block_size_x"));
  auto instance = instantiate(definition, {{1000, 60}}, device_90());
  instance.source = make_bundle({"k.cu", "text"});
  const Configuration configuration{{"block_size_x", integer(64)}};
  const auto request = compile_request(instance, configuration);
  CHECK(request.options ==
        std::vector<std::string>{"-Dblock_size_x=64", "-DNI=1002", "-DROW_BYTES=256"});
  REQUIRE(request.parameters.size() == 3); // that the source must leave as they are
  instance.definition.macros.emplace("HALF", Expression::parse("1 // (ProblemSize[1] - 60)"));
  CHECK_THROWS_WITH(compile_request(instance, configuration),
                    contains_text("Gridsmith.Macros.HALF: "));
}

TEST_CASE("parameters may add compiler options", "[launch]") {
  auto definition = bare({{"REGISTERS", {integer(32), integer(64)}},
                          {"FAST", {Value(false), Value(true)}},
                          {"FUSED", {Value(false), Value(true)}}});
  definition.community = false;
  definition.parameter_options = {
      {"REGISTERS", "--maxrregcount={}"}, {"FAST", "-use_fast_math"}, {"FUSED", "--fmad={}"}};
  auto instance = instantiate(definition, {{1000, 60}}, device_90());
  instance.source = make_bundle({"k.cu", "text"});
  const auto added = [&](bool fast) {
    auto options =
        compile_request(
            instance, {{"REGISTERS", integer(64)}, {"FAST", Value(fast)}, {"FUSED", Value(false)}})
            .options;
    options.erase(options.begin(), options.begin() + 3); // the macros
    return options;
  };
  using Words = std::vector<std::string>;
  CHECK(added(false) == Words{"--fmad=false", "-maxrregcount=64"});
  CHECK(added(true) == Words{"--use_fast_math", "--fmad=false", "-maxrregcount=64"});
  CHECK_THROWS_WITH(option_of_value("-maxrregcount={}", integer(-1)), contains_text("not allowed"));
  CHECK_THROWS_WITH(option_of_value("-DX={}", integer(1)),
                    contains_text("a macro of its own name"));
  CHECK_THROWS_WITH(option_of_value("-I{}", Value(std::string("x"))),
                    contains_text("what headers are read"));
  CHECK_THROWS_AS(option_of_value("--time={}", Value(std::string("x"))), InputError);
}

TEST_CASE("sizes of arguments take the largest value of a parameter", "[launch]") {
  auto definition = bare({{"w", {integer(3), integer(15), integer(7)}}});
  Argument vector;
  vector.name = "v";
  vector.size = Expression::parse("ProblemSize[0] + max(w) - 1");
  Argument scalar;
  scalar.name = "s";
  scalar.is_vector = false;
  scalar.type = ElementType::int32;
  scalar.value = Expression::parse("ProblemSize[1] * 2");
  definition.arguments = {vector, scalar};
  const auto specs = argument_specs(instantiate(definition, {{1000, 60}}, device_90()));
  CHECK(specs.at(0).buffer->elements == 1014);
  CHECK(specs.at(1).scalar->value == 120);
}

TEST_CASE("a scalar that its type does not hold is refused", "[launch]") {
  auto definition = bare({{"w", {integer(3)}}});
  const auto given = [&](ElementType type, double value) {
    Argument scalar;
    scalar.name = "s";
    scalar.is_vector = false;
    scalar.type = type;
    scalar.fill_value = value;
    definition.arguments = {scalar};
    return argument_specs(instantiate(definition, {{1000, 60}}, device_90())).at(0).scalar->value;
  };
  CHECK(given(ElementType::int32, 2147483647) == 2147483647);
  CHECK(given(ElementType::int32, -2147483648.0) == -2147483648.0);
  CHECK(given(ElementType::uint64, 0x1p63) == 0x1p63);
  CHECK(given(ElementType::float32, 1e30) == 1e30);
  CHECK_THROWS_WITH(given(ElementType::int32, 1e13),
                    contains_text("argument 1 (s): 10000000000000 is beyond int32"));
  for (const auto& [type, value] : {std::pair{ElementType::uint8, 256.0},
                                    {ElementType::uint32, -1.0},
                                    {ElementType::int64, 0x1p63}})
    CHECK_THROWS_AS(given(type, value), InputError);
}

TEST_CASE("automatic shapes are all that the device allows", "[launch]") {
  const Device device = device_90();
  for (const int dimensions : {1, 2, 3}) {
    std::uint64_t expected = 0;
    for (int x = 1; x <= 1024; ++x)
      for (int y = 1; y <= (dimensions > 1 ? 1024 / x : 1); ++y)
        for (int z = 1; z <= (dimensions > 2 ? std::min(64, 1024 / x / y) : 1); ++z)
          expected += x * y * z % 32 == 0;
    auto definition = bare({{"e", {integer(1)}}});
    definition.automatic = AutomaticShape{dimensions, {0, 2}};
    const auto instance = instantiate(definition, {{1000, 60}}, device);
    const auto space = build_space(instance);
    CHECK(space.size() == 2 * expected);
    Random random(1);
    for (const auto id : space.sample(300, random)) {
      const Geometry geometry = launch_geometry(instance, space.at(id));
      CHECK(geometry.threads_per_block() % 32 == 0);
      CHECK(geometry.threads_per_block() <= 1024);
    }
  }
}

TEST_CASE("blocks per SM limit the grid, axis by axis", "[launch]") {
  auto definition = bare({});
  definition.automatic = AutomaticShape{2, {0, 1, 1000}};
  const auto at = [&](std::int64_t blocks) {
    return shape(definition, {{"block_size_x", integer(8)},
                              {"block_size_y", integer(4)},
                              {"blocks_per_sm", integer(blocks)}});
  };
  CHECK(at(0) == Geometry{{125, 15, 1}, {8, 4, 1}, 0});
  CHECK(at(1) == Geometry{{125, 1, 1}, {8, 4, 1}, 0});
  CHECK(at(1000) == at(0));
}

TEST_CASE("an automatic shape covers as many extents as it has dimensions", "[launch]") {
  auto definition = bare({});
  const auto grid = [&](int dimensions) {
    definition.automatic = AutomaticShape{dimensions, {}};
    definition.problem_sizes = {{{1000, 60, 512}}};
    Configuration configuration{{"block_size_x", integer(8)}};
    if (dimensions > 1)
      configuration.emplace_back("block_size_y", integer(4));
    const auto instance = instantiate(definition, {{1000, 60, 512}}, device_90());
    const Geometry geometry = launch_geometry(instance, configuration);
    return std::vector<std::int64_t>(std::begin(geometry.grid), std::end(geometry.grid));
  };
  CHECK(grid(1) == std::vector<std::int64_t>{125, 1, 1});
  CHECK(grid(2) == std::vector<std::int64_t>{125, 15, 1}); // the third is a sum's length
  definition.grid_div[0] = {Expression::parse("block_size_x * 2")};
  CHECK(grid(2) == std::vector<std::int64_t>{63, 15, 1});
  definition.grid_div[2] = {Expression::parse("64")};
  CHECK(grid(2) == std::vector<std::int64_t>{63, 15, 8});
  definition.grid_div[0] = definition.grid_div[2] = {};
  definition.grid[0] = definition.grid[2] = Expression::parse("7");
  CHECK(grid(2) == std::vector<std::int64_t>{7, 1, 7});
}

TEST_CASE("first guesses: defaults, the formula's estimate, then by occupancy", "[launch]") {
  auto definition = bare({{"e", {integer(1), integer(2)}}});
  definition.automatic = AutomaticShape{1, {}};
  definition.defaults = {{"e", integer(2)}, {"block_size_x", integer(992)}};
  const Device device = device_90();
  const auto instance = instantiate(definition, {{1000, 60}}, device);
  const auto space = build_space(instance);
  const auto guesses = first_guesses(instance, space, 20);
  REQUIRE(guesses.size() == 20);
  CHECK(space.at(guesses[0]) == definition.defaults);
  const auto threads = [&](ConfigurationId id) {
    return static_cast<int>(launch_geometry(instance, space.at(id)).threads_per_block());
  };
  CHECK(threads(guesses[1]) == estimate_launch(device, 0, 0, 60000).threads_per_block);
  CompileFacts facts;
  facts.registers_per_thread = 32;
  for (std::size_t i = 3; i < guesses.size(); ++i)
    CHECK(occupancy(device, facts, threads(guesses[i - 1]), 0).fraction >=
          occupancy(device, facts, threads(guesses[i]), 0).fraction);
  auto sorted = guesses;
  std::sort(sorted.begin(), sorted.end());
  CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
  CHECK(first_guesses(instance, space, 1).size() == 1);
}

TEST_CASE("defaults of some parameters are kept by the first guess", "[launch]") {
  auto definition = bare({{"e", {integer(1), integer(2)}}, {"f", {integer(1), integer(2)}}});
  definition.automatic = AutomaticShape{2, {}};
  definition.constraints = {{Expression::parse("e + f <= 3"), "e + f <= 3"}};
  const auto first_of = [&](const Configuration& defaults) {
    definition.defaults = defaults;
    const auto instance = instantiate(definition, {{1000, 60}}, device_90());
    return first_configuration(instance, build_space(instance));
  };
  const Configuration free = first_of({});
  CHECK(*find_value(first_of({{"e", integer(2)}}), "e") == integer(2));
  CHECK(first_of({{"e", integer(2)}, {"f", integer(2)}}) == free); // not in the space
}

TEST_CASE("a constant amount of shared memory is limited too", "[launch]") {
  auto definition = bare({{"e", {integer(1), integer(2)}}});
  definition.dynamic_shared_bytes = Expression::parse("232448"); // 227 KiB
  CHECK(build_space(instantiate(definition, {{1000, 60}}, device_90())).size() == 2);
  definition.dynamic_shared_bytes = Expression::parse("232449");
  CHECK(build_space(instantiate(definition, {{1000, 60}}, device_90())).size() == 0);
}

TEST_CASE("clusters divide the grid and are left to devices that have them", "[launch]") {
  auto definition = bare({{"SPLIT", {integer(1), integer(4), integer(7)}}});
  definition.grid[0] = Expression::parse("8");
  definition.cluster[0] = Expression::parse("SPLIT");
  const Geometry geometry = shape(definition, {{"SPLIT", integer(4)}});
  CHECK(geometry.cluster[0] == 4);
  CHECK(geometry.blocks_per_cluster() == 4);
  CHECK_THROWS_WITH(shape(definition, {{"SPLIT", integer(7)}}),
                    contains_text("divide the grid's 8"));
  CHECK(build_space(instantiate(definition, {{1000, 60}}, device_90())).size() == 3);
  CHECK(build_space(instantiate(definition, {{1000, 60}}, device_of_capability(80))).size() == 1);
}

TEST_CASE("a carve-out and a transfer are part of the geometry", "[launch]") {
  auto definition = bare({{"SHARE", {integer(-1), integer(50), integer(101)}},
                          {"KIND", {Value{"pinned"}, Value{"paged"}}}});
  definition.shared_carveout_percent = Expression::parse("SHARE");
  definition.transfer =
      TransferRule{Expression::parse("KIND"), Expression::parse("SHARE - 46"), {}};
  const auto of = [&](std::int64_t share, const char* kind) {
    return shape(definition, {{"SHARE", integer(share)}, {"KIND", Value{kind}}});
  };
  const Geometry geometry = of(50, "pinned");
  CHECK(geometry.shared_carveout_percent == 50);
  CHECK(geometry.transfer == HostTransfer{HostMemory::pinned, 4, 1});
  CHECK_THROWS_WITH(of(50, "paged"), contains_text("unknown host memory 'paged'"));
  CHECK_THROWS_WITH(of(101, "pinned"), contains_text("expected 0 to 100, or -1"));
  CHECK_THROWS_WITH(of(-1, "pinned"), contains_text("expected an integer of at least 1")); // chunks
  definition.transfer.reset();
  CHECK(!of(-1, "pinned").shared_carveout_percent);
}

TEST_CASE("a reference is kept within the device's limits", "[launch]") {
  auto definition = bare({{"e", {integer(1)}}});
  const auto geometry_of = [&](const char* grid_y, const char* block_x) {
    definition.reference.grid[1] = Expression::parse(grid_y);
    definition.reference.block[0] = Expression::parse(block_x);
    return reference_geometry(instantiate(definition, {{1000, 60}}, device_90()),
                              {{"e", integer(1)}});
  };
  CHECK(geometry_of("65535", "1024") == Geometry{{1, 65535, 1}, {1024, 1, 1}, 0});
  CHECK_THROWS_AS(geometry_of("65536", "1024"), InputError);
  CHECK_THROWS_AS(geometry_of("1", "1025"), InputError);
}

} // namespace launch_test
