// SPDX-License-Identifier: Apache-2.0
// The parts of the surrogate strategies against closed forms and dense algebra, and what the
// strategies on top of them promise.
#include "gridsmith/search/models/acquisition.hpp"
#include "gridsmith/search/models/candidates.hpp"
#include "gridsmith/search/models/compile_time.hpp"
#include "gridsmith/search/models/expert_mean.hpp"
#include "gridsmith/search/models/features.hpp"
#include "gridsmith/search/models/gaussian_process.hpp"
#include "gridsmith/search/models/trees.hpp"
#include "gridsmith/search/space/neighbours.hpp"
#include "gridsmith/search/strategies/model_based/bayesian.hpp"
#include "gridsmith/tests/catch.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>

namespace surrogate_test {

using namespace gridsmith;

namespace {

Parameter numbers(const std::string& name, std::vector<std::int64_t> values) {
  return {name, {values.begin(), values.end()}};
}

std::vector<Parameter> launch_parameters() {
  return {numbers("block_size_x", {16, 32, 48, 64, 128, 256}),
          numbers("block_size_y", {1, 2, 4, 8}), numbers("tile_size_x", {1, 2, 4}),
          numbers("tile_size_y", {1, 2, 3, 4}), numbers("use_padding", {0, 1})};
}

float believed(const std::vector<Position>& positions) {
  const auto parameters = launch_parameters();
  const FeatureMap features(parameters);
  const LaunchMean mean(features);
  std::vector<float> values(mean.size());
  mean.evaluate(features.shape(positions), values);
  float sum = 0;
  for (std::size_t t = 0; t < values.size(); ++t)
    sum += mean.terms()[t].mean * values[t];
  return sum;
}

float matern(float squared) {
  const float r = std::sqrt(5 * squared);
  return (1 + r + r * r / 3) * std::exp(-r);
}

Eigen::MatrixXf random_rows(Eigen::Index count, Eigen::Index width, Random& random) {
  Eigen::MatrixXf rows(count, width);
  for (Eigen::Index i = 0; i < count; ++i)
    for (Eigen::Index j = 0; j < width; ++j)
      rows(i, j) = static_cast<float>(4 * unit(random));
  return rows;
}

SearchSpace valley_space() {
  std::vector<std::int64_t> values(16);
  std::iota(values.begin(), values.end(), 1);
  return SearchSpace::build({numbers("a", values), numbers("b", values), numbers("c", values),
                             numbers("d", {0, 1, 2, 3})});
}

Observation valley(const SearchSpace& space, ConfigurationId id) {
  const auto p = positions_of(space, id);
  const auto off = [](double place, double best) { return (place - best) * (place - best); };
  if (p[0] + p[1] >= 24)
    return {id};
  return {id, 1 + off(p[0], 11) + off(p[1], 3) + off(p[2], 8) + 5 * off(p[3], 2)};
}

double best_after(Strategy& strategy, const SearchSpace& space, std::size_t evaluations,
                  std::size_t batch) {
  double best = std::numeric_limits<double>::infinity();
  std::set<ConfigurationId> seen;
  while (seen.size() < evaluations) {
    std::vector<Observation> answers;
    for (const ConfigurationId id : strategy.ask(std::min(batch, evaluations - seen.size()))) {
      REQUIRE(seen.insert(id).second);
      answers.push_back(valley(space, id));
      best = std::min(best, answers.back().cost.value_or(best));
    }
    REQUIRE(!answers.empty());
    strategy.tell(answers);
  }
  return best;
}

} // namespace

TEST_CASE("names tell roles and axes") {
  const auto role = [](const std::string& name, std::vector<std::int64_t> values = {1, 2, 4}) {
    return role_of(numbers(name, std::move(values)));
  };
  CHECK(role("block_size_x").role == Role::block);
  CHECK(role("block_size_x").axis == 0u);
  CHECK(role("WORK_GROUP_SIZE_Y").role == Role::block);
  CHECK(role("WORK_GROUP_SIZE_Y").axis == 1u);
  CHECK(role("Z_ITERATIONS").role == Role::tile);
  CHECK(role("Z_ITERATIONS").axis == 2u);
  CHECK(role("MWG").role == Role::group_tile);
  CHECK(role("NDIMC").axis == 1u);
  CHECK(role("work_per_thread").role == Role::tile);
  CHECK(role("threads").role == Role::block);
  CHECK_FALSE(role("threads").axis.has_value());
  CHECK(role("blocks_per_sm", {1, 2, 3}).role == Role::other);
  CHECK(role("n_y_blocks").role == Role::other);
  CHECK(role("loop_unroll_factor_x").role == Role::other);
  CHECK(role("tile_stride_x", {0, 1}).role == Role::toggle);
  CHECK(role("whatever").role == Role::other);
}

TEST_CASE("without telling names the space tells a block's extents and the work beside them") {
  const auto limit = [](const std::string& text) {
    return Constraint{Expression::parse(text), text};
  };
  const auto parameters = [](const std::string& second) {
    return std::vector{numbers("p0", {0, 1}),
                       numbers("p1", {16, 32, 64, 128, 256}),
                       numbers(second, {1, 2, 4, 8, 16}),
                       numbers("p3", {1, 2, 3, 4}),
                       numbers("p4", {1, 2, 4, 8}),
                       numbers("p5", {1, 2, 3})};
  };
  const std::vector<ParameterRole> roles =
      roles_of(SearchSpace::build(parameters("p2"), {limit("p1 * p2 <= 1024")}));
  const std::vector<Role> expected{Role::toggle, Role::block, Role::block,
                                   Role::tile,   Role::tile,  Role::other};
  for (std::size_t p = 0; p < roles.size(); ++p) {
    CAPTURE(p);
    CHECK(roles[p].role == expected[p]);
  }
  CHECK(roles[1].axis == 0u);
  CHECK(roles[2].axis == 1u);
  CHECK(roles[4].axis == 1u);
  for (const ParameterRole& role : roles_of(SearchSpace::build(parameters("p2"))))
    CHECK(role.role != Role::block); // nothing keeps 4096 threads out: no block
  const auto named = roles_of(
      SearchSpace::build(parameters("block_size_y"), {limit("p1 * block_size_y <= 1024")}));
  CHECK(named[1].role == Role::other); // names are believed where they tell
  const auto line =
      roles_of(SearchSpace::build({numbers("p0", {1, 2, 4}), numbers("p1", {64, 128, 512})}));
  CHECK(line[1].role == Role::block);
  CHECK(line[0].role == Role::tile);
}

TEST_CASE("features are logarithms, halvings and products") {
  const FeatureMap features(launch_parameters());
  std::vector<float> out(features.size());
  const std::vector<Position> positions = {2, 1, 2, 3, 1}; // 48 x 2 threads, 4 x 4 elements
  features.describe(positions, out);
  std::map<std::string, float> by_name;
  for (std::size_t f = 0; f < out.size(); ++f)
    by_name[features.features()[f].name] = out[f];
  CHECK(by_name.at("block_size_x") == Approx(std::log2(48.0)));
  CHECK(by_name.at("halvings of block_size_x") == 4);
  CHECK(by_name.count("halvings of block_size_y") == 0);
  CHECK(by_name.at("threads per block") == Approx(std::log2(96.0)));
  CHECK(by_name.at("work per thread") == Approx(4));
  CHECK(by_name.at("work per block") == Approx(std::log2(96.0 * 16)));
  CHECK(by_name.at("extent x") == Approx(std::log2(48.0 * 4)));
  CHECK(by_name.at("use_padding") == 1);
  const LaunchShape shape = features.shape(positions);
  CHECK(shape.thread_count == 96);
  CHECK(shape.tile[1] == Approx(2));
}

TEST_CASE("text values are equally far apart, negative numbers have no logarithm") {
  const FeatureMap features(
      {{"layout",
        {Value{std::string("row")}, Value{std::string("column")}, Value{std::string("tiled")}}},
       numbers("shift", {-2, 0, 3})});
  std::vector<std::vector<float>> rows(3, std::vector<float>(features.size()));
  for (Position v = 0; v < 3; ++v)
    features.describe(std::vector<Position>{v, 0}, rows[v]);
  const auto apart = [&](std::size_t a, std::size_t b) {
    float sum = 0;
    for (std::size_t f = 0; f < features.size(); ++f)
      sum += (rows[a][f] - rows[b][f]) * (rows[a][f] - rows[b][f]);
    return sum;
  };
  CHECK(apart(0, 1) == Approx(1));
  CHECK(apart(1, 2) == Approx(1));
  for (const float value : rows[0])
    CHECK(std::isfinite(value));
}

TEST_CASE("the launch mean likes whole warps, wide blocks and work along y") {
  // positions: block x {16,32,48,64,128,256}, block y {1,2,4,8}, tile x {1,2,4}, tile y {1,2,3,4}
  CHECK(believed({4, 0, 0, 3, 0}) < believed({5, 3, 0, 3, 0})); // 128 threads against 2048
  CHECK(believed({3, 1, 0, 3, 0}) < believed({2, 0, 0, 3, 0})); // 64 x 2 against 48
  CHECK(believed({3, 1, 0, 3, 0}) < believed({3, 1, 2, 0, 0})); // work along y against along x
  CHECK(believed({3, 1, 0, 3, 0}) < believed({3, 1, 0, 0, 0})); // 4 elements against 1
  const FeatureMap nameless({numbers("p0", {16, 32, 48}), numbers("p1", {1, 2, 4})});
  CHECK(LaunchMean(nameless).size() == 0);
}

TEST_CASE("the process agrees with dense algebra and with itself rebuilt") {
  Random random(7);
  const Eigen::MatrixXf candidates = random_rows(40, 3, random);
  const Eigen::MatrixXf places = random_rows(12, 3, random);
  // two features and one term of mean 0.5 and spread 0.4
  GaussianProcess process({{0.3f, 0.1f}, {0.5f}, {0.4f}});
  process.set_candidates(candidates);
  Eigen::VectorXf targets(places.rows());
  for (Eigen::Index i = 0; i < places.rows(); ++i) {
    process.observe(places.row(i).transpose());
    targets[i] = std::sin(places(i, 0)) + 0.3f * places(i, 2);
  }
  const auto scale = static_cast<float>(process.scale()[0]);
  process.set_targets(targets);

  const auto covariance = [](const Eigen::RowVectorXf& a, const Eigen::RowVectorXf& b) {
    const Eigen::RowVectorXf d = a - b;
    return matern(0.3f * d[0] * d[0] + 0.1f * d[1] * d[1]) + 0.16f * a[2] * b[2];
  };
  Eigen::MatrixXf k(12, 12), across(40, 12);
  for (Eigen::Index i = 0; i < 12; ++i) {
    for (Eigen::Index j = 0; j < 12; ++j)
      k(i, j) = covariance(places.row(i), places.row(j)) + (i == j ? 0.01f : 0.0f);
    for (Eigen::Index c = 0; c < 40; ++c)
      across(c, i) = covariance(candidates.row(c), places.row(i));
  }
  const Eigen::MatrixXf inverse = k.llt().solve(Eigen::MatrixXf::Identity(12, 12));
  const Eigen::VectorXf centred = targets - scale * 0.5f * places.col(2);
  const float constant = (inverse * centred).sum() / inverse.sum();
  const Eigen::VectorXf alpha = inverse * (centred.array() - constant).matrix();
  const Eigen::ArrayXf elsewhere = process.mean_at(candidates).col(0);
  const Eigen::ArrayXf deviation = process.variance().sqrt();
  for (Eigen::Index c = 0; c < 40; ++c) {
    const float mean = constant + scale * 0.5f * candidates(c, 2) + across.row(c).dot(alpha);
    CHECK(process.mean()(c, 0) == Approx(mean).margin(2e-3));
    CHECK(elsewhere[c] == Approx(mean).margin(2e-3));
    const float variance = covariance(candidates.row(c), candidates.row(c)) -
                           across.row(c) * inverse * across.row(c).transpose();
    CHECK(deviation[c] == Approx(std::sqrt(std::max(variance, 0.0f))).margin(5e-3));
  }
  process.set_candidates(candidates);
  CHECK((process.variance().sqrt() - deviation).abs().maxCoeff() < 1e-3f);
}

TEST_CASE("outputs seen at the same places are foretold like each alone") {
  Random random(9);
  const Eigen::MatrixXf candidates = random_rows(20, 3, random);
  const Eigen::MatrixXf places = random_rows(15, 3, random);
  const ProcessBelief belief{{0.3f, 0.1f}, {0.5f}, {0.4f}};
  GaussianProcess both(belief), first(belief), second(belief);
  Eigen::MatrixXf targets(15, 2);
  for (Eigen::Index i = 0; i < 15; ++i) {
    targets.row(i) << std::sin(places(i, 0)), 2 * places(i, 1) - 3;
    for (GaussianProcess* process : {&both, &first, &second})
      process->observe(places.row(i).transpose());
  }
  for (GaussianProcess* process : {&both, &first, &second})
    process->set_candidates(candidates);
  both.set_targets(targets, 1); // the second output follows no term's mean
  first.set_targets(targets.col(0), 1);
  second.set_targets(targets.col(1), 0);
  CHECK((both.mean().col(0) - first.mean()).cwiseAbs().maxCoeff() < 1e-4f);
  CHECK((both.mean().col(1) - second.mean()).cwiseAbs().maxCoeff() < 1e-4f);
  CHECK((both.mean_at(candidates) - both.mean()).cwiseAbs().maxCoeff() < 2e-3f);
  CHECK(both.scale()[1] == Approx(second.scale()[0]));
  // What the first ten foretell of the others is what a process of these ten says of them.
  std::vector<Eigen::Index> known(10), unknown(5);
  std::iota(known.begin(), known.end(), Eigen::Index{0});
  std::iota(unknown.begin(), unknown.end(), Eigen::Index{10});
  GaussianProcess ten(belief);
  for (const Eigen::Index i : known)
    ten.observe(places.row(i).transpose());
  ten.set_targets(targets.topRows(10), 0);
  CHECK((both.foretell(known, targets.topRows(10), unknown) - ten.mean_at(places.bottomRows(5)))
            .cwiseAbs()
            .maxCoeff() < 5e-3f);
}

TEST_CASE("what is not known yet leaves the mean as it is and lowers the variance") {
  Random random(11);
  const Eigen::MatrixXf candidates = random_rows(20, 3, random);
  const Eigen::MatrixXf places = random_rows(12, 3, random);
  const ProcessBelief belief{{0.3f, 0.1f}, {0.5f}, {0.4f}};
  GaussianProcess all(belief), known(belief);
  Eigen::VectorXf targets = Eigen::VectorXf::Constant(12, 1e3f), some(9);
  const std::vector<Eigen::Index> unknown{1, 6, 11};
  for (Eigen::Index i = 0, k = 0; i < 12; ++i) {
    all.observe(places.row(i).transpose());
    if (std::find(unknown.begin(), unknown.end(), i) != unknown.end())
      continue;
    known.observe(places.row(i).transpose());
    some[k++] = targets[i] = std::sin(places(i, 0));
  }
  for (GaussianProcess* process : {&all, &known})
    process->set_candidates(candidates);
  all.set_targets(targets, 1, unknown);
  known.set_targets(some);
  CHECK((all.mean() - known.mean()).cwiseAbs().maxCoeff() < 2e-3f);
  CHECK((all.mean_at(candidates) - known.mean()).cwiseAbs().maxCoeff() < 2e-3f);
  CHECK(all.scale()[0] == Approx(known.scale()[0]).epsilon(1e-3));
  CHECK((all.variance() <= known.variance() + 1e-5f).all());
  CHECK((all.variance() < known.variance() * 0.9f).any());
  CHECK((all.smooth(targets, unknown) - known.smooth(some)).abs().maxCoeff() < 2e-3f);
  const std::vector<Eigen::Index> every{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  all.set_targets(targets, 1, every); // nothing known: what was believed before
  CHECK(all.mean().array().isFinite().all());
  CHECK(all.mean().cwiseAbs().maxCoeff() < 10);
}

TEST_CASE("fitting tells what matters from what does not") {
  Random random(3);
  const Eigen::MatrixXf places = random_rows(60, 2, random);
  GaussianProcess process({{0.1f, 0.1f}, {}, {}});
  const Eigen::MatrixXf probes = (Eigen::MatrixXf(3, 2) << 1, 1, 1, 3, 3, 1).finished();
  process.set_candidates(probes);
  Eigen::VectorXf targets(60);
  for (Eigen::Index i = 0; i < 60; ++i) {
    process.observe(places.row(i).transpose());
    targets[i] = std::sin(2 * places(i, 0));
  }
  std::vector<Eigen::Index> all(60);
  std::iota(all.begin(), all.end(), Eigen::Index{0});
  process.set_targets(targets);
  process.fit(all);
  process.set_candidates(probes);
  process.set_targets(targets);
  CHECK(process.mean()(0, 0) == Approx(std::sin(2.0)).margin(0.05));
  CHECK(process.mean()(1, 0) == Approx(std::sin(2.0)).margin(0.05));
  CHECK(process.mean()(2, 0) == Approx(std::sin(6.0)).margin(0.05));
  REQUIRE(process.weights().size() == 2);
  CHECK(process.weights()[0] > 5 * process.weights()[1]);
}

TEST_CASE("expected improvement is the integral it stands for") {
  for (const float mean : {-1.0f, 0.2f, 2.0f, 8.0f}) {
    const float best = 0.5f, deviation = 0.7f;
    double integral = 0;
    for (double x = best - 12; x < best; x += 1e-4) {
      const double z = (x - mean) / deviation;
      integral += (best - x) * std::exp(-0.5 * z * z) / (deviation * std::sqrt(2 * M_PI)) * 1e-4;
    }
    const Eigen::ArrayXf value = expected_improvement(Eigen::ArrayXf::Constant(1, mean),
                                                      Eigen::ArrayXf::Constant(1, deviation), best);
    CHECK(value[0] == Approx(integral).epsilon(0.03).margin(1e-7));
    CHECK(value[0] > 0);
  }
}

TEST_CASE("improvement keeps an order where the normal distribution underflows") {
  const auto at = [](float mean) {
    return expected_improvement(Eigen::ArrayXf::Constant(1, mean), Eigen::ArrayXf::Ones(1), 0)[0];
  };
  CHECK(at(0) == Approx(0.3989422804).epsilon(1e-6));
  CHECK(at(12) > at(13));
  CHECK(at(49) > at(50));
  CHECK(at(50) > 0);
  CHECK(std::log(at(5.9999f)) == Approx(std::log(at(6.0001f))).epsilon(0.01));
}

TEST_CASE("targets keep the order, compress the slow and place failures among them") {
  std::vector<LearnedCost> answers;
  for (int i = 0; i < 10; ++i)
    answers.push_back({true, static_cast<double>(i)});
  answers.push_back({false, 0});
  const std::vector<double> targets = learning_targets(answers);
  for (std::size_t i = 1; i < 10; ++i)
    CHECK(targets[i] > targets[i - 1]);
  CHECK(targets[9] < 9);
  CHECK(targets[3] == 3);
  CHECK(targets[10] >= targets[6]);
  CHECK(targets[10] < targets[9]);
  CHECK(learning_targets({{false, 0}, {false, 0}}) == std::vector<double>{0, 0});
}

TEST_CASE("trees learn a step and where things fail") {
  Random random(11);
  const Eigen::MatrixXf rows = random_rows(200, 3, random);
  Eigen::VectorXf targets(200), failed(200);
  for (Eigen::Index i = 0; i < 200; ++i) {
    targets[i] = rows(i, 1) < 2 ? 1.0f : 3.0f;
    failed[i] = rows(i, 0) > 3 ? 1.0f : 0.0f;
  }
  ExtraTrees trees;
  trees.grow(rows, targets, failed, 20, random);
  const Eigen::MatrixXf probes = (Eigen::MatrixXf(2, 3) << 1, 0.5f, 2, 1, 3.5f, 2).finished();
  const auto seen = trees.predict(probes);
  CHECK(seen.mean[0] == Approx(1).margin(0.3));
  CHECK(seen.mean[1] == Approx(3).margin(0.3));
  CHECK(seen.deviation.minCoeff() > 0);
  CHECK(seen.failing.maxCoeff() < 0.5f);
}

TEST_CASE("compile time doubles where what doubles it does, and stays near what was seen") {
  const SearchSpace space = SearchSpace::build(launch_parameters());
  const Describer describer(space, {}, true);
  CompileTime time(describer.features().size());
  Random random(1);
  const auto ms_of = [&](ConfigurationId id) {
    const Configuration configuration = space.at(id);
    return 100 * to_number(*find_value(configuration, "tile_size_x")) *
           to_number(*find_value(configuration, "tile_size_y"));
  };
  for (int i = 0; i < 40; ++i) {
    CHECK(time.known() == (i >= 8));
    const ConfigurationId id = below(random, space.size());
    time.learn(describer.row(id), ms_of(id));
  }
  std::vector<ConfigurationId> all(space.size());
  std::iota(all.begin(), all.end(), ConfigurationId{0});
  const Eigen::ArrayXf foretold = time.foretell(describer.rows(all));
  for (const ConfigurationId id : all)
    CHECK(foretold[static_cast<Eigen::Index>(id)] == Approx(ms_of(id)).epsilon(0.25));
  CHECK(foretold.minCoeff() >= 50);
  CHECK(foretold.maxCoeff() <= 2400);
}

TEST_CASE(
    "where compilers are scarce what is compiled sooner is asked first, and elsewhere nothing changes") {
  const SearchSpace space = SearchSpace::build(launch_parameters());
  const auto compiled_ms = [&](std::size_t compilers, double scale) {
    const auto strategy =
        make_bayesian_with({.space = space, .seed = 3, .budget = 60, .compilers = compilers}, {});
    double sum = 0;
    for (int i = 0; i < 60; ++i) {
      const ConfigurationId id = strategy->ask(1).front();
      const Configuration configuration = space.at(id);
      const double tile = to_number(*find_value(configuration, "tile_size_x")) *
                          to_number(*find_value(configuration, "tile_size_y"));
      const Observation answer{.id = id,
                               .cost = 1 + 0.001 * static_cast<double>(id % 7),
                               .compile_ms = scale * tile * tile,
                               .run_ms = 5};
      strategy->tell({&answer, 1});
      sum += *answer.compile_ms / scale;
    }
    return sum;
  };
  CHECK(compiled_ms(16, 100) < 0.8 * compiled_ms(0, 100));
  CHECK(compiled_ms(16, 1) == compiled_ms(0, 1)); // 9 ms a configuration: no more than asking
}

TEST_CASE("a pool is renewed without what was used") {
  Random random(5);
  const SearchSpace space = valley_space();
  const Describer describer(space, {}, true);
  CandidatePool pool(describer, 100, random);
  REQUIRE(pool.size() == 100);
  CHECK_FALSE(pool.whole());
  const ConfigurationId used = pool.id(17);
  pool.use(used);
  CHECK(pool.used(17));
  pool.release(used);
  CHECK_FALSE(pool.used(17));
  pool.use(used);
  const std::vector<ConfigurationId> centres = {used};
  pool.renew(Eigen::ArrayXf::LinSpaced(100, 0, 1), centres,
             [](const Eigen::MatrixXf& rows) -> Eigen::ArrayXf { return rows.col(0).array(); });
  std::set<ConfigurationId> ids;
  for (std::size_t i = 0; i < pool.size(); ++i)
    ids.insert(pool.id(i));
  CHECK(ids.size() == pool.size());
  CHECK(ids.count(used) == 0);
  std::size_t near = 0;
  for (const ConfigurationId id : space.neighbours(used, Neighbourhood::hamming))
    near += ids.count(id);
  CHECK(near >= 30);
}

TEST_CASE("surrogate strategies find the valley, one at a time and eight at a time",
          "[.][needs:optimised-build]") {
  const SearchSpace space = valley_space();
  for (const std::string name : {"bayesian", "forest", "portfolio"})
    for (const std::size_t batch : {1u, 8u}) {
      std::vector<double> found;
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const auto strategy = make_strategy(name, {space, seed});
        found.push_back(best_after(*strategy, space, 80, batch));
      }
      std::sort(found.begin(), found.end());
      CHECK(found[2] <= 6); // of 16 * 16 * 16 * 4 configurations 60 are that good
    }
}

TEST_CASE("terms from outside lead the first asks") {
  const SearchSpace space = valley_space();
  BayesianOptions options;
  options.terms.push_back(
      {"distance to what is known", 2.0f, 0.3f, [](ConfigurationId, std::span<const Position> p) {
         const auto off = [](int a, int b) { return std::abs(a - b); };
         return 0.3f *
                static_cast<float>(off(p[0], 11) + off(p[1], 3) + off(p[2], 8) + off(p[3], 2));
       }});
  const auto strategy = make_bayesian_with({space, 1}, options);
  CHECK(best_after(*strategy, space, 12, 1) <= 3);
}

TEST_CASE("thousands of observations are no burden", "[.][needs:optimised-build]") {
  const SearchSpace space = valley_space();
  const auto strategy = make_strategy("bayesian", {space, 1});
  CHECK(best_after(*strategy, space, 1500, 8) == 1);
}

} // namespace surrogate_test
