// SPDX-License-Identifier: Apache-2.0
// What a generated header says of problems is what the interpreter says, at any extents.
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/random.hpp"
#include "gridsmith/kernels/definition/expression_values.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/results/header/constants.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/shipped.hpp"

#include <array>
#include <chrono>
#include <iostream>
#include <limits>

namespace header_test {

using namespace gridsmith;

namespace {

enum class Verdict { no, yes, unknown };

/// A definition's instance that is moved from problem to problem.
class Interpreter {
public:
  Interpreter(const KernelDefinition& definition, const Device& device)
      : instance_(instantiate(definition, definition.default_problem(), device)) {}

  void move_to(const std::vector<std::int64_t>& extents) {
    instance_.problem.extents = extents;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      instance_.facts[fmt::format("ProblemSize[{}]", i)] = extents[i];
      if (i < instance_.definition.extent_names.size())
        instance_.facts[instance_.definition.extent_names[i]] = extents[i];
    }
  }

  Verdict verdict(const Configuration& configuration, Geometry& geometry) const {
    for (const std::int64_t extent : instance_.problem.extents)
      if (extent < 1)
        return Verdict::no;
    bool known = true;
    for (const Constraint& constraint : instance_.constraints)
      try {
        if (!constraint.expression.holds(lookup_in(configuration, instance_.facts)))
          return Verdict::no;
      } catch (const EvaluationError&) {
        return Verdict::no;
      } catch (const NumberTooLarge&) {
        known = false;
      }
    try {
      geometry = launch_geometry(instance_, configuration);
    } catch (const InputError&) {
      return Verdict::no;
    }
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (geometry.grid[axis] > instance_.device.max_grid_extent[axis] ||
          geometry.block[axis] > instance_.device.max_block_extent[axis])
        return Verdict::no;
    return known ? Verdict::yes : Verdict::unknown;
  }

  const KernelInstance& instance() const { return instance_; }

private:
  KernelInstance instance_;
};

std::int64_t random_extent(Random& random) {
  constexpr std::array<std::int64_t, 16> corners = {0,
                                                    1,
                                                    2,
                                                    3,
                                                    4,
                                                    31,
                                                    32,
                                                    65535,
                                                    std::int64_t{1} << 31,
                                                    (std::int64_t{1} << 31) - 1,
                                                    std::int64_t{1} << 40,
                                                    (std::int64_t{1} << 53) + 1,
                                                    std::numeric_limits<std::int64_t>::max(),
                                                    -1,
                                                    -(std::int64_t{1} << 40),
                                                    std::numeric_limits<std::int64_t>::min()};
  const std::uint64_t kind = below(random, 16);
  if (kind == 0)
    return corners.at(below(random, corners.size()));
  const auto bits = below(random, kind == 1 ? 62 : 24);
  const auto extent = static_cast<std::int64_t>(below(random, std::uint64_t{2} << bits));
  return kind < 8 ? extent : extent / 64 * 64;
}

/// Half of them valid at the definition's first problem, half whatever values they have.
std::vector<Configuration> some_configurations(const KernelInstance& instance, Random& random) {
  const SearchSpace space = build_space(instance);
  std::vector<Configuration> list;
  for (const ConfigurationId id : space.sample(24, random))
    list.push_back(space.at(id));
  for (int i = 0; i < 8; ++i) {
    Configuration any;
    for (const Parameter& parameter : instance.parameters)
      any.emplace_back(parameter.name, parameter.values[below(random, parameter.values.size())]);
    list.push_back(any);
  }
  return list;
}

struct Said {
  int validity; ///< tuned::Validity
  std::int64_t grid[3], block[3], shared;
};

constexpr const char* source = R"(
struct Said {{ int validity; std::int64_t grid[3], block[3], shared; }};
using namespace tuned;
using namespace tuned::{kernel};
static Device device() {{
{device}  return d;
}}
extern "C" void says(const std::int64_t* e, int which, Said* said) {{
  static const Device d = device();
  static const {kernel}::Configuration all[] = {{
{configurations}  {{}}}};
  const {kernel}::Problem p{{{extents}}};
  said->validity = static_cast<int>({kernel}::check(all[which], p, d));
  const auto shape = {kernel}::launch(all[which], p, d);
  for (int axis = 0; shape && axis < 3; ++axis) {{
    said->grid[axis] = shape->grid[axis];
    said->block[axis] = shape->block[axis];
  }}
  said->shared = shape ? shape->dynamic_shared_bytes : 0;
}}
extern "C" int chooses(const std::int64_t* e) {{
  static const Device d = device();
  const auto choice = {kernel}::choose({kernel}::Problem{{{extents}}}, d);
  return choice ? choice->index : -1;
}}
)";

