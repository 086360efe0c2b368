// SPDX-License-Identifier: Apache-2.0
// How many letters rank 0 of gridsmith-mpi passes on: its switchboard between relays and agents that
// answer at once, all on one core and without a network, so that nothing but rank 0's own work and the
// relays' ends of their sockets is timed. Figures, no assertions.
#include "gridsmith/tests/bench/bench.hpp"
#include "gridsmith/tests/cpu/tuner/fake_nodes.hpp"
#include "gridsmith/tuner/processes/run_folder.hpp"

#include <fmt/format.h>

#include <chrono>

namespace bench_switchboard {

using namespace gridsmith;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

/// Letters per second, both ways.
double rate(std::size_t nodes, std::size_t lines, std::size_t source_bytes,
            std::size_t answer_bytes) {
  const RunFolder folder;
  test::FakePost post;
  std::vector<AgentReport> reports;
  for (std::size_t i = 0; i < nodes; ++i)
    reports.push_back(test::report_of(fmt::format("node{}", i), i == 0 ? 0 : 8));
  SwitchboardSettings settings;
  settings.folder = folder.path();
  Switchboard board(post, Host(folder.path()), std::move(reports), std::move(settings));
  std::vector<FrameSocket> relays;
  for (std::size_t i = 0; i < lines; ++i) {
    relays.push_back(test::connect_relay(folder.path(), {"gridsmith-compiler", {}}));
    board.turn(1ms);
  }
  post.sent.clear();
  auto source = std::make_shared<SourceBundle>();
  source->main.text = std::string(source_bytes, 'x');
  const Bytes job = encode(CompileJob{{std::move(source), "k", {"-DX=1"}}, 90});
  CodeObject code;
  code.cubin = std::make_shared<const Bytes>(answer_bytes, std::uint8_t{1});
  const Bytes answer = encode(Message{code});
  for (FrameSocket& one : relays)
    one.send(LetterKind::data, job);
  std::size_t letters = 0;
  const auto begin = Clock::now();
  while (Clock::now() - begin < 2s) {
    board.turn(0ms);
    for (; !post.sent.empty(); post.sent.pop_front(), ++letters)
      post.coming.emplace_back(post.sent.front().first,
                               Letter{LetterKind::data, post.sent.front().second.line, answer});
    for (FrameSocket& one : relays) {
      one.send_rest();
      one.receive();
      while (const auto letter = one.next())
        if (letter->kind == LetterKind::data) {
          ++letters;
          one.send(LetterKind::data, job);
        }
    }
  }
  return static_cast<double>(letters) / std::chrono::duration<double>(Clock::now() - begin).count();
}

} // namespace

int run(int, char**) {
  fmt::print("| nodes | compilers | source with headers, kB | cubin kB | letters/s |\n"
             "|---|---|---|---|---|\n");
  for (const std::size_t nodes : {2, 8, 32})
    for (const auto& [source, cubin] : {std::pair{10, 20}, {10, 100}, {1000, 100}}) {
      const std::size_t lines = 8 * nodes;
      fmt::print("| {} | {} | {} | {} | {:.0f} |\n", nodes, lines, source, cubin,
                 rate(nodes, lines, static_cast<std::size_t>(source) * 1000,
                      static_cast<std::size_t>(cubin) * 1000));
      std::fflush(stdout);
    }
  return 0;
}

const Bench entry("switchboard", run);

} // namespace bench_switchboard
