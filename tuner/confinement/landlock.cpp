// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/confinement/landlock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

// Debian's linux/landlock.h knows version 2, kernels in use know 7: the numbers are ours, from
// Documentation/userspace-api/landlock.rst. They are part of the kernel's stable interface.

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

constexpr long create_ruleset = 444, add_rule = 445, restrict_self = 446; // system calls
constexpr std::uint32_t ask_version = 1;                                  // flag of create_ruleset
constexpr int rule_path_beneath = 1;

using Rights = std::uint64_t;

constexpr Rights execute = 1 << 0, write_file = 1 << 1, read_file = 1 << 2, read_dir = 1 << 3;
constexpr Rights first_13 = (1 << 13) - 1; // those and: remove and make entries of each kind
constexpr Rights refer = 1 << 13;          // version 2: move and link between folders
constexpr Rights truncate_file = 1 << 14;  // 3
constexpr Rights ioctl_dev = 1 << 15;      // 5
constexpr Rights all_tcp = 3;              // 4: bind, connect
constexpr Rights all_scopes = 3;           // 6: abstract sockets, signals to processes outside

/// What the kernel is to restrict (struct landlock_ruleset_attr).
struct Ruleset {
  Rights files = 0, network = 0, scopes = 0;
};

struct [[gnu::packed]] BeneathRule {
  Rights access;
  std::int32_t folder;
};

/// What that version can restrict, and how many bytes of it the kernel takes.
Ruleset ruleset_of(int version, const Wall& wall, std::size_t& bytes) {
  Ruleset rules{.files = first_13};
  rules.files |= version >= 2 ? refer : 0;
  rules.files |= version >= 3 ? truncate_file : 0;
  rules.files |= version >= 5 ? ioctl_dev : 0;
  if (!wall.network) {
    rules.network = version >= 4 ? all_tcp : 0;
    rules.scopes = version >= 6 ? all_scopes : 0;
  }
  bytes = (version >= 6 ? 3 : version >= 4 ? 2 : 1) * sizeof(std::uint64_t);
  return rules;
}

/// What is not there needs no rule.
void allow(int rules, const fs::path& path, Rights access) {
  const int opened = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (opened < 0)
    return;
  struct stat facts{};
  if (::fstat(opened, &facts) == 0 && !S_ISDIR(facts.st_mode))
    access &= execute | write_file | read_file | truncate_file | ioctl_dev; // else EINVAL
  const BeneathRule rule{access, opened};
  ::syscall(add_rule, rules, rule_path_beneath, &rule, 0);
  ::close(opened);
}

} // namespace

LandlockAnswer restrict_files(const Wall& wall) {
  const auto missing = [](const char* what) {
    const bool absent = errno == ENOSYS || errno == EOPNOTSUPP;
    return LandlockAnswer{0, absent ? std::string("this system has no Landlock")
                                    : std::string(what) + ": " + std::strerror(errno)};
  };
  const auto version = static_cast<int>(::syscall(create_ruleset, nullptr, 0, ask_version));
  if (version < 1)
    return missing("Landlock");
  std::size_t bytes = 0;
  const Ruleset rules = ruleset_of(version, wall, bytes);
  const auto opened = static_cast<int>(::syscall(create_ruleset, &rules, bytes, 0));
  if (opened < 0)
    return missing("Landlock's rules");
  for (const fs::path& path : wall.readable)
    allow(opened, path, read_file | read_dir);
  for (const fs::path& path : wall.programs)
    allow(opened, path, execute | read_file);
  for (const fs::path& path : wall.writable)
    allow(opened, path, rules.files & ~execute);
  const long done = ::syscall(restrict_self, opened, 0);
  const LandlockAnswer answer = done == 0 ? LandlockAnswer{version, ""} : missing("Landlock");
  ::close(opened);
  return answer;
}

} // namespace gridsmith