std::string driver(const KernelDefinition& definition, const std::vector<Configuration>& list) {
  const KernelCode code = kernel_code(definition);
  std::string configurations, extents;
  for (const Configuration& one : list)
    configurations += "      " + code.configuration(one) + ",\n";
  for (std::size_t i = 0; i < code.extents.size(); ++i)
    extents += fmt::format("{}e[{}]", i ? ", " : "", i);
  return fmt::format(fmt::runtime(source), fmt::arg("device", device_statements(h200())),
                     fmt::arg("kernel", code.name), fmt::arg("configurations", configurations),
                     fmt::arg("extents", extents));
}

/// How often the header said less than the interpreter knows, because of 64 bits.
struct Tally {
  std::size_t valid = 0, unknown = 0, chosen = 0, wrong = 0;
  std::string first_wrong;
};

bool same_geometry(const Said& said, const Geometry& geometry) {
  bool same = said.shared == geometry.dynamic_shared_bytes;
  for (std::size_t axis = 0; axis < 3; ++axis)
    same =
        same && said.grid[axis] == geometry.grid[axis] && said.block[axis] == geometry.block[axis];
  return same;
}

bool agrees(const Said& said, Verdict verdict, const Geometry& geometry, std::int64_t largest) {
  if (said.validity == 0)
    return verdict == Verdict::yes && same_geometry(said, geometry);
  if (said.validity == 1)
    return verdict == Verdict::no;
  return verdict != Verdict::yes || largest >= std::int64_t{1} << 31;
}

Tally compare(const KernelDefinition& definition, std::size_t count) {
  Interpreter interpreter(definition, h200());
  Random random(11);
  const std::vector<Configuration> list = some_configurations(interpreter.instance(), random);
  const Selection chosen = invented_selection(definition, h200(), 10, 24, RuleKind::corrected);
  const CompiledHeader compiled(invented_header(definition), driver(definition, list), "-O1");
  auto* const says = compiled.function<void(const std::int64_t*, int, Said*)>("says");
  auto* const chooses = compiled.function<int(const std::int64_t*)>("chooses");
  Tally tally;
  std::vector<std::int64_t> extents(definition.default_problem().extents.size());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::int64_t& extent : extents)
      extent = random_extent(random);
    interpreter.move_to(extents);
    const std::size_t which = below(random, list.size());
    Said said = {};
    Geometry geometry;
    says(extents.data(), static_cast<int>(which), &said);
    const Verdict verdict = interpreter.verdict(list[which], geometry);
    bool right = agrees(said, verdict, geometry, *std::max_element(extents.begin(), extents.end()));
    tally.valid += said.validity == 0;
    tally.unknown += said.validity == 2 && verdict == Verdict::yes;
    if (const int index = chooses(extents.data()); index >= 0) {
      ++tally.chosen;
      const std::size_t at = static_cast<std::size_t>(index) % chosen.configurations.size();
      right = right && interpreter.verdict(chosen.configurations[at].of.configuration, geometry) ==
                           Verdict::yes;
    }
    if (!right && ++tally.wrong == 1)
      tally.first_wrong =
          fmt::format("{} at {}: header {}, interpreter {}", to_text(list[which]),
                      to_text(ProblemSize{extents}), said.validity, static_cast<int>(verdict));
  }
  return tally;
}

