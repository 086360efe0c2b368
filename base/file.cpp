// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/base/file.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/file_kind.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

struct CloseGzip {
  void operator()(gzFile_s* file) const { gzclose(file); }
};

using Gzip = std::unique_ptr<gzFile_s, CloseGzip>;

constexpr std::size_t chunk_bytes = std::size_t{1} << 16; // zlib's own default of 8 KiB is slow

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw InputError(file.string() + ": " + why);
}

[[noreturn]] void refuse_opening(const fs::path& file, int error) {
  refuse(file, std::string("cannot be written: ") + std::strerror(error));
}

/// An open file; closing is checked where it matters.
class Descriptor {
public:
  explicit Descriptor(int number) : number_(number) {}

  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

  ~Descriptor() {
    if (number_ >= 0)
      ::close(number_);
  }

  explicit operator bool() const { return number_ >= 0; }

  /// @throws Error naming the file
  void write(const std::string& bytes, const fs::path& file) const {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t put = ::write(number_, bytes.data() + done, bytes.size() - done);
      if (put < 0 && errno == EINTR)
        continue;
      if (put < 0)
        fail(file);
      done += static_cast<std::size_t>(put);
    }
  }

  /// @throws Error naming the file
  void close_synced(const fs::path& file) {
    if (::fsync(number_) < 0 && errno != EINVAL && errno != EROFS) // some file systems have none
      fail(file);
    if (::close(std::exchange(number_, -1)) < 0)
      fail(file);
  }

  int number() const { return number_; }

private:
  [[noreturn]] static void fail(const fs::path& file) {
    throw Error(file.string() + ": cannot be written: " + std::strerror(errno));
  }

  int number_;
};

/// Where the bytes go, links followed.
struct Target {
  fs::path path;
  bool written_to = false; ///< a device, a pipe, a descriptor: not replaced
};

/// @throws InputError: a folder, links in a circle.
Target target_of(const fs::path& file) {
  constexpr int most_links = 40; // as Linux follows
  if (file.empty())
    throw InputError("a file without a name cannot be written");
  if (file.filename().empty())
    refuse_opening(file, EISDIR);
  Target target{file, false};
  for (int links = 0;; ++links) {
    std::error_code error;
    const fs::path folder = fs::canonical(
        target.path.has_parent_path() ? target.path.parent_path() : fs::path("."), error);
    const std::string at = folder.string() + "/";
    target.written_to = at.starts_with("/proc/") || at.starts_with("/dev/fd/");
    if (target.written_to || !fs::is_symlink(target.path, error))
      break;
    if (links == most_links)
      refuse_opening(file, ELOOP);
    target.path = folder / fs::read_symlink(target.path, error);
  }
  struct stat found{};
  if (::stat(target.path.c_str(), &found) < 0)
    return target;
  if (S_ISDIR(found.st_mode))
    refuse_opening(file, EISDIR);
  target.written_to = target.written_to || !S_ISREG(found.st_mode);
  return target;
}

/// A file that will take the place of another, removed unless it does.
class Beside {
public:
  /// @throws InputError naming the wanted file
  Beside(const fs::path& target, const fs::path& wanted)
      : target_(target), descriptor_(create(wanted)) {}

  ~Beside() {
    if (!path_.empty())
      ::unlink(path_.c_str());
  }

  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  /// @throws Error naming the wanted file
  void replace(const std::string& bytes, const fs::path& wanted) {
    keep_owner();
    descriptor_.write(bytes, wanted);
    descriptor_.close_synced(wanted);
    if (::rename(path_.c_str(), target_.c_str()) < 0)
      throw Error(wanted.string() + ": cannot be written: " + std::strerror(errno));
    path_.clear();
    const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
    const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (opened)
      ::fsync(opened.number()); // the name too; the content is safe without
  }

private:
  Descriptor create(const fs::path& wanted) {
    for (int number = 0;; ++number) {
      path_ = fmt::format("{}.{}.{}.part", target_.string(), ::getpid(), number);
      Descriptor made(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      if (made)
        return made;
      if (errno != EEXIST) {
        const int error = errno;
        path_.clear();
        refuse_opening(wanted, error);
      }
    }
  }

  /// The new file may be read by those who could read the old one, as far as we may say so.
  void keep_owner() const {
    struct stat old{};
    if (::stat(target_.c_str(), &old) < 0)
      return;
    if (::fchown(descriptor_.number(), old.st_uid, old.st_gid) == 0)
      ::fchmod(descriptor_.number(), old.st_mode & 07777);
  }

  fs::path target_;
  fs::path path_;
  Descriptor descriptor_;
};

} // namespace

