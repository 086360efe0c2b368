// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/gpu/gpu_lock.hpp"

#include "gridsmith/base/safe_text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

namespace gridsmith {
namespace {

using namespace std::chrono_literals;

constexpr auto between_tries = 100ms;
constexpr std::size_t longest_holder = 120; // characters

/// Users must agree on the folder, so it is chosen by what it is and not by who asks.
bool shared_by_all(const char* folder) {
  struct stat status{};
  constexpr mode_t wanted = S_ISVTX | S_IRWXU | S_IRWXG | S_IRWXO;
  return ::lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) &&
         (status.st_mode & wanted) == wanted;
}

std::string file_name(const std::string& uuid) {
  std::string name = uuid;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c) && c != '-'; }, '_');
  return "gridsmith-" + name + ".lock";
}

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& why) {
  throw Error(fmt::format("{}: {}", file.string(), why));
}

/// Never through a link. Opened before it is made: where a folder is sticky, the system refuses to
/// make what another user has made already.
int open_shared(const std::filesystem::path& file) {
  constexpr int how = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  for (int tries = 0; tries < 10; ++tries) {
    for (const int access : {O_RDWR, O_RDONLY}) // the owner may have a strict umask
      if (const int found = ::open(file.c_str(), access | how); found >= 0)
        return found;
      else if (errno != EACCES)
        break;
    if (errno != ENOENT)
      break;
    if (const int made = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | how, 0666); made >= 0) {
      ::fchmod(made, 0666); // for all users, whatever the umask
      return made;
    }
    if (errno != EEXIST)
      break;
  }
  fail(file, std::strerror(errno));
}

/// Whether the name still leads to what was opened: who gives the lock back removes the file.
bool is_current(int descriptor, const std::filesystem::path& file) {
  struct stat opened{}, named{};
  return ::fstat(descriptor, &opened) == 0 && ::lstat(file.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

std::string user_name() {
  std::array<char, 4096> buffer{};
  passwd entry{}, *found = nullptr;
  ::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found);
  return found ? found->pw_name : std::to_string(::geteuid());
}

std::string program_name() {
  std::string name;
  std::getline(std::ifstream("/proc/self/comm"), name);
  return name.empty() ? "a program" : name;
}

void sign(int descriptor) {
  const std::string text =
      fmt::format("{} (pid {}, user {})\n", program_name(), ::getpid(), user_name());
  // Only shown, and what stands there instead is no worse.
  [[maybe_unused]] const bool signed_it =
      ::ftruncate(descriptor, 0) == 0 &&
      ::pwrite(descriptor, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

} // namespace

std::filesystem::path gpu_lock_folder() {
  for (const char* folder : {"/run/lock", "/tmp"})
    if (shared_by_all(folder))
      return folder;
  return {};
}

GpuLock::GpuLock(const std::filesystem::path& folder, const std::string& uuid)
    : file_(folder / file_name(uuid)) {
}

GpuLock::~GpuLock() {
  if (descriptor_ < 0)
    return;
  ::unlink(file_.c_str()); // before it is given back; another user's file stays
  ::close(descriptor_);
}

bool GpuLock::take() {
  if (descriptor_ >= 0)
    return true;
  while (true) {
    const int descriptor = open_shared(file_);
    struct stat status{};
    const bool plain = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
                       status.st_nlink <= 1; // written to, so it must have no other name
    const bool locked = plain && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    const int error = errno;
    if (locked && is_current(descriptor, file_)) {
      descriptor_ = descriptor;
      sign(descriptor);
      return true;
    }
    ::close(descriptor);
    if (!plain)
      fail(file_, "is no plain file");
    if (!locked && error != EWOULDBLOCK && error != EINTR)
      fail(file_, std::strerror(error));
    if (!locked)
      return false;
  }
}

std::string GpuLock::holder() const {
  const int descriptor = ::open(file_.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  std::array<char, longest_holder> text{};
  const ssize_t length = descriptor < 0 ? 0 : ::pread(descriptor, text.data(), text.size(), 0);
  if (descriptor >= 0)
    ::close(descriptor);
  std::string said(text.data(), static_cast<std::size_t>(std::max<ssize_t>(0, length)));
  said = printable(said.substr(0, said.find('\n')));
  return said.empty() ? "another Gridsmith" : said;
}

GpuLease::GpuLease(const Device& device, bool share,
                   const std::function<void(const std::string&)>& note, const std::stop_token& stop,
                   const std::filesystem::path& folder) {
  if (device.uuid.empty() || folder.empty())
    return;
  const std::string gpu = fmt::format("GPU {} ({})", device.ordinal, device.name);
  const auto say = [&](const std::string& line) {
    if (note)
      note(line);
  };
  lock_.emplace(folder, device.uuid);
  try {
    if (lock_->take())
      return;
    alone_ = !share;
    say(fmt::format("{} is in use by {}; {}", gpu, lock_->holder(),
                    share ? "measuring at the same time (--share) disturbs the times of both, and "
                            "no counters are read"
                          : "waiting for it (--share does not wait)"));
    while (!share && !lock_->take()) {
      if (stop.stop_requested())
        throw StoppedWaiting("stopped while another Gridsmith had the GPU");
      std::this_thread::sleep_for(between_tries);
    }
  } catch (const StoppedWaiting&) {
    throw;
  } catch (const Error& error) {
    say(fmt::format("another Gridsmith on {} would not be noticed: {}", gpu, error.what()));
  }
}

} // namespace gridsmith
