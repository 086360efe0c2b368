// SPDX-License-Identifier: Apache-2.0
// Every message comes back from its frame as it was; what is no message is refused by name.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <thread>

namespace messages_test {

using namespace gridsmith;

namespace {

std::shared_ptr<const Bytes> bytes(Bytes held) {
  return std::make_shared<const Bytes>(std::move(held));
}

Message round_trip(const Message& message) {
  const Bytes frame = encode(message);
  return decode(Bytes(frame.begin() + 8, frame.end()));
}

Bytes framed(const nlohmann::json& json) {
  Bytes frame(8);
  nlohmann::json::to_cbor(json, frame);
  const std::size_t length = frame.size() - 8;
  for (std::size_t i = 0; i < 8; ++i)
    frame[i] = static_cast<std::uint8_t>(length >> (8 * i));
  return frame;
}

OpenWork example_work() {
  OpenWork open;
  open.work = 3;
  open.label = "transpose";
  open.arguments.push_back(
      {.buffer = BufferSpec{.name = "out",
                            .type = ElementType::uint64,
                            .elements = 1ULL << 40,
                            .access = Access::read_write,
                            .fill = Fill::random,
                            .numbers = {.value = 0.1, .skew = 0.5},
                            .structure = 3,
                            .program = {{.action = FormulaAction::begin, .to = 1, .a = 2, .b = 1},
                                        {.action = FormulaAction::calculate,
                                         .op = Operator::floor_divide,
                                         .real = true,
                                         .to = 1,
                                         .a = ~0u,
                                         .column = 7}},
                            .content = bytes({0, 255, 1}),
                            .offset = 5,
                            .row = 1ULL << 20,
                            .output = true,
                            .constant_memory = true},
       .scalar = std::nullopt});
  open.arguments.push_back(
      {.buffer = std::nullopt, .scalar = ScalarSpec{"n", ElementType::float64, 1.0 / 3.0}});
  open.arguments.push_back(
      {.buffer = std::nullopt,
       .scalar = ScalarSpec{.name = "p", .pitch_of = "out", .pitch_in_bytes = true}});
  open.arguments.push_back(
      {.buffer = std::nullopt,
       .scalar = ScalarSpec{
           .name = "t", .texture = TextureSpec{"out", 5, {.address = TextureAddress::mirror}}}});
  open.arguments.push_back(
      {.buffer = std::nullopt,
       .scalar = ScalarSpec{.name = "s",
                            .struct_bytes = 24,
                            .fields = {{".x", ElementType::float32, 8, 0.25},
                                       {".n[1]", ElementType::uint8, 20, 3}}}});
  open.seed = ~0ULL;
  open.reference.kernel =
      Launchable{bytes({1, 2}), "_Z3foov", Geometry{{1LL << 31, 2, 3}, {4, 5, 6}, 7}};
  open.reference.element = {{"out", "in[i % m]"}, {"other", "i"}};
  open.reference.extents = {{"m", 8192}, {"n", -1}};
  open.counters = {"dram__bytes_read.sum"};
  open.conditions.regime = Regime::warm;
  open.conditions.sampling.prune = false;
  open.measure_copy = true;
  return open;
}

} // namespace

TEST_CASE("a work keeps every field") {
  const OpenWork sent = example_work();
  const auto got = std::get<OpenWork>(round_trip(sent));
  CHECK(got.work == 3);
  CHECK(got.label == "transpose");
  REQUIRE(got.arguments.size() == 5);
  REQUIRE(got.arguments[0].buffer);
  CHECK_FALSE(got.arguments[0].scalar);
  CHECK(got.arguments[0].buffer->elements == 1ULL << 40);
  CHECK(got.arguments[0].buffer->type == ElementType::uint64);
  CHECK(got.arguments[0].buffer->access == Access::read_write);
  CHECK(got.arguments[0].buffer->fill == Fill::random);
  CHECK(got.arguments[0].buffer->numbers.value == 0.1);
  CHECK(got.arguments[0].buffer->numbers.skew == 0.5);
  CHECK(got.arguments[0].buffer->structure == 3);
  REQUIRE(got.arguments[0].buffer->program.size() == 2);
  const FormulaStep& step = got.arguments[0].buffer->program[1];
  CHECK(step.action == FormulaAction::calculate);
  CHECK(step.op == Operator::floor_divide);
  CHECK(step.function == Function::none);
  CHECK(step.real);
  CHECK(std::array{step.to, step.a, step.b, step.c, step.column} ==
        std::array<std::uint32_t, 5>{1, ~0u, 0, 0, 7});
  CHECK(*got.arguments[0].buffer->content == Bytes{0, 255, 1});
  CHECK(got.arguments[0].buffer->offset == 5);
  CHECK(got.arguments[0].buffer->row == 1ULL << 20);
  CHECK(got.arguments[0].buffer->output);
  CHECK(got.arguments[0].buffer->constant_memory);
  REQUIRE(got.arguments[1].scalar);
  CHECK(got.arguments[1].scalar->value == 1.0 / 3.0);
  CHECK(got.arguments[2].scalar->pitch_of == "out");
  CHECK(got.arguments[3].scalar->texture->columns == 5);
  CHECK(got.arguments[3].scalar->texture->mode.address == TextureAddress::mirror);
  CHECK(got.arguments[2].scalar->pitch_in_bytes);
  CHECK(words_of(*got.arguments[4].scalar) == words_of(*sent.arguments[4].scalar));
  CHECK(bytes_of(*got.arguments[4].scalar) == 24);
  CHECK(got.arguments[4].scalar->fields.at(1).name == ".n[1]");
  CHECK(got.seed == ~0ULL);
  REQUIRE(got.reference.kernel);
  CHECK(got.reference.kernel->geometry == sent.reference.kernel->geometry);
  CHECK(got.reference.element == sent.reference.element);
  CHECK(got.reference.extents == sent.reference.extents);
  CHECK(got.counters == sent.counters);
  CHECK(got.conditions == sent.conditions);
  CHECK(got.measure_copy);
}

TEST_CASE("an execution keeps its numbers exactly, NaN and infinity too") {
  Executed sent;
  sent.id = 7;
  Execution& ran = sent.execution;
  ran.status = Status::correctness;
  ran.reason = "element 17 of 'out' is nan, expected 1.25";
  ran.verification = Verification::kernel;
  ran.times_ms = {0.1, std::numeric_limits<double>::infinity()};
  ran.taken_at_ms = {1, 2};
  ran.clocks_mhz = {1980, 1965};
  ran.pruned_early = true;
  ran.compile_facts = CompileFacts{.registers_per_thread = 128, .block_barriers = 2};
  ran.counters = {{"a.sum", std::nan("")}, {"b.sum", 5e-324}};
  ran.uncounted_because = "";
  ran.spent.gpu_ms = 0.3;
  const auto got = std::get<Executed>(round_trip(sent));
  CHECK(got.id == 7);
  CHECK(got.execution.status == Status::correctness);
  CHECK(got.execution.reason == ran.reason);
  CHECK(got.execution.verification == Verification::kernel);
  CHECK(got.execution.times_ms == ran.times_ms);
  CHECK(got.execution.taken_at_ms == ran.taken_at_ms);
  CHECK(got.execution.clocks_mhz == ran.clocks_mhz);
  CHECK(got.execution.pruned_early);
  CHECK(got.execution.compile_facts == ran.compile_facts);
  CHECK(std::isnan(got.execution.counters.at("a.sum")));
  CHECK(got.execution.counters.at("b.sum") == 5e-324);
  CHECK(got.execution.uncounted_because == ""); // said, though nothing was said
  CHECK_FALSE(got.execution.sm_clock_mhz);
  CHECK(got.execution.spent.gpu_ms == 0.3);
}

TEST_CASE("what is asked of peaks and what is answered come back whole") {
  const auto asked = std::get<MeasurePeaks>(
      round_trip(MeasurePeaks{2, bytes({1}), bytes({2, 3}), {"copy", "l2_read"}}));
  CHECK(asked.ordinal == 2);
  CHECK(*asked.peak_code == Bytes{2, 3});
  CHECK(asked.names == std::vector<std::string>{"copy", "l2_read"});
  const auto answered = std::get<PeakMeasured>(
      round_trip(PeakMeasured{"copy", Peak{"copy", 4251.5, "GB/s", "now", "so", "GPU-1"}, ""}));
  REQUIRE(answered.peak);
  CHECK(answered.peak->value == 4251.5);
  CHECK(answered.peak->conditions == "so");
  const auto none = std::get<PeakMeasured>(round_trip(PeakMeasured{"copy", {}, "no memory"}));
  CHECK_FALSE(none.peak);
  CHECK(none.reason == "no memory");
}

TEST_CASE("every type of message comes back as itself") {
  const std::array<Message, std::variant_size_v<Message>> all = {
      Hello{},       CompileJob{},   CodeObject{},   OpenWork{},   EvaluateBatch{},
      BestSoFar{},   WorkOpened{},   WorkRefused{},  StageBegun{}, Executed{},
      ContextLost{}, MeasurePeaks{}, PeakMeasured{}, UseDevice{},  DeviceReady{}};
  for (const Message& message : all)
    CHECK(round_trip(message).index() == message.index());
}

TEST_CASE("a device and what made room for a work keep every field") {
  const UseDevice sent{3,
                       bytes({0x7f, 'E', 'L', 'F', 0, 255}),
                       {"dram__bytes_read.sum"},
                       {"sm__cycles_active.avg"},
                       "gh100",
                       true};
  const auto got = std::get<UseDevice>(round_trip(sent));
  CHECK(got.ordinal == 3);
  CHECK(*got.device_code == *sent.device_code);
  CHECK(got.counters == sent.counters);
  CHECK(got.later_counters == sent.later_counters);
  CHECK(got.chip == sent.chip);
  CHECK(got.code_follows);
  WorkOpened opened;
  opened.work = 7;
  opened.closed = {2, 5};
  opened.at_ms = 1.5;
  opened.only_written = WrittenPart{3, 8};
  const auto answered = std::get<WorkOpened>(round_trip(opened));
  CHECK(answered.work == 7);
  CHECK(answered.closed == opened.closed);
  CHECK(answered.at_ms == 1.5);
  CHECK((answered.only_written == opened.only_written));
}

TEST_CASE("nested lists keep their order") {
  EvaluateBatch sent;
  sent.mode = Mode::final;
  sent.order = BatchOrder::mirrored;
  sent.jobs.resize(2);
  sent.jobs[0].id = 4;
  sent.jobs[1].label = "tile=32";
  sent.jobs[1].launchable.cubin = bytes({9});
  const auto got = std::get<EvaluateBatch>(round_trip(sent));
  CHECK(got.mode == Mode::final);
  CHECK(got.order == BatchOrder::mirrored);
  CHECK_FALSE(got.best_ms);
  REQUIRE(got.jobs.size() == 2);
  CHECK(got.jobs[0].id == 4);
  CHECK_FALSE(got.jobs[0].launchable.cubin);
  CHECK(got.jobs[1].label == "tile=32");
  CHECK(*got.jobs[1].launchable.cubin == Bytes{9});
  CompileJob job;
  job.request.options = {"-DA=1", "-DB=2"};
  CHECK(std::get<CompileJob>(round_trip(job)).request.options == job.request.options);
}

TEST_CASE("what is no message is refused with the place") {
  const auto refusal = [](const nlohmann::json& json) -> std::string {
    const Bytes frame = framed(json);
    try {
      decode(Bytes(frame.begin() + 8, frame.end()));
    } catch (const ProtocolError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refusal({{"type", "gossip"}}).find("gossip") != std::string::npos);
  CHECK(refusal({{"best_ms", 1}}).find("type") != std::string::npos);
  CHECK(refusal({{"type", "best_so_far"}, {"work", 1}}).find("best_ms") != std::string::npos);
  CHECK(refusal({{"type", "best_so_far"}, {"work", 1}, {"best_ms", "fast"}}).find("best_ms") !=
        std::string::npos);
  const nlohmann::json status = {
      {"type", "context_lost"}, {"id", 1}, {"status", "lost"}, {"reason", ""}};
  CHECK(refusal(status).find("status") != std::string::npos);
  CHECK_THROWS_AS(decode(Bytes{0xff, 0x00}), ProtocolError);
  CHECK_THROWS_AS(decode(Bytes{}), ProtocolError);
}

TEST_CASE("a buffer gives whole messages however the bytes come") {
  Bytes stream;
  for (int i = 0; i < 5; ++i) {
    const Bytes frame = encode(BestSoFar{0, static_cast<double>(i)});
    stream.insert(stream.end(), frame.begin(), frame.end());
  }
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, stream.size()}) {
    MessageBuffer buffer;
    std::vector<double> got;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      buffer.append(stream.data() + at, std::min(piece, stream.size() - at));
      while (const auto message = buffer.next())
        got.push_back(std::get<BestSoFar>(*message).best_ms);
    }
    CHECK(got == std::vector<double>{0, 1, 2, 3, 4});
  }
  MessageBuffer garbage;
  const Bytes text = {'h', 'e', 'l', 'l', 'o', ' ', 'w', 'o', 'r', 'l', 'd'};
  garbage.append(text.data(), text.size());
  CHECK_THROWS_AS(garbage.next(), ProtocolError);
}

TEST_CASE("messages cross a pipe, larger ones than it holds too") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  CodeObject code;
  code.cubin = bytes(Bytes(1 << 20, 0x5a));
  std::thread writer([&] {
    write_message(ends[1], code);
    write_message(ends[1], BestSoFar{});
    ::close(ends[1]);
  });
  const auto first = read_message(ends[0]);
  REQUIRE(first);
  CHECK(*std::get<CodeObject>(*first).cubin == *code.cubin);
  const auto second = read_message(ends[0]);
  REQUIRE(second);
  CHECK(std::holds_alternative<BestSoFar>(*second));
  CHECK_FALSE(read_message(ends[0]));
  writer.join();
  ::close(ends[0]);
}

TEST_CASE("a stream that ends inside a message is an error, not an end") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const Bytes frame = encode(BestSoFar{0, 1});
  REQUIRE(::write(ends[1], frame.data(), frame.size() - 1) ==
          static_cast<ssize_t>(frame.size() - 1));
  ::close(ends[1]);
  CHECK_THROWS_AS(read_message(ends[0]), ProtocolError);
  ::close(ends[0]);
}

} // namespace messages_test
