// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/confinement/system_calls.hpp"

#ifdef GRIDSMITH_HAVE_SECCOMP

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>

namespace gridsmith {
namespace {

/// A call by its name; by its number where it is younger than the library (libseccomp 2.5.4 knows
/// those of Linux 5.17). From 424 on all machines have the same numbers.
struct Call {
  const char* name;
  int number = 0;
};

/// Other processes, the kernel, the mounts: nobody here needs them.
constexpr Call always_refused[] = {
    {"ptrace"},
    {"process_vm_readv"},
    {"process_vm_writev"},
    {"pidfd_getfd"},
    {"kcmp"},
    {"bpf"},
    {"userfaultfd"},
    {"io_uring_setup"},
    {"io_uring_enter"},
    {"io_uring_register"},
    {"mount"},
    {"umount2"},
    {"pivot_root"},
    {"chroot"},
    {"move_mount"},
    {"open_tree"},
    {"open_tree_attr", 467},
    {"fsopen"},
    {"fsmount"},
    {"fsconfig"},
    {"fspick"},
    {"mount_setattr"},
    {"unshare"},
    {"setns"},
    {"open_by_handle_at"},
    {"name_to_handle_at"},
    {"init_module"},
    {"finit_module"},
    {"delete_module"},
    {"kexec_load"},
    {"kexec_file_load"},
    {"reboot"},
    {"swapon"},
    {"swapoff"},
    {"acct"},
    {"quotactl"},
    {"quotactl_fd"},
    {"settimeofday"},
    {"clock_settime"},
    {"clock_adjtime"},
    {"adjtimex"},
    {"sethostname"},
    {"setdomainname"},
    {"add_key"},
    {"request_key"},
    {"keyctl"},
    {"personality"}, // address randomisation stays on
    {"iopl"},
    {"ioperm"},
    {"syslog"},
    {"vhangup"},
    {"fanotify_init"},
};

/// As termios sets them with speeds of any number; the header that names them excludes the usual one.
constexpr unsigned tcsets2 = 0x402c542b, tcsetsw2 = 0x402c542c, tcsetsf2 = 0x402c542d;

/// What types into the user's terminal, takes it, or changes it for all. No file, GPU or socket has these.
constexpr unsigned of_terminals[] = {
    TIOCSTI, TIOCLINUX, TIOCSCTTY, TIOCCONS, TIOCSETD, TIOCVHANGUP, TIOCNXCL,   TIOCEXCL,
    TCSETS,  TCSETSW,   TCSETSF,   tcsets2,  tcsetsw2, tcsetsf2,    TIOCSWINSZ,
};

/// With these a file that becomes readable sends another process any signal.
constexpr unsigned of_owners[] = {F_SETOWN, F_SETOWN_EX, F_SETSIG};

/// To talk with other processes: sockets, memory, semaphores and queues of System V and POSIX.
constexpr Call of_network[] = {
    {"socket"},       {"socketpair"},
    {"connect"},      {"bind"},
    {"listen"},       {"accept"},
    {"accept4"},      {"shmget"},
    {"shmat"},        {"shmctl"},
    {"semget"},       {"semop"},
    {"semtimedop"},   {"semctl"},
    {"msgget"},       {"msgsnd"},
    {"msgrcv"},       {"msgctl"},
    {"mq_open"},      {"mq_unlink"},
    {"memfd_create"}, {"memfd_secret", 447},
};

/// And clone without threads.
constexpr Call of_programs[] = {{"execve"}, {"execveat"}, {"fork"}, {"vfork"}};

/// Namespaces, which clone makes too; clone3, whose flags a filter cannot see, is refused as if it were not
/// there: glibc uses clone then.
constexpr unsigned of_namespaces[] = {CLONE_NEWUSER, CLONE_NEWNS,  CLONE_NEWPID,   CLONE_NEWNET,
                                      CLONE_NEWIPC,  CLONE_NEWUTS, CLONE_NEWCGROUP};

constexpr Call of_neighbours[] = {
    {"pidfd_send_signal"},
    {"rt_sigqueueinfo"},
    {"rt_tgsigqueueinfo"},
    {"tkill"},
    {"perf_event_open"},
    {"setpriority"},
    {"ioprio_set"},
    {"sched_setaffinity"},
    {"sched_setattr"},
    {"sched_setparam"},
    {"sched_setscheduler"},
    {"move_pages"},
    {"migrate_pages"},
    {"process_madvise", 440},
    {"process_mrelease", 448},
};

/// What Landlock does not see: mode, owner, times and attributes of files anywhere, and who uses them.
/// Flags of a file (immutable, …) are set by an ioctl of any descriptor, so that none is allowed.
constexpr Call of_foreign_files[] = {
    {"chmod"},
    {"fchmod"},
    {"fchmodat"},
    {"fchmodat2", 452},
    {"chown"},
    {"fchown"},
    {"lchown"},
    {"fchownat"},
    {"utime"},
    {"utimes"},
    {"futimesat"},
    {"utimensat"},
    {"setxattr"},
    {"lsetxattr"},
    {"fsetxattr"},
    {"setxattrat", 463},
    {"removexattr"},
    {"lremovexattr"},
    {"fremovexattr"},
    {"removexattrat", 466},
    {"file_setattr", 469},
    {"inotify_init"},
    {"inotify_init1"},
    {"ioctl"},
    {"setrlimit"},
};

struct Release {
  void operator()(void* filter) const { seccomp_release(filter); }
};

/// Collects the first error.
class Filter {
public:
  Filter() : filter_(seccomp_init(SCMP_ACT_ALLOW)) {
    if (!filter_)
      error_ = ENOMEM;
  }

