// What a generated header says of problems is what the interpreter says, at any extents.
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/random.hpp"
#include "gridsmith/kernels/definition/expression_values.hpp"
#include "gridsmith/kernels/definition/launch.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/results/shipped.hpp"

#include <array>
#include <chrono>
#include <iostream>

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
{configurations}}};
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

Tally compare(const std::string& kernel, std::size_t count) {
  const KernelDefinition definition = catalogue_definition(kernel);
  Interpreter interpreter(definition, h200());
  Random random(11);
  const std::vector<Configuration> list = some_configurations(interpreter.instance(), random);
  const Selection chosen = invented_selection(definition, h200(), 10, 24, RuleKind::corrected);
  const Compiled compiled(invented_header(definition), driver(definition, list), "-O1");
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
    const Tally tally = compare(kernel, count);
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

TEST_CASE("a header's validity and launches are the interpreter's") {
  check_kernels(20000);
}

TEST_CASE("a header's validity and launches are the interpreter's, at a million problems",
          "[.][long]") {
  check_kernels(1000000);
}
