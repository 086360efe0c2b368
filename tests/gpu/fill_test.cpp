// SPDX-License-Identifier: Apache-2.0
// What the worker's own kernels fill on the device is, bit by bit, what the host says; and what lies around
// a buffer's elements is watched.
#include "gridsmith/kernels/definition/filling.hpp"
#include "gridsmith/kernels/definition/references.hpp"
#include "gridsmith/kernels/inputs/compile_program.hpp"
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/gpu/worker_driver.hpp"
#include "gridsmith/tuner/worker/device/argument_data.hpp"
#include "gridsmith/tuner/worker/device/formula_run.hpp"

#include <array>
#include <cmath>
#include <cstring>

namespace fill_test {

using namespace gridsmith;
using namespace gridsmith::testing;

namespace {

constexpr std::uint64_t elements = 100003;
constexpr std::uint64_t seed = 5, number = 2;

/// The device with our kernels.
struct Bench {
  Bench() {
    const Programs programs = find_programs();
    check(cudaSetDevice(0));
    stream = make_stream();
    const auto code = Compilers(programs.compiler).device_code(programs.device.compute_capability);
    kernels.emplace(*code, programs.device.sm_count, stream.get());
  }

  void wait() const { check(cudaStreamSynchronize(stream.get())); }

  Stream stream;
  std::optional<DeviceKernels> kernels;
};

BufferSpec spec_of(Fill fill, ElementType type, std::uint64_t count, const FillNumbers& numbers) {
  BufferSpec spec;
  spec.name = std::string(to_text(fill)) + " of " + std::string(to_text(type));
  spec.fill = fill;
  spec.type = type;
  spec.elements = count;
  spec.numbers = numbers;
  spec.structure = number;
  return spec;
}

/// Every kind with one or several sets of numbers; integers that the type does not hold keep their
/// low bits, on both sides.
std::vector<BufferSpec> kinds_of(ElementType type) {
  const double below = is_real(type) || is_signed_integer(type) ? -3 : 3;
  std::vector<BufferSpec> specs;
  const auto add = [&](Fill fill, const FillNumbers& numbers, std::uint64_t count = elements) {
    specs.push_back(spec_of(fill, type, count, numbers));
  };
  add(Fill::constant, {.value = 0.1});
  add(Fill::constant, {.value = 7});
  add(Fill::random, {.value = 1});
  add(Fill::random, {.value = 0.3});
  add(Fill::uniform, {.from = below, .to = 100});
  add(Fill::uniform, {.from = 0.125, .to = 9e15});
  add(Fill::sequence, {.from = below, .step = 0.1});
  add(Fill::sequence, {.from = below, .step = 3});
  add(Fill::permutation, {});
  add(Fill::sorted, {.from = below, .to = 120.7});
  add(Fill::normal, {.mean = 0.3, .deviation = 1.7});
  add(Fill::normal, {.mean = 50, .deviation = 1e4});
  for (const double exponent : {0.0, 0.99, 1.0, 1.2, 4.0})
    add(Fill::zipf, {.to = 100, .exponent = exponent});
  add(Fill::zipf, {.to = 1e12, .exponent = 1.1});
  for (const double skew : {0.0, 0.4, 1.0}) {
    const FillNumbers numbers{.rows = 1003, .columns = 777, .density = 0.1287, .skew = skew};
    add(Fill::csr_offsets, numbers, 1004);
    add(Fill::csr_columns, numbers, static_cast<std::uint64_t>(std::floor(1003 * 777.0 * 0.1287)));
  }
  return specs;
}

std::vector<BufferSpec> expressions_of(ElementType type) {
  std::vector<BufferSpec> specs;
  for (const char* text :
       {"i", "i % 7 - 3", "(i - 50000) // 17", "(i - 0.5) // 0.3", "(i - 50000.25) % 0.7", "i / 3",
        "-i ** 3 / 1000 + i * i * 0.1", "min(i, 100) if i % 2 and i > 5 else max(-i, 0.25 * i)",
        "i in (1, 2, 5) or 10 < i <= 20", "round(i / 2) + ceil(i / 7) - floor(-i / 9) + abs(3 - i)",
        "1 / i", "int(i * 1e300 * 1e300)", "0.0 / (i % 2)", "not i % 3",
        "exp(i / 1000 - 50) + log(i + 0.5) * log2(i + 1)",
        "(i + 0.1) ** 0.37 - pow(1.0001, i - 5000)",
        "sin(i * 0.1) + cos(i * 12345.678) - tan(i) + tanh(i / 1000 - 50)",
        "sqrt(i) - (-i) ** 3.5"}) {
    BufferSpec spec = spec_of(Fill::expression, type, elements, {});
    spec.name += std::string(": ") + text;
    spec.program = compile_program(Expression::parse(text, Syntax::reals),
                                   [](std::string_view) { return nullptr; });
    specs.push_back(std::move(spec));
  }
  return specs;
}

BufferSpec file_of(ElementType type) {
  BufferSpec spec = spec_of(Fill::file, type, elements, {});
  std::vector<std::uint8_t> bytes(elements * size_of(type));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(random_bits(7, 0, i));
  spec.content = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
  return spec;
}

std::vector<std::uint8_t> on_the_host(const BufferSpec& spec) {
  const FilledBuffer filled(spec, seed, number);
  const std::size_t width = size_of(spec.type);
  std::vector<std::uint8_t> bytes(spec.elements * width);
  for (std::uint64_t i = 0; i < spec.elements; ++i) {
    const std::uint64_t bits = filled.bits(i);
    std::memcpy(&bytes[i * width], &bits, width);
  }
  return bytes;
}

/// The arguments: two that are nothing, so that ours is number 2, and ours.
std::vector<ArgumentSpec> around(const BufferSpec& spec) {
  return {{.buffer = std::nullopt, .scalar = ScalarSpec{}},
          {.buffer = std::nullopt, .scalar = ScalarSpec{}},
          {.buffer = spec, .scalar = std::nullopt}};
}

std::uint8_t* data_of(ArgumentData& data) {
  return *static_cast<std::uint8_t**>(data.pointers()[number]);
}

/// Elements in rows `pitch` bytes apart, one after the other.
std::vector<std::uint8_t> on_the_device(const BufferSpec& spec, const std::uint8_t* data,
                                        std::size_t pitch, const Bench& bench) {
  std::vector<std::uint8_t> bytes(spec.elements * size_of(spec.type));
  const std::size_t row = spec.row > 0 ? spec.row * size_of(spec.type) : bytes.size();
  bench.wait();
  for (std::size_t at = 0, from = 0; at < bytes.size(); at += row, from += pitch)
    check(cudaMemcpy(&bytes[at], data + from, row, cudaMemcpyDeviceToHost));
  return bytes;
}

Judgement judgement_of(const ArgumentData& data, const Bench& bench) {
  const std::size_t bytes = data.verdicts() * sizeof(Disagreement);
  const DeviceMemory memory = allocate(bytes);
  check(cudaMemsetAsync(memory.get(), 0, bytes, bench.stream.get()));
  data.judge(static_cast<Disagreement*>(memory.get()));
  bench.wait();
  std::vector<Disagreement> verdicts(data.verdicts());
  check(cudaMemcpy(verdicts.data(), memory.get(), bytes, cudaMemcpyDeviceToHost));
  return data.judgement(verdicts);
}

void check_filled(const BufferSpec& spec, const Bench& bench) {
  ArgumentData data(around(spec), *bench.kernels);
  data.fill(seed);
  INFO(spec.name);
  const auto device = on_the_device(spec, data_of(data), 0, bench), host = on_the_host(spec);
  const auto [other, first] = std::mismatch(device.begin(), device.end(), host.begin());
  INFO("first differing byte: " << other - device.begin());
  CHECK((other == device.end()));
  CHECK(judgement_of(data, bench).mismatch.value_or("") == ""); // intact
}

} // namespace

TEST_CASE("every fill of every type gives the host's bits") {
  const Bench bench;
  for (std::size_t i = 0; i < Words<ElementType>::list.size(); ++i) {
    const auto type = static_cast<ElementType>(i);
    std::vector<BufferSpec> specs = kinds_of(type);
    for (BufferSpec& spec : expressions_of(type))
      specs.push_back(std::move(spec));
    specs.push_back(file_of(type));
    for (const BufferSpec& spec : specs)
      check_filled(spec, bench);
  }
}

TEST_CASE("a fill that reads other vectors gives the host's bits") {
  const Bench bench;
  for (const ElementType type : {ElementType::float32, ElementType::float64, ElementType::int32}) {
    BufferSpec places = spec_of(Fill::permutation, ElementType::int32, elements, {});
    places.name = "places";
    BufferSpec halves = spec_of(Fill::normal, ElementType::float16, 77, {.deviation = 3});
    halves.name = "halves";
    BufferSpec spec = spec_of(Fill::expression, type, elements, {});
    const Expression value = Expression::parse(
        "places[i] * 0.5 + halves[i % 77] + halves[places[i] - 9]", Syntax::formula);
    spec.program = compile_program(value, [](std::string_view) { return nullptr; },
                                   {{"halves", true, 77, {}}, {"places", false, elements, {}}});
    spec.reads = {1, 0};
    const std::vector<ArgumentSpec> arguments{{.buffer = places, .scalar = {}},
                                              {.buffer = halves, .scalar = {}},
                                              {.buffer = spec, .scalar = {}}};
    ArgumentData data(arguments, *bench.kernels);
    for (const std::uint64_t again : {seed, seed + 1}) {
      data.fill(again);
      const std::string host = FilledBuffer(arguments, again, number).bytes();
      CHECK(on_the_device(spec, data_of(data), 0, bench) ==
            std::vector<std::uint8_t>(host.begin(), host.end()));
      CHECK(judgement_of(data, bench).mismatch.value_or("") == "");
    }
  }
}

TEST_CASE("what is not verified may be anything") {
  const Bench bench;
  BufferSpec spec = spec_of(Fill::sequence, ElementType::float32, 3000, {.from = 1});
  spec.output = true;
  spec.access = Access::read_write;
  ArgumentData data(around(spec), *bench.kernels);
  data.fill(seed);
  std::vector<std::uint8_t> verified(spec.elements, 1);
  verified[703] = 0;
  check(cudaMemcpy(data.verified_memory(0), verified.data(), verified.size(),
                   cudaMemcpyHostToDevice));
  data.expect_current_outputs();
  const float wrong = 1e9f;
  const auto spoil = [&](std::size_t element) {
    check(cudaMemcpyAsync(data_of(data) + element * sizeof wrong, &wrong, sizeof wrong,
                          cudaMemcpyHostToDevice, bench.stream.get()));
    return judgement_of(data, bench).mismatch.value_or("");
  };
  CHECK(spoil(703) == "");
  CHECK_THAT(spoil(704), contains_text("element 704 of") && contains_text("1 of 3000 differ"));
  check(cudaMemsetAsync(data.verified_memory(0), 0, 1000, bench.stream.get()));
  CHECK(judgement_of(data, bench).expected_changed); // no kernel may say what counts
}

namespace {

/// Every second element, 0 or the bits of which integers make their poison.
void write_every_second(ArgumentData& data, const BufferSpec& spec, const Bench& bench) {
  const std::size_t width = size_of(spec.type), count = spec.elements / 2;
  std::vector<std::uint8_t> bytes(count * width);
  for (std::size_t i = 0; i < count; i += 2)
    bytes[i * width + width - 1] = 0x80;
  check(cudaMemcpy2DAsync(data_of(data), 2 * width, bytes.data(), width, width, count,
                          cudaMemcpyHostToDevice, bench.stream.get()));
  bench.wait();
}

} // namespace

TEST_CASE("what two launches leave unwritten is compared with nothing, of every type") {
  const Bench bench;
  for (std::size_t i = 0; i < Words<ElementType>::list.size(); ++i) {
    BufferSpec spec = spec_of(Fill::constant, static_cast<ElementType>(i), 3700, {});
    INFO(spec.name);
    spec.output = true;
    ArgumentData data(around(spec), *bench.kernels);
    data.fill(seed);
    for (int time = 0; time < 2; ++time) { // whatever was expected before
      data.prepare(Poison::blind);
      write_every_second(data, spec, bench);
      data.expect_current_outputs();
      CHECK_THAT(judgement_of(data, bench).mismatch.value_or(""), contains_text("not written"));
      data.prepare(Poison::plausible);
      write_every_second(data, spec, bench);
      const ArgumentData::Written written = data.leave_out_unwritten();
      CHECK(written.elements.written == 1850);
      CHECK(written.elements.unwritten == 1850);
      CHECK(written.nothing_in == "");
      CHECK(judgement_of(data, bench).mismatch.value_or("") == "");
    }
    for (const Poison poison : {Poison::impossible, Poison::plausible}) {
      data.prepare(poison);
      CHECK_THAT(judgement_of(data, bench).mismatch.value_or(""),
                 contains_text("element 0 of") &&
                     contains_text("1850 of 3700 differ, 1850 of them not written"));
      write_every_second(data, spec, bench);
      CHECK(judgement_of(data, bench).mismatch.value_or("") == "");
    }
    data.prepare(Poison::blind);
    data.expect_current_outputs();
    data.prepare(Poison::plausible);
    CHECK(data.leave_out_unwritten().nothing_in == spec.name);
  }
}

TEST_CASE("rows begin at the pitch, moved by the offset, and nothing may be written around them") {
  const Bench bench;
  for (const ElementType type : {ElementType::int8, ElementType::float32, ElementType::float64})
    for (const std::uint64_t offset : {0u, 3u}) {
      BufferSpec spec = spec_of(Fill::permutation, type, 3700, {});
      spec.row = 100;
      spec.offset = offset;
      auto arguments = around(spec);
      arguments[0].scalar = {.name = "p", .pitch_of = spec.name};
      arguments[1].scalar = {.name = "b", .pitch_of = spec.name, .pitch_in_bytes = true};
      ArgumentData data(arguments, *bench.kernels);
      data.fill(seed);
      const auto pitch = *static_cast<const std::uint64_t*>(data.pointers()[1]);
      const std::size_t width = size_of(type);
      CHECK(pitch >= 100 * width);
      CHECK(*static_cast<const std::uint64_t*>(data.pointers()[0]) * width == pitch);
      std::uint8_t* const begin = data_of(data);
      CHECK(reinterpret_cast<std::uintptr_t>(begin) % 256 == offset * width);
      CHECK(on_the_device(spec, begin, pitch, bench) == on_the_host(spec));
      const std::array<std::pair<std::ptrdiff_t, const char*>, 3> strays{
          {{-1, "before the start of"},
           {static_cast<std::ptrdiff_t>(5 * pitch + 100 * width), "between the rows of"},
           {static_cast<std::ptrdiff_t>(36 * pitch + 100 * width), "past the end of"}}};
      CHECK(judgement_of(data, bench).mismatch.value_or("") == "");
      for (const auto& [at, where] : strays) {
        check(cudaMemsetAsync(begin + at, 0xee, 1, bench.stream.get()));
        const Judgement judged = judgement_of(data, bench);
        CHECK(judged.damage);
        CHECK_THAT(judged.mismatch.value_or(""), contains_text(where));
        data.repair();
        CHECK(judgement_of(data, bench).mismatch.value_or("") == "");
      }
    }
}

TEST_CASE("in-place rows are restored, outputs in rows compared element by element") {
  const Bench bench;
  BufferSpec spec = spec_of(Fill::sequence, ElementType::float32, 3700, {.from = 1});
  spec.row = 100;
  spec.output = true;
  for (const Access access : {Access::read_write, Access::write_only}) {
    spec.access = access;
    auto arguments = around(spec);
    arguments[1].scalar = {.name = "b", .pitch_of = spec.name, .pitch_in_bytes = true};
    ArgumentData data(arguments, *bench.kernels);
    data.fill(seed);
    const auto pitch = *static_cast<const std::uint64_t*>(data.pointers()[1]);
    data.expect_current_outputs();
    CHECK(judgement_of(data, bench).mismatch.value_or("") == "");
    const float wrong = 1e9f;
    check(cudaMemcpyAsync(data_of(data) + 7 * pitch + 3 * sizeof wrong, &wrong, sizeof wrong,
                          cudaMemcpyHostToDevice, bench.stream.get()));
    CHECK_THAT(judgement_of(data, bench).mismatch.value_or(""),
               contains_text("element 703 of") && contains_text("expected 704"));
    data.prepare();
    const auto held = judgement_of(data, bench).mismatch.value_or("");
    if (access == Access::read_write)
      CHECK(held == "");
    else
      CHECK_THAT(held, contains_text("element 0 of") && contains_text("3700 of them not written"));
  }
}

namespace {

constexpr std::uint64_t formula_elements = 5003;

/// A vector of every type to read, one in rows, and the output.
std::vector<ArgumentSpec> formula_arguments(ElementType type) {
  std::vector<ArgumentSpec> arguments;
  const auto add = [&](BufferSpec spec, const std::string& name) {
    spec.name = name;
    arguments.push_back({.buffer = spec, .scalar = {}});
  };
  for (std::size_t i = 0; i < Words<ElementType>::list.size(); ++i) {
    const auto one = static_cast<ElementType>(i);
    add(spec_of(Fill::uniform, one, formula_elements, {.from = is_real(one) ? -2.5 : 1, .to = 100}),
        std::string(to_text(one)));
  }
  add(spec_of(Fill::normal, ElementType::float32, 3700, {.mean = 0, .deviation = 3}), "rows");
  arguments.back().buffer->row = 100;
  add(spec_of(Fill::permutation, ElementType::int64, formula_elements, {.step = 1e12}), "wide");
  add(spec_of(Fill::constant, type, formula_elements, {}), "out");
  arguments.back().buffer->output = true;
  return arguments;
}

struct OnBoth {
  FormulaRun run;
  std::vector<std::uint8_t> device, host;
};

/// @param host_stops where the host finds no value
OnBoth on_both(const std::string& text, ElementType type, const Bench& bench) {
  const auto arguments = formula_arguments(type);
  ArgumentData data(arguments, *bench.kernels);
  data.fill(seed);
  auto formulas = output_formulas({{"out", text}}, arguments, {{"n", 77}}, seed);
  OutputFormula& formula = formulas.at(0);
  std::vector<FormulaSource> sources;
  for (const FormulaVector& vector : formula.formula().vectors())
    sources.push_back(data.source(vector.name));
  OnBoth both;
  both.run = run_on_device(*bench.kernels, formula.formula().program(), sources, type,
                           formula_elements, data.expected_memory(0), std::chrono::seconds(5));
  both.device.resize(formula_elements * size_of(type));
  check(cudaMemcpy(both.device.data(), data.expected_memory(0), both.device.size(),
                   cudaMemcpyDeviceToHost));
  if (!both.run.no_value && !both.run.late)
    both.host = formula.bytes(OutputFormula::Clock::time_point::max()).value();
  return both;
}

} // namespace

TEST_CASE("a formula's elements are the host's, bit by bit, for every type") {
  const Bench bench;
  const std::vector<std::string> whole = {
      "i",
      "uint8[i] + int16[i] * 3 - i % 7",
      "(int32[i] - 50) // 7 + (int32[i] - 50) % 7",
      "sum(l, 1 + i % 13, int8[(i + l) % n] * l)",
      "max(l, 5, uint32[(i + l) % n]) if i % 2 else min(l, 5, int64[(i * l) % n])",
      "round(float64[i]) + floor(rows[i % 3700]) + ceil(float32[i] / 3) + int(-float16[i])",
      "1 < int32[i] <= 50 or i in (1, 2, 3) and not uint16[i]",
      "wide[i] // 1000000000000",
      "sum(l, n, sum(j, l, uint8[j] if (i + l) % 3 else int8[l]))",
      "abs(int16[i] - 60) ** 2 % 9973"};
  const std::vector<std::string> real = {
      "float32[i] * 0.1 + float64[i]",
      "sqrt(abs(rows[i % 3700])) / (1 + float16[i] * float16[i])",
      "float64[i] // 0.3 + float64[i] % 0.7",
      "sum(l, 40, float32[(i + l) % 77] * float64[l])",
      "int32[i] / 7 - uint64[i] / 3",
      "exp(float32[i] / 9) * sin(float64[i] * 100) + cos(i * 0.37) + tanh(rows[i % 3700])",
      "pow(abs(float64[i]), 0.3) - log(float32[i] + 3) + log2(i + 1) / tan(i + 0.5)"};
  for (std::size_t i = 0; i < Words<ElementType>::list.size(); ++i) {
    const auto type = static_cast<ElementType>(i);
    std::vector<std::string> all;
    all.reserve(whole.size() + real.size());
    for (const std::string& text : whole)
      all.push_back(is_real(type) ? text : "(" + text + ") % 100");
    if (is_real(type))
      all.insert(all.end(), real.begin(), real.end());
    for (const std::string& text : all) {
      INFO(text << " as " << to_text(type));
      const OnBoth both = on_both(text, type, bench);
      CHECK_FALSE(both.run.late);
      CHECK_FALSE(both.run.no_value);
      CHECK((both.device == both.host));
    }
  }
}

TEST_CASE("the device finds the first element that has no value") {
  const Bench bench;
  const std::vector<std::pair<const char*, std::uint64_t>> cases = {
      {"1 // (i - 4000) + 1 // (i - 300)", 300},
      {"int32[i + 3]", formula_elements - 3},
      {"(9223372036854775807 - 700 + i) * 0", 701},
      {"9000000000 * (i + 1) * 9000000000 if i > 11 else 0", 12},
      {"i * 1000000", 2148}, // beyond 32 bits
      {"int(1e30) if i == 4999 else 0", 4999},
      {"max(l, 500 - i, l) + 0 * i", 500},
      {"sum(l, 3, int32[i - 1 + l])", 0}};
  for (const auto& [text, first] : cases) {
    INFO(text);
    const OnBoth both = on_both(text, ElementType::int32, bench);
    CHECK(both.run.no_value.value_or(~0ULL) == first);
  }
}

TEST_CASE("a formula that takes too long ends in time on the device") {
  const Bench bench;
  const auto arguments = formula_arguments(ElementType::float32);
  ArgumentData data(arguments, *bench.kernels);
  data.fill(seed);
  auto formulas = output_formulas({{"out", "sum(l, n * n * n * n * n, l * 0.5)"}}, arguments,
                                  {{"n", 1000}}, seed);
  const auto begun = std::chrono::steady_clock::now();
  const FormulaRun run =
      run_on_device(*bench.kernels, formulas.at(0).formula().program(), {}, ElementType::float32,
                    formula_elements, data.expected_memory(0), std::chrono::milliseconds(200));
  CHECK(run.late);
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(2));
}

TEST_CASE("what is expected with one seed's data is kept while another's counts") {
  const Bench bench;
  BufferSpec spec = spec_of(Fill::random, ElementType::float32, 1000, {.value = 1});
  spec.output = true;
  ArgumentData data(around(spec), *bench.kernels);
  const auto expect = [&](std::uint64_t of_seed) {
    data.fill(of_seed);
    if (data.recall_expected(of_seed))
      return true;
    data.expect_current_outputs();
    data.remember_expected(of_seed);
    return false;
  };
  CHECK_FALSE(expect(1));
  CHECK(expect(1));
  CHECK_FALSE(expect(2));
  CHECK(judgement_of(data, bench).mismatch.value_or("") == "");
  CHECK(expect(1));
  CHECK(judgement_of(data, bench).mismatch.value_or("") == "");
  CHECK(expect(2));
  CHECK(judgement_of(data, bench).mismatch.value_or("") == "");
  data.fill(1);
  CHECK_THAT(judgement_of(data, bench).mismatch.value_or(""), contains_text("differ"));
  CHECK_FALSE(expect(3)); // the oldest makes room
}

} // namespace fill_test