  void refuse(std::span<const Call> calls) {
    for (const Call& call : calls)
      refuse(call, EPERM);
  }

  /// Where the conditions hold.
  template <class... Condition>
  void refuse(const Call& call, int answer, const Condition&... condition) {
    int number = seccomp_syscall_resolve_name(call.name);
    if (number == __NR_SCMP_ERROR)
      number = call.number;
    if (number == 0 || error_ != 0)
      return; // not of this machine
    const int done = seccomp_rule_add(filter_.get(), SCMP_ACT_ERRNO(static_cast<unsigned>(answer)),
                                      number, sizeof...(condition), condition...);
    if (done != 0 && done != -EDOM) // EDOM: not of this machine
      error_ = -done;
  }

  int load() {
    if (error_ == 0)
      error_ = -seccomp_load(filter_.get());
    return error_;
  }

private:
  std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, Release> filter_;
  int error_ = 0;
};

} // namespace

std::string restrict_system_calls(const Wall& wall) {
  Filter filter;
  filter.refuse(always_refused);
  const scmp_arg_cmp of_others{0, SCMP_CMP_NE, static_cast<scmp_datum_t>(::getpid()), 0};
  // Of an ioctl's number the kernel reads 32 bits, a filter sees 64.
  for (const unsigned number : of_terminals)
    filter.refuse({"ioctl"}, EPERM, scmp_arg_cmp{1, SCMP_CMP_MASKED_EQ, 0xffffffff, number});
  if (!wall.network) {
    filter.refuse(of_network);
    // Memory that is counted nowhere, and that only a child could share.
    constexpr scmp_datum_t shared_by_none = MAP_SHARED | MAP_ANONYMOUS;
    filter.refuse({"mmap"}, EPERM,
                  scmp_arg_cmp{3, SCMP_CMP_MASKED_EQ, shared_by_none, shared_by_none});
  }
  if (wall.programs.empty()) {
    filter.refuse(of_programs);
    filter.refuse({"clone"}, EPERM, scmp_arg_cmp{0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0});
  }
  if (!wall.neighbours) {
    filter.refuse(of_neighbours);
    for (const unsigned made : of_namespaces)
      filter.refuse({"clone"}, EPERM, scmp_arg_cmp{0, SCMP_CMP_MASKED_EQ, made, made});
    filter.refuse({"clone3"}, ENOSYS);
    for (const unsigned command : of_owners)
      filter.refuse({"fcntl"}, EPERM, scmp_arg_cmp{1, SCMP_CMP_MASKED_EQ, 0xffffffff, command});
    filter.refuse({"kill"}, EPERM, of_others);
    filter.refuse({"tgkill"}, EPERM, of_others);
  }
  if (!wall.foreign_files) {
    filter.refuse(of_foreign_files);
    filter.refuse({"prlimit64"}, EPERM, scmp_arg_cmp{2, SCMP_CMP_NE, 0, 0}); // asking stays
  }
  const int error = filter.load();
  return error == 0 ? "" : std::string("seccomp: ") + std::strerror(error);
}

} // namespace gridsmith

#else

namespace gridsmith {

std::string restrict_system_calls(const Wall&) {
  return "built without libseccomp";
}

} // namespace gridsmith

#endif
