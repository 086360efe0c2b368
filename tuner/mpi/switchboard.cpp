// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/mpi/switchboard.hpp"

#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/version.hpp"
#include "gridsmith/tuner/mpi/letter_content.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <system_error>
#include <utility>

namespace gridsmith {
namespace {

constexpr LineEnd killed{SIGKILL, 0}; // from outside: nobody's fault

int listening_at(const std::filesystem::path& file) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, file.c_str(), sizeof address.sun_path - 1);
  if (socket < 0 ||
      ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket, SOMAXCONN) != 0)
    throw std::system_error(errno, std::generic_category(), file.string());
  return socket;
}

bool has(const std::vector<std::string>& words, const char* word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Bytes bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

} // namespace

Switchboard::Switchboard(Post& post, Host own, std::vector<AgentReport> reports,
                         SwitchboardSettings settings)
    : post_(post), own_(std::move(own)), settings_(std::move(settings)),
      nodes_(std::move(reports), settings_.compile_only, settings_.note),
      listener_(listening_at(switchboard_file(settings_.folder))) {
}

Switchboard::~Switchboard() {
  ::close(listener_);
  ::unlink(switchboard_file(settings_.folder).c_str());
}

void Switchboard::send(int agent, const Letter& letter) {
  if (agent == 0)
    own_.take(letter);
  else
    post_.send(agent, letter);
}

