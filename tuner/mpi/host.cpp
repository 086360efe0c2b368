// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/mpi/host.hpp"

#include "gridsmith/base/version.hpp"
#include "gridsmith/tuner/gpu/device_list.hpp"
#include "gridsmith/tuner/mpi/letter_content.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <thread>

namespace gridsmith {
namespace {

constexpr LineEnd not_started{0, 127}; // as shells say it

/// Folders of rank 0's machine are not this one's: a compiler writes into a folder of its own here and
/// reads what it is sent.
std::vector<std::string> arguments_here(const std::vector<std::string>& there,
                                        std::unique_ptr<RunFolder>& folder) {
  std::vector<std::string> here;
  for (std::size_t i = 0; i < there.size(); ++i) {
    if (there[i] == "--read") {
      ++i;
    } else if (there[i] == "--run-folder") {
      folder = std::make_unique<RunFolder>();
      here.insert(here.end(), {there[i++], folder->path().string()});
    } else {
      here.push_back(there[i]);
    }
  }
  return here;
}

} // namespace

/// False: somebody else has it; that is said in the worker's place. Where no lock can be had at all,
/// nobody else has one.
bool Host::lock(std::uint64_t line, const std::string& uuid) {
  const auto folder = gpu_lock_folder();
  if (uuid.empty() || folder.empty())
    return true;
  GpuLock& lock = locks_.try_emplace(uuid, folder, uuid).first->second;
  try {
    if (lock.take())
      return true;
  } catch (const Error&) {
    return true;
  }
  const std::string why = "it is in use by " + lock.holder() + " on its machine";
  for (const Message& said :
       {Message(Hello{std::string(version()), "", ""}), Message(WorkRefused{why, true})})
    news_.push_back({LetterKind::data, line, encode(said)});
  news_.push_back({LetterKind::ended, line, content_of(LineEnd{0, 1})});
  return false;
}

void Host::start(std::uint64_t line, const LineStart& wanted) {
  if (!lock(line, wanted.lock))
    return;
  try {
    if (wanted.program != "gridsmith-worker" && wanted.program != "gridsmith-compiler")
      throw HelperError(wanted.program + " is none of our programs");
    std::unique_ptr<RunFolder> folder;
    const auto arguments = arguments_here(wanted.arguments, folder);
    ChildProcess child = ChildProcess::start(helpers_ / wanted.program, arguments);
    programs_.emplace(line, Program{std::move(folder), std::move(child)});
  } catch (const std::exception&) { // HelperError, std::system_error
    news_.push_back({LetterKind::ended, line, content_of(not_started)});
  }
}

void Host::take(const Letter& letter) {
  try {
    if (letter.kind == LetterKind::start)
      return start(letter.line, read_content<LineStart>(letter.content));
    if (letter.kind ==
        LetterKind::shortened) // what it was sent for a program that has ended counts
      return take({LetterKind::data, letter.line, heard_.lengthen(letter.content)});
  } catch (const ProtocolError&) { // its line ends, the others go on
    programs_.erase(letter.line);
    return news_.push_back({LetterKind::ended, letter.line, content_of(not_started)});
  }
  const auto found = programs_.find(letter.line);
  if (found == programs_.end())
    return; // it has ended meanwhile
  if (letter.kind == LetterKind::close)
    programs_.erase(found);
  else if (letter.kind == LetterKind::data)
    found->second.child.send_bytes(letter.content);
}

void Host::add_descriptors(std::vector<pollfd>& descriptors) const {
  for (const auto& [line, program] : programs_)
    descriptors.push_back({program.child.descriptor(),
                           static_cast<short>(POLLIN | (program.child.has_unsent() ? POLLOUT : 0)),
                           0});
}

std::vector<Letter> Host::work() {
  for (auto at = programs_.begin(); at != programs_.end();) {
    ChildProcess& child = at->second.child;
    const bool alive = child.receive();
    if (child.unread() > 0) {
      const std::string said = child.take_text();
      news_.push_back({LetterKind::data, at->first, Bytes(said.begin(), said.end())});
    }
    if (alive) {
      child.send_rest();
      ++at;
      continue;
    }
    child.reap();
    news_.push_back(
        {LetterKind::ended, at->first, content_of(LineEnd{child.end_signal(), child.exit_code()})});
    at = programs_.erase(at);
  }
  return std::exchange(news_, {});
}

AgentReport agent_report(const std::filesystem::path& helpers, std::size_t index,
                         std::size_t count) {
  AgentReport report;
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  report.host = name.data();
  report.version = version();
  report.cores = std::max<std::size_t>(1, std::thread::hardware_concurrency() / count);
  const DeviceList list = query_devices(helpers);
  report.reason = list.reason;
  for (const Device& device : list.devices)
    if (static_cast<std::size_t>(device.ordinal) % count == index)
      report.devices.push_back(device);
  if (report.devices.empty() && report.reason.empty())
    report.reason = "other ranks on this machine have its GPUs";
  return report;
}

} // namespace gridsmith