std::string read_unpacked(const fs::path& file, std::size_t most) {
  std::error_code error;
  if (fs::is_directory(file, error))
    refuse(file, "is a folder; expected a file");
  refuse_pipe(file);
  errno = 0;
  const Gzip stream(gzopen(file.c_str(), "rb"));
  if (!stream)
    refuse(file, std::string("cannot be read: ") + std::strerror(errno));
  gzbuffer(stream.get(), static_cast<unsigned>(chunk_bytes));
  std::string content;
  for (;;) {
    const std::size_t before = content.size();
    const std::size_t part = std::min(chunk_bytes, most + 1 - before);
    content.resize(before + part);
    const int got = gzread(stream.get(), content.data() + before, static_cast<unsigned>(part));
    content.resize(before + static_cast<std::size_t>(std::max(got, 0)));
    if (content.size() > most)
      refuse(file, fmt::format("holds more than {} MiB, which is the most that is read",
                               static_cast<double>(most) / (1 << 20)));
    if (got <= 0)
      break;
  }
  int code = Z_OK;
  const char* message = gzerror(stream.get(), &code);
  if (code == Z_BUF_ERROR)
    refuse(file, "gzip data ends too early");
  if (code == Z_ERRNO)
    refuse(file, std::string("cannot be read: ") + std::strerror(errno));
  if (code < 0)
    refuse(file, std::string("damaged gzip data: ") + message);
  return content;
}

std::string gzip_of(const std::string& content) {
  constexpr int gzip_window = 15 + 16; // zlib.h: 32 KiB, with a gzip header
  constexpr int memory = 8;            // zlib.h: the default
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_window, memory,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error("no memory to pack");
  std::string out(deflateBound(&stream, content.size()), '\0');
  // zlib counts the bytes of one call in 32 bits.
  const char* next = content.data();
  std::size_t done = 0;
  int state = Z_OK;
  for (std::size_t left = content.size(); state == Z_OK;) {
    const std::size_t part = std::min(chunk_bytes, left);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(next));
    stream.avail_in = static_cast<uInt>(part);
    next += part;
    left -= part;
    do {
      const std::size_t room = std::min(chunk_bytes, out.size() - done);
      stream.next_out = reinterpret_cast<Bytef*>(out.data() + done);
      stream.avail_out = static_cast<uInt>(room);
      state = deflate(&stream, left > 0 ? Z_NO_FLUSH : Z_FINISH);
      done += room - stream.avail_out;
    } while (state == Z_OK && stream.avail_out == 0);
  }
  deflateEnd(&stream);
  if (state != Z_STREAM_END)
    throw Error("it cannot be packed");
  out.resize(done);
  return out;
}

void write_packed(const fs::path& file, const std::string& content) {
  const bool pack = file.extension() == ".gz";
  const std::string made = pack ? gzip_of(content) : std::string();
  const std::string& bytes = pack ? made : content;
  const Target target = target_of(file);
  if (!target.written_to)
    return Beside(target.path, file).replace(bytes, file);
  const Descriptor opened(::open(target.path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!opened)
    refuse_opening(file, errno);
  opened.write(bytes, file);
}

void check_writable(const fs::path& file) {
  const Target target = target_of(file);
  if (!target.written_to)
    const Beside tried(target.path, file);
  else if (::access(target.path.c_str(), W_OK) < 0) // opening a pipe would wait for its reader
    refuse_opening(file, errno);
}

} // namespace gridsmith