void Switchboard::accept_relays() {
  for (int socket; (socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;)
    lines_.emplace(++numbers_, Line{FrameSocket(socket)});
}

void Switchboard::hear(std::uint64_t number, Line& line, Letter letter) {
  if (letter.kind == LetterKind::start)
    begin(number, line, read_content<LineStart>(letter.content));
  else if (!line.numbered && !line.ended)
    order(number, line, letter.content);
  else if (line.agent && line.compiler)
    send_job(number, line, letter.content);
  else if (line.agent)
    send(*line.agent, {LetterKind::data, number, std::move(letter.content)});
}

/// False: the line is done.
bool Switchboard::serve(std::uint64_t number, Line& line) {
  const bool there = line.relay.receive();
  try {
    while (auto letter = line.relay.next())
      hear(number, line, std::move(*letter));
  } catch (const ProtocolError& error) {
    if (settings_.note)
      settings_.note(fmt::format("a helper program's line is closed: {}", error.what()));
    hang_up(number, line);
    return false;
  }
  line.relay.send_rest();
  if (!there)
    hang_up(number, line);
  return there;
}

void Switchboard::hang_up(std::uint64_t number, const Line& line) {
  if (!line.agent)
    return;
  send(*line.agent, {LetterKind::close, number});
  if (line.compiler)
    nodes_.compiler_ended(*line.agent);
}

/// What the node was sent with another one is not sent again.
void Switchboard::send_job(std::uint64_t number, Line& line, const Bytes& content) {
  line.orders.append(content.data(), content.size());
  while (const auto message = line.orders.next_frame())
    if (*line.agent == 0)
      send(0, {LetterKind::data, number, *message});
    else
      send(*line.agent, {LetterKind::shortened, number, sent_[*line.agent].shorten(*message)});
}

void Switchboard::connect(std::uint64_t number, Line& line, int agent, const LineStart& start) {
  line.agent = agent;
  send(agent, {LetterKind::start, number, content_of(start)});
}

void Switchboard::answer(Line& line, const std::string& text) const {
  line.relay.send(LetterKind::data, bytes_of(text));
  line.relay.send(LetterKind::ended, content_of(LineEnd{}));
}

void Switchboard::begin(std::uint64_t number, Line& line, LineStart start) {
  if (start.program == "gridsmith-compiler") {
    line.compiler = true;
    if (const auto agent = nodes_.best_compiler()) {
      nodes_.compiler_begun(*agent);
      return connect(number, line, *agent, start);
    }
    line.compiler = false;
    return line.relay.send(LetterKind::ended, content_of(killed));
  }
  line.heard_hello = true; // of a worker nothing is compared
  if (has(start.arguments, "--devices"))
    return answer(line, nodes_.device_list());
  const bool asks = !start.arguments.empty() && start.arguments.front() != "--unconfined";
  if (asks) // about a GPU by its UUID, or about any
    return connect(number, line, nodes_.agent_of(start.arguments), start);
  line.start = std::move(start); // where it runs its first order says
  line.greeted = line.numbered = false;
  const Bytes hello = encode(Hello{std::string(version()), "", ""});
  line.relay.send(LetterKind::data, hello);
}

void Switchboard::refuse(Line& line, const std::string& why) const {
  line.ended = true;
  line.relay.send(LetterKind::data, encode(WorkRefused{why, true}));
  line.relay.send(LetterKind::ended, content_of(LineEnd{0, 1}));
}

/// A worker's first orders name its device, which is another number on its node, and thereby the node.
void Switchboard::order(std::uint64_t number, Line& line, const Bytes& content) {
  line.orders.append(content.data(), content.size());
  while (!line.numbered) {
    auto message = line.orders.next();
    if (!message)
      return;
    if (!translate(number, line, *message))
      return;
    send(*line.agent, {LetterKind::data, number, encode(*message)});
  }
  if (const std::string rest = line.orders.take_text(); !rest.empty())
    send(*line.agent, {LetterKind::data, number, bytes_of(rest)});
}

/// False: it is refused.
bool Switchboard::translate(std::uint64_t number, Line& line, Message& message) {
  int* ordinal = nullptr;
  if (auto* use = std::get_if<UseDevice>(&message)) {
    ordinal = &use->ordinal;
    line.numbered = use->device_code != nullptr; // else it is said again, with the code
  } else if (auto* peaks = std::get_if<MeasurePeaks>(&message)) {
    ordinal = &peaks->ordinal;
    line.numbered = true;
  } else if (line.agent) {
    return true;
  }
  const Nodes::Place* place = ordinal ? nodes_.place(*ordinal) : nullptr;
  if (!place) {
    refuse(line, "there is no such device");
    return false;
  }
  if (const std::string& why = nodes_.lost(place->agent); !why.empty()) {
    refuse(line, fmt::format("{} {}", nodes_.host(place->agent), why));
    return false;
  }
  *ordinal = place->device.ordinal;
  if (!line.agent) {
    const bool here = nodes_.host(place->agent) == nodes_.host(0); // the tuner has locked it
    if (!here && !settings_.share)
      line.start->lock = place->device.uuid;
    connect(number, line, place->agent, *line.start);
  }
  return true;
}

/// Whether what came is to be handed on: a compiler of another toolkit than the others is not heard.
bool Switchboard::check_hello(Line& line, const Bytes& content) {
  line.hello.append(content.data(), content.size());
  std::optional<Message> message;
  try {
    message = line.hello.next();
  } catch (const ProtocolError&) {
    return true; // the tuner says what it thinks of it
  }
  if (!message)
    return true;
  line.heard_hello = true;
  const auto* hello = std::get_if<Hello>(&*message);
  if (!hello || hello->toolkit.empty())
    return true;
  if (!compiler_hello_)
    compiler_hello_ = *hello;
  if (hello->toolkit == compiler_hello_->toolkit && hello->headers == compiler_hello_->headers)
    return true;
  const int agent = *line.agent;
  drop(agent, fmt::format("has another CUDA toolkit ({}, others {})", hello->toolkit,
                          compiler_hello_->toolkit));
  return false;
}

void Switchboard::take(int agent, Letter letter) {
  nodes_.heard(agent);
  const auto found = lines_.find(letter.line);
  if (found == lines_.end() || found->second.agent != agent)
    return;
  Line& line = found->second;
  if (letter.kind == LetterKind::ended) {
    line.relay.send(LetterKind::ended, letter.content);
    if (line.compiler)
      nodes_.compiler_ended(agent);
    line.agent.reset();
    line.compiler = false;
    line.ended = true;
    return;
  }
  if (letter.kind != LetterKind::data)
    return;
  if (!line.heard_hello && !check_hello(line, letter.content))
    return;
  if (line.greeted)
    return line.relay.send(LetterKind::data, letter.content);
  line.hello.append(letter.content.data(), letter.content.size());
  try {
    line.greeted = line.hello.next().has_value(); // its version is the agent's, which was compared
  } catch (const ProtocolError&) {
    line.greeted = true; // the tuner says what it thinks of it
  }
  if (!line.greeted)
    return;
  if (const std::string rest = line.hello.take_text(); !rest.empty())
    line.relay.send(LetterKind::data, bytes_of(rest));
}

void Switchboard::drop(int number, const std::string& why) {
  if (!nodes_.drop(number, why))
    return;
  for (auto& [line_number, line] : lines_)
    if (line.agent == number) {
      send(number, {LetterKind::close, line_number});
      line.relay.send(LetterKind::ended, content_of(killed));
      line.agent.reset();
      line.compiler = false;
      line.ended = true;
    }
}

void Switchboard::turn(std::chrono::milliseconds limit) {
  std::vector<pollfd> descriptors{{listener_, POLLIN, 0}};
  for (const auto& [number, line] : lines_)
    descriptors.push_back({line.relay.descriptor(),
                           static_cast<short>(POLLIN | (line.relay.has_unsent() ? POLLOUT : 0)),
                           0});
  own_.add_descriptors(descriptors);
  ::poll(descriptors.data(), descriptors.size(), static_cast<int>(limit.count()));
  accept_relays();
  for (auto at = lines_.begin(); at != lines_.end();)
    at = serve(at->first, at->second) ? std::next(at) : lines_.erase(at);
  for (Letter& letter : own_.work())
    take(0, std::move(letter));
  while (auto letter = post_.receive())
    take(letter->first, std::move(letter->second));
  nodes_.paused(pauses_.late_by());
  for (const int silent : nodes_.silent_for(settings_.silence)) {
    lost_any_ = true;
    drop(silent, fmt::format("fell silent for {} s",
                             std::chrono::duration<double>(settings_.silence).count()));
  }
}

} // namespace gridsmith
