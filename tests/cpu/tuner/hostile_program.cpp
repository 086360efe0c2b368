// SPDX-License-Identifier: Apache-2.0
// A stand-in for a compiler that was taken over: tries what the wall is there to prevent, and says
// how each attempt ended as "NAME ERRNO" lines (0: it worked).
//   hostile_program compiler|nvcc|worker|free RUN_FOLDER READABLE OUTSIDE
// the first word says whose wall it is behind.
// OUTSIDE is a folder with the files secret, victim and doomed.
#include "gridsmith/tuner/compiler/nvcc/started_program.hpp"
#include "gridsmith/tuner/confinement/wall.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

using Attempt = std::function<long()>; // as a system call: negative and errno

void attempt(const char* name, const Attempt& act) {
  errno = 0;
  const long result = act();
  std::printf("%s %d\n", name, result < 0 ? errno : 0);
  std::fflush(stdout);
}

/// Opens, and does nothing with it.
long opened(const std::string& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  return file < 0 ? file : ::close(file);
}

/// Whether a child becomes this program and ends well.
long started(const std::string& program) {
  const pid_t child = ::fork();
  if (child == 0) {
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, STDIN_FILENO);
    ::execl(program.c_str(), program.c_str(), nullptr);
    ::_exit(errno);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) < 0)
    return -1;
  errno = WIFEXITED(status) ? WEXITSTATUS(status) : EFAULT;
  return errno == 0 ? 0 : -1;
}

long closed(long descriptor) {
  return descriptor < 0 ? descriptor : ::close(static_cast<int>(descriptor));
}

/// Two sockets from before the wall: one that listens, one that is about to connect to it.
struct Sockets {
  int listening = ::socket(AF_INET, SOCK_STREAM, 0), calling = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};

  Sockets() {
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (::bind(listening, generic(), length) != 0)
      return;
    ::listen(listening, 1);
    ::getsockname(listening, generic(), &length);
  }

  sockaddr* generic() { return reinterpret_cast<sockaddr*>(&address); }
};

/// The other end of a terminal that is this process's own: it leads a session without one.
int own_terminal() {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0)
    return -1;
  const int terminal = ::open(::ptsname(master), O_RDWR);
  ::ioctl(terminal, TIOCSCTTY, 0);
  return terminal;
}

/// What was there before the wall.
struct Inherited {
  Sockets sockets;
  int terminal = own_terminal(), file = -1;
  int memory = ::shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);

  explicit Inherited(const std::string& readable)
      : file(::open((readable + "/header.h").c_str(), O_RDONLY | O_CLOEXEC)) {}

  ~Inherited() { ::shmctl(memory, IPC_RMID, nullptr); }

  Inherited(const Inherited&) = delete;
  Inherited& operator=(const Inherited&) = delete;
};