void check_kernels(std::size_t count) {
  for (const char* kernel : {"matmul", "transpose", "copy", "reduction", "stencil", "histogram",
                             "vector_add", "divergence"}) {
    const auto start = std::chrono::steady_clock::now();
    const Tally tally = compare(catalogue_definition(kernel), count);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    INFO(kernel << ": " << tally.first_wrong);
    CHECK(tally.wrong == 0);
    CHECK(tally.valid > count / 20); // else nothing was compared
    CHECK(tally.chosen > count / 20);
    std::cout << fmt::format("{}: {} problems, {} valid, {} not known, {} chosen, {:.1f} s\n",
                             kernel, count, tally.valid, tally.unknown, tally.chosen, took.count());
  }
}

} // namespace

TEST_CASE("no kernel's namespace is a name that the runtime, C++ or a macro has") {
  CHECK(kernel_namespace("matmul") == "matmul");
  CHECK(kernel_namespace("scale-2d") == "scale_2d");
  for (const char* name : {"first", "min", "floor", "text", "Device", "Match", "ChoiceOf", "never",
                           "quotient_up", "std", "linux", "errno"})
    CHECK(kernel_namespace(name) == std::string(name) + "_");
}

TEST_CASE("a header chooses what the selection chooses") {
  const KernelDefinition definition = catalogue_definition("matmul");
  for (const auto& [rule, all_modelled] :
       {std::pair{RuleKind::nearest, true}, std::pair{RuleKind::model, true},
        std::pair{RuleKind::corrected, true}, std::pair{RuleKind::model, false},
        std::pair{RuleKind::corrected, false}}) {
    Selection selection = invented_selection(definition, h200(), 10, 27, rule);
    Random random(3);
    for (std::size_t c = 0; c < selection.configurations.size(); c += all_modelled ? 99 : 3)
      if (SelectedConfiguration& one = selection.configurations[c]; !all_modelled) {
        one.model = {};
        std::fill(one.ratios.begin(), one.ratios.end(), 0);
      }
    for (SelectedConfiguration& one : selection.configurations)
      for (std::size_t p = 0; p < one.ratios.size(); ++p)
        if (below(random, 8) == 0) // not valid there, or not measured
          one.ratios[p] = one.costs[p] = 0;
    const ShippedKernel kernel{definition.name, &definition, "", {{selection, {}}}};
    const CompiledHeader compiled(header_text({&kernel, 1}), driver(definition, {}), "-O1");
    auto* const chooses = compiled.function<int(const std::int64_t*)>("chooses");
    std::vector<SizedConfiguration> configurations;
    configurations.reserve(selection.configurations.size());
    for (const SelectedConfiguration& one : selection.configurations)
      configurations.push_back(one.of);
    for (int i = 0; i < 400; ++i) {
      ProblemSize problem{{}};
      for (int axis = 0; axis < 3; ++axis)
        problem.extents.push_back(1 + static_cast<std::int64_t>(below(random, i % 2 ? 9000 : 64)));
      const auto launches = quantities_at(definition, h200(), problem, configurations);
      const auto choice = choose(selection, problem, launches, h200().sm_count);
      INFO(to_text(rule) << " " << to_text(problem));
      REQUIRE(chooses(problem.extents.data()) ==
              (choice ? static_cast<int>(choice->configuration) : -1));
    }
  }
}

