// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/store/writer_host.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/results/database/database.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

namespace gridsmith {
namespace {

struct FileSystem {
  unsigned type;
  std::string_view name;
};

constexpr std::array file_systems{
    FileSystem{0x6969, "NFS"},        FileSystem{0x517B, "SMB"},
    FileSystem{0xFF534D42, "CIFS"},   FileSystem{0xFE534D42, "SMB"},
    FileSystem{0x0BD00BD0, "Lustre"}, FileSystem{0x47504653, "GPFS"},
    FileSystem{0x19830326, "BeeGFS"}, FileSystem{0x00C36400, "Ceph"},
    FileSystem{0x5346414F, "AFS"},    FileSystem{0x01021997, "9P"},
    FileSystem{0xAAD7AAEA, "PanFS"},  FileSystem{0x20030528, "OrangeFS"},
    FileSystem{0x01161970, "GFS2"},   FileSystem{0x7461636F, "OCFS2"},
    FileSystem{0x73757245, "Coda"}};

std::atomic<unsigned> made{0}; // in this process: a process may write to a store by several objects

/// Holds the file while its lines are read and written, against the others of this machine.
class Lines {
public:
  explicit Lines(const std::filesystem::path& file)
      : file_(file), descriptor_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0)
      throw StoreError(StoreError::Kind::io,
                       fmt::format("{}: {}", file.string(), std::strerror(errno)));
    ::flock(descriptor_, LOCK_EX); // where the file system has no locks, it is written all the same
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
      if (!line.empty())
        lines.push_back(line);
  }

  ~Lines() { ::close(descriptor_); }

  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  void write() const {
    if (lines.empty()) {
      ::unlink(file_.c_str());
      return;
    }
    std::string text;
    for (const std::string& line : lines)
      text += line + '\n';
    if (::ftruncate(descriptor_, 0) != 0 ||
        ::pwrite(descriptor_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
      throw StoreError(StoreError::Kind::io,
                       fmt::format("{}: {}", file_.string(), std::strerror(errno)));
    ::fsync(descriptor_);
  }

  std::vector<std::string> lines; ///< "host process number"

private:
  std::filesystem::path file_;
  int descriptor_;
};

bool lives(int process) {
  return ::kill(process, 0) == 0 || errno == EPERM;
}

} // namespace

std::string_view network_file_system(long type) {
  for (const FileSystem& one : file_systems)
    if (one.type == static_cast<unsigned>(type))
      return one.name;
  return "";
}

std::string_view network_file_system_of(const std::filesystem::path& file) {
  std::error_code error;
  const auto folder = std::filesystem::absolute(file, error).parent_path();
  struct statfs facts{};
  return ::statfs(folder.c_str(), &facts) == 0 ? network_file_system(facts.f_type) : "";
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

WriterHost::WriterHost(const std::filesystem::path& store, std::string host, std::string_view kind)
    : file_(store.string() + "-writers"),
      line_(fmt::format("{} {} {}", host, ::getpid(), made.fetch_add(1))) {
  Lines held(file_);
  std::vector<std::string> left;
  for (const std::string& line : held.lines) {
    std::istringstream words(line);
    std::string other;
    int process = 0;
    words >> other >> process;
    if (other != host)
      throw InputError(fmt::format(
          "{}: is on {}, and {} writes to it: one machine at a time may; where that one has ended, "
          "remove {}",
          store.string(), kind, other, file_.string()));
    if (lives(process))
      left.push_back(line);
  }
  left.push_back(line_);
  held.lines = std::move(left);
  held.write();
}

WriterHost::~WriterHost() {
  if (file_.empty())
    return;
  try {
    Lines held(file_);
    std::erase(held.lines, line_);
    held.write();
  } catch (const StoreError&) { // the folder is gone: so is what we said
  }
}

WriterHost::WriterHost(WriterHost&& other) noexcept
    : file_(std::exchange(other.file_, {})), line_(std::move(other.line_)) {
}

WriterHost& WriterHost::operator=(WriterHost&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(line_, other.line_);
  return *this;
}

} // namespace gridsmith