void try_files(const std::string& run, const std::string& readable, const std::string& outside) {
  attempt("allowed_read", [&] { return opened(readable + "/header.h", O_RDONLY); });
  attempt("allowed_write", [&] { return opened(run + "/new", O_WRONLY | O_CREAT); });
  attempt("write_new", [&] { return opened(outside + "/new", O_WRONLY | O_CREAT); });
  attempt("write_readable", [&] { return opened(readable + "/new", O_WRONLY | O_CREAT); });
  attempt("append", [&] { return opened(outside + "/victim", O_WRONLY | O_APPEND); });
  attempt("read", [&] { return opened(outside + "/secret", O_RDONLY); });
  attempt("read_system", [] { return opened("/etc/passwd", O_RDONLY); });
  attempt("read_by_proc",
          [&] { return opened("/proc/self/root" + outside + "/secret", O_RDONLY); });
  attempt("list", [&] { return opened(outside, O_RDONLY | O_DIRECTORY); });
  attempt("truncate", [&] { return ::truncate((outside + "/victim").c_str(), 0); });
  attempt("make_folder", [&] { return ::mkdir((outside + "/folder").c_str(), 0700); });
  attempt("make_link", [&] { return ::symlink("/", (outside + "/link").c_str()); });
  attempt("hard_link",
          [&] { return ::link((outside + "/secret").c_str(), (run + "/secret").c_str()); });
  attempt("move_out", [&] { return ::rename((run + "/new").c_str(), (outside + "/in").c_str()); });
  attempt("remove", [&] { return ::unlink((outside + "/doomed").c_str()); });
  attempt("change_mode", [&] { return ::chmod((outside + "/victim").c_str(), 0666); });
  attempt("change_times",
          [&] { return ::utimensat(AT_FDCWD, (outside + "/victim").c_str(), nullptr, 0); });
  attempt("grow", [&] { // in its own folder, past what a file may have
    const int file = ::open((run + "/long").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const long put = ::pwrite(file, "x", 1, 1L << 30);
    const int error = errno;
    ::close(file);
    ::unlink((run + "/long").c_str());
    errno = error;
    return put;
  });
}

/// As the user's shell would read it; and the same with bits that the kernel does not look at.
void try_terminal(int terminal) {
  attempt("type", [&] { return ::ioctl(terminal, TIOCSTI, "x"); });
  attempt("type_by_other_number",
          [&] { return ::syscall(SYS_ioctl, terminal, (1UL << 32) | TIOCSTI, "x"); });
  attempt("exclude_others", [&] {
    const int done = ::ioctl(terminal, TIOCEXCL);
    return done < 0 ? done : ::ioctl(terminal, TIOCNXCL);
  });
  attempt("hide_typing", [&] {
    termios now{};
    const int known = ::tcgetattr(terminal, &now);
    return known < 0 ? known : ::tcsetattr(terminal, TCSANOW, &now); // as they are
  });
}

void try_neighbours(const Inherited& inherited) {
  attempt("set_flags", [&] { // as they are
    int flags = 0;
    const int known = ::ioctl(inherited.file, FS_IOC_GETFLAGS, &flags);
    return known < 0 ? known : ::ioctl(inherited.file, FS_IOC_SETFLAGS, &flags);
  });
  attempt("slow_down", [] {
    const auto parent = static_cast<id_t>(::getppid());
    return ::setpriority(PRIO_PROCESS, parent, ::getpriority(PRIO_PROCESS, parent));
  });
  attempt("pin", [] {
    cpu_set_t all;
    const int known = ::sched_getaffinity(::getppid(), sizeof all, &all);
    return known < 0 ? known : ::sched_setaffinity(::getppid(), sizeof all, &all);
  });
  attempt("schedule", [] {
    const sched_param parameters{};
    return ::sched_setscheduler(::getppid(), SCHED_OTHER, &parameters);
  });
  attempt("watch_files", [] { return closed(::inotify_init1(IN_CLOEXEC)); });
  attempt("uncounted_memory", [] {
    void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? -1L : static_cast<long>(::munmap(memory, 4096));
  });
  attempt("file_in_memory", [] { return closed(::syscall(SYS_memfd_create, "file", 1)); });
  attempt("remove_memory", [&] { return ::shmctl(inherited.memory, IPC_RMID, nullptr); });
}

void try_network(Sockets& sockets) {
  attempt("connect",
          [&] { return ::connect(sockets.calling, sockets.generic(), sizeof sockets.address); });
  attempt("socket", [] { return closed(::socket(AF_INET, SOCK_STREAM, 0)); });
  attempt("unix_socket", [] { return closed(::socket(AF_UNIX, SOCK_STREAM, 0)); });
}

void try_processes() {
  attempt("allowed_thread", [] {
    std::thread([] {}).join();
    return 0;
  });
  attempt("fork", [] {
    const pid_t child = ::fork();
    if (child == 0)
      ::_exit(0);
    return child < 0 ? -1L : static_cast<long>(::waitpid(child, nullptr, 0));
  });
  attempt("trace", [] { return ::ptrace(PTRACE_SEIZE, ::getppid(), nullptr, nullptr); });
  attempt("read_memory", [] {
    char byte = 0;
    iovec ours{&byte, 1}, theirs{&errno, 1}; // an address of ours: EFAULT there, not EPERM
    const long got = ::process_vm_readv(::getppid(), &ours, 1, &theirs, 1, 0);
    return got < 0 && errno == EFAULT ? 0 : got;
  });
  attempt("signal", [] { return ::kill(::getppid(), 0); });
  attempt("signal_by_file", [] { return ::fcntl(STDIN_FILENO, F_SETOWN, ::getppid()); });
}

void try_system(const std::string& run) {
  attempt("mount", [&] {
    const int done = ::mount("none", run.c_str(), "tmpfs", 0, nullptr);
    return done < 0 ? done : ::umount2(run.c_str(), MNT_DETACH);
  });
  attempt("unshare", [] { return ::unshare(CLONE_NEWNS); });
  attempt("userfaultfd", [] { return closed(::syscall(SYS_userfaultfd, O_CLOEXEC)); });
  attempt("io_uring", [] {
    char parameters[256] = {};
    return closed(::syscall(SYS_io_uring_setup, 1, parameters));
  });
  attempt("bpf", [] {
    struct { // BPF_MAP_CREATE of an array: type, bytes of key and value, entries
      std::uint32_t type = 2, key = 4, value = 4, entries = 1;
      char rest[112] = {};
    } map;
    return closed(::syscall(SYS_bpf, 0, &map, sizeof map));
  });
  attempt("no_randomisation", [] { return ::personality(ADDR_NO_RANDOMIZE); });
  attempt("limits", [] {
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    return ::setrlimit(RLIMIT_FSIZE, &limit);
  });
}

} // namespace

int main(int count, char** words) {
  if (count != 5)
    return 2;
  const std::string run = words[2], readable = words[3], outside = words[4];
  Inherited inherited(readable);
  const std::filesystem::path loader = gridsmith::program_loader();
  const std::string whose = words[1];
  if (whose != "free") {
    const auto stands = gridsmith::confine(
        whose == "worker" ? gridsmith::worker_wall()
        : whose == "nvcc"
            ? gridsmith::compiler_wall({readable, "/lib", "/usr/lib", "/lib64"}, run,
                                       {std::filesystem::canonical("/bin/true"), loader})
            : gridsmith::compiler_wall({readable}, run));
    std::printf("landlock %d\nseccomp %d\n", stands.landlock, stands.system_calls ? 1 : 0);
  }
  try_files(run, readable, outside);
  try_network(inherited.sockets);
  try_terminal(inherited.terminal);
  try_processes();
  try_neighbours(inherited);
  try_system(run);
  attempt("start_named", [] { return started("/bin/true"); });
  attempt("start_other", [] { return started("/bin/cat"); });
  attempt("start_written", [&] {
    const int file = ::open((run + "/made").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
    const long put = ::write(file, "#!/bin/true\n", 12);
    ::close(file);
    return put < 0 ? put : started(run + "/made");
  });
  attempt("namespace", [] {
    const long child =
        ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
    if (child == 0)
      ::_exit(0);
    return child < 0 ? -1L : static_cast<long>(::waitpid(static_cast<pid_t>(child), nullptr, 0));
  });
  attempt("exec", [] { return ::execl("/bin/echo", "echo", "exec", "0", nullptr); });
  ::_exit(0); // a leak checker could not trace behind the wall
}
