// SPDX-License-Identifier: Apache-2.0
// Rank 0 between tuner and nodes, over a post of no network: who is left out and why, and that what a node
// was sent once is not sent again.
#include "gridsmith/tests/catch.hpp"
#include "gridsmith/tests/cpu/tuner/fake_nodes.hpp"
#include "gridsmith/tests/cpu/tuner/fake_programs.hpp"

#include <csignal>

namespace switchboard_test {

using namespace gridsmith;
using namespace std::chrono_literals;
using test::report_of;

namespace {

/// A compilation of a source of so many bytes.
Bytes job(std::size_t bytes, const std::string& option) {
  auto source = std::make_shared<SourceBundle>();
  source->main.text = std::string(bytes, 'x');
  return encode(CompileJob{{std::move(source), "k", {option}}, 90});
}

struct Board {
  explicit Board(std::vector<AgentReport> reports, bool compile_only = false) {
    SwitchboardSettings settings;
    settings.folder = folder.path();
    settings.compile_only = compile_only;
    settings.note = [this](const std::string& line) { notes.push_back(line); };
    board.emplace(post, Host(folder.path()), std::move(reports), std::move(settings));
  }

  FrameSocket relay(const std::string& program) {
    FrameSocket one = test::connect_relay(folder.path(), {program, {}});
    turn();
    return one;
  }

  void turn() {
    for (int i = 0; i < 3; ++i)
      board->turn(1ms);
  }