TEST_CASE("pointers and rows that a problem tells are part of what is valid") {
  const KernelDefinition definition = catalogue_definition("matmul");
  const CompiledHeader compiled(invented_header(definition), R"(
extern "C" int vector_of(const std::int64_t* e) {
  static const tuned::Device device = [] {
)" + device_statements(h200()) + R"(  return d;
  }();
  tuned::matmul::Problem p{e[0], e[1], e[2]};
  p.a_alignment = e[3];
  p.c_alignment = e[4];
  p.b_leading = e[5];
  const auto choice = tuned::matmul::choose(p, device);
  return !choice ? 0 : tuned::matmul::valid(choice->configuration, p, device) ? choice->configuration.VECTOR : -1;
}
extern "C" std::int64_t alignment_of(const void* pointer) { return tuned::alignment_of(pointer); }
)",
                                "-O0");
  auto* const vector_of = compiled.function<int(const std::int64_t*)>("vector_of");
  const auto vector_at = [&](std::int64_t n, std::int64_t a, std::int64_t c,
                             std::int64_t b_leading) {
    const std::int64_t e[] = {4096, n, 4096, a, c, b_leading};
    return vector_of(e);
  };
  std::size_t vectors = 0;
  for (const std::int64_t n : {64, 512, 4000, 4096})
    for (const std::int64_t told : {0, 4, 8, 16, 48, 256}) {
      const bool enough = told % 16 == 0;
      vectors += vector_at(n, told, told, 0) == 4 ? 1 : 0;
      for (const int vector :
           {vector_at(n, told, told, n), vector_at(n, told, 0, 0), vector_at(n, 0, told, 0)})
        CHECK((vector == 1 || (enough && vector == 4) || (!enough && vector == 0)));
      CHECK(vector_at(n, told, told, n + 4) ==
            0); // rows with gaps: the kernel knows nothing of them
    }
  CHECK(vectors >= 4);
  CHECK(vector_at(4096, 16, 16, 0) == 4);
  CHECK(vector_at(4096, 3, 0, 0) == 0); // no float lies there
  CHECK(vector_at(4096, -16, 0, 0) == 0);
  auto* const alignment_of = compiled.function<std::int64_t(const void*)>("alignment_of");
  alignas(256) static const char bytes[257] = {};
  CHECK(alignment_of(bytes) == 256);
  CHECK(alignment_of(bytes + 12) == 4);
  CHECK(alignment_of(bytes + 1) == 1);
}

TEST_CASE("a header says what is not known") {
  const KernelDefinition definition = catalogue_definition("matmul");
  Selection selection = invented_selection(definition, h200(), 4, 12, RuleKind::corrected);
  const auto text = [&] {
    const ShippedKernel kernel{definition.name, &definition, "", {{selection, {}}}};
    return header_text({&kernel, 1});
  };
  const auto says = [&](const std::string& words) {
    return text().find(words) != std::string::npos;
  };
  CHECK(says("left out: 1.0 % on average, 0.0 % to 2.0 %, 100 % of 12 problems within 5 %\n"));
  CHECK(says("usual_loss = 0.01;"));
  selection.left_out.not_measured = 8;
  selection.left_out.invalid = 1;
  CHECK(
      says("left out: at 3 of 12 problems 1.0 % on average, 0.0 % to 2.0 %, 100 % of these within "
           "5 %, 1 not valid, 8 not measured: not known\n"));
  CHECK(says("usual_loss = -1.0;"));
  selection.left_out.not_measured = 11;
  CHECK(says("left out: not known: of 12 problems, 1 not valid, 11 not measured: not known\n"));
  selection.left_out = {};
  CHECK(says("left out: not known: too few problems\n"));
}

namespace {

/// A header of matmul on another device, with other winners.
/// @param goals further objectives; the best of each is the one after that of the last
std::string header_on(const Device& device, std::size_t first,
                      const std::vector<std::string>& goals = {}) {
  const KernelDefinition definition = catalogue_definition("matmul");
  Selection selection = invented_selection(definition, device, 10, 8, RuleKind::corrected);
  for (SelectedProblem& at : selection.problems)
    at.best = first;
  ShippedKernel kernel{"matmul", &definition, "", {{selection, {}}}};
  for (const std::string& goal : goals) {
    ++first;
    selection.objective = objective(goal);
    for (SelectedProblem& at : selection.problems)
      at.best = first;
    kernel.devices.push_back({selection, {}});
  }
  return header_text({&kernel, 1});
}

constexpr const char* merged_use = R"(
#include "h200.hpp"
#include "a100.hpp"
#include "h200.hpp"
#include <cstring>
using namespace tuned;
constexpr Device device(int capability, int sms, double bandwidth) {
  Device d;
  d.compute_capability = capability;
  d.sm_count = sms;
  d.peak_dram_gb_per_s = bandwidth;
  return d;
}
constexpr Device h200 = device(90, 132, 4814.5), a100 = device(80, 108, 2039);
constexpr matmul::Problem measured{4096, 4096, 4096};
static_assert(matmul::choose(measured, h200)->index == 1 && matmul::choose(measured, a100)->index == 2);
static_assert(matmul::choose(measured, h200)->match == Match::measured_problem);
static_assert(matmul::choose({4095, 4095, 4095}, h200)->match == Match::within_range);
static_assert(matmul::choose({99999, 4095, 4095}, h200)->match == Match::outside_range);
static_assert(matmul::choose(measured, device(90, 78, 2000))->match == Match::same_capability);
static_assert(matmul::choose(measured, device(86, 84, 936))->match == Match::other_device);
static_assert(matmul::choose(measured, device(86, 84, 936))->device == 1); // the A100 is nearer
static_assert(!matmul::choose({0, 1, 1}, h200) && !matmul::choose({-5, 1, 1}, h200));
static_assert(!matmul::choose({std::int64_t{1} << 62, 1, 1}, h200));
static_assert(matmul::choose({4097, 4097, 4097}, h200)->configuration.VECTOR == 1);
int main() {
  int calls = 0;
  const bool done = matmul::dispatch({4096, 4096, 4096}, a100, [&](auto tuned, const auto& choice) {
    constexpr int tile = tuned.configuration.BM; // a constant
    calls += tile == choice.configuration.BM && choice.index == 2;
  });
  const bool none = matmul::dispatch({0, 1, 1}, a100, [&](auto, const auto&) { ++calls; });
  const auto other = matmul::choose({1000, 1000, 1000}, h200);
  return done && !none && calls == 1 && !std::strcmp(text(other->match), "within_range") ? 0 : 1;
}
)";

} // namespace

TEST_CASE("headers of several devices are merged by including them, with every compiler at hand") {
  const test::Folder folder;
  Device a100 = h200();
  a100.name = "NVIDIA A100";
  a100.compute_capability = 80;
  a100.sm_count = 108;
  a100.peak_dram_gb_per_s = 2039;
  test::write(folder / "h200.hpp", header_on(h200(), 1));
  test::write(folder / "a100.hpp", header_on(a100, 2));
  test::write(folder / "use.cpp", merged_use);
  const std::string in = "cd '" + folder.path().string() + "' && ";
  CHECK(succeeds(in + "c++" + strict_flags + "use.cpp -o use && ./use"));
  if (succeeds("command -v clang++-19 >/dev/null"))
    CHECK(succeeds(in + "clang++-19" + strict_flags + "use.cpp -o use && ./use"));
  // Two sources that include different devices link together, and differ.
  test::write(folder / "one.cpp",
              "#include \"a100.hpp\"\nint one(const tuned::Device& d) {\n"
              "  return tuned::matmul::choose({4096, 4096, 4096}, d)->index; }\n");
  test::write(
      folder / "two.cpp",
      "#include \"h200.hpp\"\nint one(const tuned::Device&);\nint main() {\n"
      "  tuned::Device d;\n  d.compute_capability = 90;\n  d.sm_count = 132;\n"
      "  return tuned::matmul::choose({4096, 4096, 4096}, d)->index == 1 && one(d) != 1 ? 0 : 1; }\n");
  CHECK(succeeds(in + "c++" + strict_flags + "one.cpp two.cpp -o two && ./two"));
}