  test::Folder folder;
  test::FakePost post;
  std::vector<std::string> notes;
  std::optional<Switchboard> board;
};

void hello(Board& all, int agent, std::uint64_t line, const std::string& toolkit) {
  all.post.coming.emplace_back(
      agent, Letter{LetterKind::data, line, encode(Hello{"1.0", toolkit, "headers"})});
  all.turn();
}

} // namespace

TEST_CASE("a letter that is none is a protocol error, however deep") {
  CHECK_THROWS_AS(read_content<AgentReport>(Bytes(3'000'000, 0x81)), ProtocolError);
  CHECK_THROWS_AS(read_content<LineStart>(Bytes{}), ProtocolError);
  CHECK_THROWS_AS(read_content<LineEnd>(Bytes{0x61, 'x'}), ProtocolError);
  CHECK(read_content<LineEnd>(content_of(LineEnd{9, 0})).signal == 9);
}

TEST_CASE("a letter that is none ends its line, and the job goes on") {
  Board all({report_of("a", 1), report_of("b", 1)});
  FrameSocket bad = all.relay("gridsmith-compiler");
  bad.send(LetterKind::start, Bytes(1000, 0x81));
  all.turn();
  bad.receive();
  CHECK_FALSE(bad.receive()); // closed
  REQUIRE(all.notes.size() == 1);
  CHECK_THAT(all.notes[0],
             contains_text("a helper program's line is closed: not a letter: nested"));
  FrameSocket good = all.relay("gridsmith-worker");
  CHECK(good.receive());
  const auto greeting = good.next();
  REQUIRE(greeting);
  CHECK(greeting->kind == LetterKind::data);

  const test::Folder folder;
  Host host(folder.path());
  for (const LetterKind kind : {LetterKind::start, LetterKind::shortened}) {
    host.take({kind, 7, Bytes(1000, 0x81)});
    const std::vector<Letter> news = host.work();
    REQUIRE(news.size() == 1);
    CHECK(news[0].kind == LetterKind::ended);
    CHECK(news[0].line == 7);
    CHECK(read_content<LineEnd>(news[0].content).code == 127);
  }
}

TEST_CASE("what messages have in common is sent once") {
  SharedEnds sender, receiver;
  std::size_t sent = 0, all = 0;
  for (int i = 0; i < 100; ++i)
    for (const std::size_t bytes : {30'000U, 70'000U}) { // two sources, in turn
      const Bytes message = job(bytes, "-DX=" + std::to_string(i));
      const Bytes shortened = sender.shorten(message);
      CHECK(receiver.lengthen(shortened) == message);
      sent += shortened.size();
      all += message.size();
    }
  CHECK(all > 10'000'000);
  CHECK(sent < 150'000);
  for (std::size_t i = 1; i < 40; ++i) // more kinds than are remembered
    CHECK(receiver.lengthen(sender.shorten(Bytes(i * 100, static_cast<std::uint8_t>(i)))) ==
          Bytes(i * 100, static_cast<std::uint8_t>(i)));
  CHECK_THROWS_WITH(SharedEnds().lengthen(sender.shorten(Bytes(3900, 39))),
                    contains_text("another one than this end remembers"));
}

TEST_CASE("nodes of another version or driver, or without a GPU, are named and left out") {
  std::vector<AgentReport> reports{report_of("a", 2), report_of("b", 1, "570.2"), report_of("c", 0),
                                   report_of("d", 1)};
  reports.push_back(report_of("e", 1));
  reports.back().version = "0.9";
  for (const bool compile_only : {false, true}) {
    const Board all(reports, compile_only);
    REQUIRE(all.notes.size() == (compile_only ? 2 : 3));
    CHECK(all.notes.front() == "b (rank 1) is not used: it has driver 570.2, others have 580.1");
    CHECK(all.notes.back() == "e (rank 4) is not used: it has Gridsmith 0.9, rank 0 has 1.0");
    if (!compile_only)
      CHECK(all.notes[1] ==
            "c (rank 2) is not used: it has no GPU (no driver); --compile-ranks lets it compile");
    CHECK(all.board->compilers() == (compile_only ? 24 : 16));
  }
  const Nodes nodes(reports, false, {});
  REQUIRE(nodes.places().size() == 3);
  CHECK(nodes.place(2)->device.uuid == "d-0"); // one list, numbered through
  CHECK(nodes.place(2)->device.ordinal == 0);
  CHECK(nodes.agent_of({"--processes", "d-0"}) == 3);
  CHECK_FALSE(nodes.place(3));
}

TEST_CASE("a node whose compiler has another toolkit is named, and its compilers count as killed") {
  Board all({report_of("a", 0), report_of("b", 1), report_of("c", 1)});
  FrameSocket first = all.relay("gridsmith-compiler"), second = all.relay("gridsmith-compiler");
  REQUIRE(all.post.sent.size() == 2); // started where there is the most room: a is left out
  CHECK(all.post.sent[0].first == 1);
  CHECK(all.post.sent[1].first == 2);
  hello(all, 1, all.post.sent[0].second.line, "13.0");
  hello(all, 2, all.post.sent[1].second.line, "12.8");
  REQUIRE(all.notes.size() == 2);
  CHECK(all.notes[1] == "c (rank 2) is not used: it has another CUDA toolkit (12.8, others 13.0)");
  CHECK(second.receive());
  const auto said = second.next();
  REQUIRE(said);
  CHECK(said->kind == LetterKind::ended);
  CHECK(read_content<LineEnd>(said->content).signal == SIGKILL);
  CHECK(first.receive());
  CHECK(first.next()->kind == LetterKind::data); // its hello
}

TEST_CASE("a source travels once to a node, whichever of its compilers needs it") {
  Board all({report_of("a", 0), report_of("b", 2)});
  std::vector<FrameSocket> relays;
  relays.reserve(4);
  for (int i = 0; i < 4; ++i)
    relays.push_back(all.relay("gridsmith-compiler"));
  all.post.sent.clear();
  SharedEnds agent;
  for (int i = 0; i < 20; ++i) {
    const Bytes message = job(200'000, "-DX=" + std::to_string(i));
    relays[static_cast<std::size_t>(i) % 4].send(LetterKind::data, message);
    while (all.post.sent.empty()) {
      relays[static_cast<std::size_t>(i) % 4].send_rest();
      all.turn();
    }
    const Letter letter = std::move(all.post.sent.front().second);
    all.post.sent.pop_front();
    REQUIRE(letter.kind == LetterKind::shortened);
    CHECK((i == 0 || letter.content.size() < 200));
    CHECK(agent.lengthen(letter.content) == message);
  }
}

TEST_CASE("a GPU that somebody else has on its own machine is refused with who has it") {
  const test::Folder folder;
  test::install_fakes(folder.path());
  Host host(folder.path());
  const std::string uuid = folder.path().filename().string();
  const Letter start{LetterKind::start, 5, content_of(LineStart{"gridsmith-worker", {}, uuid})};
  {
    GpuLock other(gpu_lock_folder(), uuid);
    REQUIRE(other.take());
    host.take(start);
    const auto news = host.work();
    REQUIRE(news.size() == 3);
    MessageBuffer said;
    said.append(news[0].content.data(), news[0].content.size());
    said.append(news[1].content.data(), news[1].content.size());
    CHECK(std::holds_alternative<Hello>(said.next().value()));
    const Message second = said.next().value();
    REQUIRE(std::holds_alternative<WorkRefused>(second));
    CHECK_THAT(std::get<WorkRefused>(second).reason,
               contains_text("it is in use by ") && contains_text("on its machine"));
    CHECK(news[2].kind == LetterKind::ended);
  }
  host.take(start);
  for (const Letter& letter : host.work())
    CHECK(letter.kind == LetterKind::data); // it runs, and may have greeted
  GpuLock late(gpu_lock_folder(), uuid);
  CHECK_FALSE(late.take());
}

} // namespace switchboard_test