TEST_CASE("headers of several devices are merged, of which some know goals") {
  const test::Folder folder;
  Device a100 = h200();
  a100.name = "NVIDIA A100";
  a100.compute_capability = 80;
  a100.sm_count = 108;
  const std::string in = "cd '" + folder.path().string() + "' && ",
                    compiles = in + "c++" + strict_flags + "-c use.cpp -o use.o";
  const auto use = [&](const std::string& more) {
    test::write(folder / "use.cpp", R"(
#include "a100.hpp"
#include "h200.hpp"
#include "a100.hpp"
using namespace tuned::matmul;
constexpr tuned::Device device(int capability, int sms) {
  tuned::Device d;
  d.compute_capability = capability;
  d.sm_count = sms;
  d.peak_dram_gb_per_s = 4814.5;
  return d;
}
constexpr tuned::Device h200 = device(90, 132), a100 = device(80, 108);
constexpr Problem measured{4096, 4096, 4096}, between{4095, 4095, 4095};
static_assert(choose(measured, h200)->index == 1 && choose(measured, a100)->index == 4);
static_assert(choose(measured, h200, Goal::time)->index == 1 && choose(measured, a100, Goal::time)->index == 4);
static_assert(choose(measured, h200, Goal::dram_traffic)->index == 2);
static_assert(choose(between, h200, Goal::dram_traffic)->match == tuned::Match::within_range);
static_assert(*choose(between, h200, Goal::dram_traffic)->expected_value == *choose(between, h200)->expected_ms);
static_assert(!choose({0, 1, 1}, h200, Goal::dram_traffic));
)" + more);
  };
  test::write(folder / "h200.hpp", header_on(h200(), 1, {"dram_traffic"}));
  test::write(folder / "a100.hpp", header_on(a100, 4)); // time alone
  use("constexpr auto other = choose(measured, a100, Goal::dram_traffic);\n"
      "static_assert(other->index == 2 && other->match == tuned::Match::other_device);\n");
  CHECK(succeeds(compiles));
  test::write(folder / "a100.hpp", header_on(a100, 4, {"dram_traffic"}));
  use("static_assert(choose(measured, a100, Goal::dram_traffic)->index == 5);\n");
  CHECK(succeeds(compiles));
  if (succeeds("command -v clang++-19 >/dev/null"))
    CHECK(succeeds(in + "clang++-19" + strict_flags + "-c use.cpp -o use.o"));
  test::write(folder / "a100.hpp", header_on(a100, 4, {"dram_traffic", "dram_bytes"}));
  CHECK_FALSE(succeeds(compiles + " 2>/dev/null")); // two sets of goals
}

TEST_CASE("problems that nobody measured are recorded once, where that is wanted") {
  const test::Folder folder;
  test::write(folder / "tuned.hpp", header_on(h200(), 1));
  test::write(folder / "use.cpp", R"(
#define GRIDSMITH_RECORD_MISSES "misses.jsonl"
#include "tuned.hpp"
constexpr auto at_compile_time = tuned::matmul::choose({7, 7, 7}, tuned::Device{});
int main() {
  tuned::Device d = tuned::matmul::nvidia_h200::device();
  for (int i = 0; i < 3; ++i)
    for (const std::int64_t extent : {4096, 1000, 0})
      static_cast<void>(tuned::matmul::choose({extent, extent, extent}, d));
}
)");
  REQUIRE(succeeds("cd '" + folder.path().string() + "' && c++" + strict_flags +
                   "use.cpp -o use && ./use"));
  CHECK(test::read_file(folder / "misses.jsonl") ==
        "{\"kernel\": \"matmul\", \"problem\": \"1000x1000x1000\", \"match\": \"within_range\"}\n"
        "{\"kernel\": \"matmul\", \"problem\": \"0x0x0\", \"match\": \"none\"}\n");
}

TEST_CASE("constants of a configuration are C++ whatever its names and values") {
  const Configuration odd{
      {"TILE", std::int64_t{64}},   {"block size", std::int64_t{1} << 40},
      {"block-size", true},         {"scale", 16.0},
      {"int", std::string("a\"b")}, {"my_kernel", std::numeric_limits<std::int64_t>::min()}};
  CHECK(constants_text("my kernel", odd) ==
        "struct my_kernel {\n"
        "  static constexpr int TILE = 64;\n"
        "  static constexpr long long block_size = 1099511627776LL; // block size\n"
        "  static constexpr bool block_size_2 = true; // block-size\n"
        "  static constexpr double scale = 16.0;\n"
        "  static constexpr const char* int_ = \"a\\\"b\"; // int\n"
        "  static constexpr long long my_kernel_2 = -9223372036854775807LL - 1; // my_kernel\n"
        "};\n");
}

TEST_CASE("a header says how arrays are assumed to lie") {
  KernelDefinition definition = catalogue_definition("matmul");
  CHECK_THAT(
      invented_header(definition),
      contains_text("\n// assumed: a, b, c: begins at a multiple of 256 bytes, without gaps, "
                    "unless the problem tells\n"));
  for (Argument& argument : definition.arguments) {
    argument.alignment.reset();
    argument.leading_dimension.reset();
  }
  definition.arguments[1].input = InputRule{};
  definition.arguments[1].input->offset = Expression::parse("2");
  definition.arguments[1].input->row = Expression::parse("n");
  CHECK_THAT(invented_header(definition),
             contains_text(
                 "\n// assumed: a, c: begins at a multiple of 256 bytes, without gaps; b: begins "
                 "2 elements after a multiple of 256 bytes, rows of n at a pitch\n"));
}

TEST_CASE("a header that was changed by hand is told from ours") {
  const std::string header = header_on(h200(), 1);
  CHECK_NOTHROW(check_header(header));
  CHECK(header == header_on(h200(), 1)); // the same bytes
  std::string edited = header;
  edited.replace(edited.find("  int BM = 16;"), 14, "  int BM = 32;");
  CHECK_THAT(message_of([&] { check_header(edited); }),
             contains_text("changed after it was written"));
  CHECK_THAT(message_of([&] { check_header("// gridsmith header 1\n"); }),
             contains_text("another version"));
  CHECK_THAT(message_of([&] { check_header("#pragma once\n"); }),
             contains_text("not a header of Gridsmith"));
}

TEST_CASE("device code chooses and is tuned by the header", "[.][needs:nvcc]") {
  const test::Folder folder;
  test::write(folder / "tuned.hpp", header_on(h200(), 1));
  test::write(folder / "use.cu", R"(
#include "tuned.hpp"
template <class C>
__global__ void tiled(float* out) {
  __shared__ float row[C::configuration.BM];
  row[threadIdx.x % C::configuration.BM] = 1;
  out[threadIdx.x] = row[threadIdx.x % C::configuration.BM];
}
__global__ void says(tuned::matmul::Configuration c, tuned::matmul::Problem p, tuned::Device d, int* out) {
  out[0] = tuned::matmul::valid(c, p, d);
}
int main() {
  const auto device = tuned::Device::current(); // no GPU here: nothing is told
  return tuned::matmul::dispatch({1000, 1000, 1000}, device, [](auto tuned, const auto& choice) {
    tiled<decltype(tuned)><<<static_cast<unsigned>(choice.launch.grid[0]), 32>>>(nullptr);
  }) ? 0 : 1;
}
)");
  CHECK(succeeds(
      "PATH=$PATH:/usr/local/cuda/bin; cd '" + folder.path().string() +
      "' && nvcc -std=c++17 -Werror all-warnings -Xcompiler -Wall,-Wextra,-Wconversion,-Werror "
      "use.cu -o use && ./use"));
}

TEST_CASE("a header's validity and launches are the interpreter's") {
  check_kernels(5000);
}

TEST_CASE("a header covers with an automatic shape what the interpreter does") {
  KernelDefinition definition = catalogue_definition("matmul_textbook");
  definition.automatic = AutomaticShape{2, {}};
  definition.constraints.clear();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    definition.grid[axis].reset();
    definition.grid_div[axis].reset();
    definition.block[axis].reset();
  }
  const auto compared = [&] {
    const Tally tally = compare(definition, 2000);
    INFO(tally.first_wrong);
    CHECK(tally.wrong == 0);
    CHECK(tally.valid > 100);
  };
  compared(); // two of three extents
  definition.grid_div[0] = {Expression::parse("block_size_x * 2")};
  compared();
  definition.grid_div[2] = {Expression::parse("64")};
  compared();
}

TEST_CASE("a header's validity and launches are the interpreter's, at a million problems",
          "[.][long]") {
  check_kernels(1000000);
}

} // namespace header_test
