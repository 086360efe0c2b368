#include "gridsmith/base/file.hpp"

#include "gridsmith/base/error.hpp"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

namespace gridsmith {
namespace {

struct CloseGzip {
  void operator()(gzFile_s* file) const { gzclose(file); }
};

using Gzip = std::unique_ptr<gzFile_s, CloseGzip>;

constexpr std::size_t chunk_bytes = std::size_t{1} << 20; // zlib's own default of 8 KiB is slow

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  throw InputError(file.string() + ": " + why);
}

void write_gzip(const std::filesystem::path& file, const std::string& content,
                const std::filesystem::path& wanted) {
  const Gzip stream(gzopen(file.c_str(), "wb9"));
  if (!stream)
    refuse(wanted, std::string("cannot be written: ") + std::strerror(errno));
  std::size_t done = 0;
  while (done < content.size()) {
    const auto part = static_cast<unsigned>(std::min(chunk_bytes, content.size() - done));
    if (gzwrite(stream.get(), content.data() + done, part) != static_cast<int>(part))
      refuse(wanted, "cannot be written");
    done += part;
  }
  if (gzflush(stream.get(), Z_FINISH) != Z_OK)
    refuse(wanted, "cannot be written");
}

void write_plain(const std::filesystem::path& file, const std::string& content,
                 const std::filesystem::path& wanted) {
  std::ofstream stream(file, std::ios::binary);
  stream << content;
  stream.close();
  if (!stream)
    refuse(wanted, std::string("cannot be written: ") + std::strerror(errno));
}

} // namespace

std::string read_unpacked(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error))
    refuse(file, "is a folder; expected a file");
  errno = 0;
  const Gzip stream(gzopen(file.c_str(), "rb"));
  if (!stream)
    refuse(file, std::string("cannot be read: ") + std::strerror(errno));
  gzbuffer(stream.get(), static_cast<unsigned>(chunk_bytes));
  std::string content;
  for (;;) {
    const std::size_t before = content.size();
    content.resize(before + chunk_bytes);
    const int got = gzread(stream.get(), content.data() + before, chunk_bytes);
    content.resize(before + static_cast<std::size_t>(std::max(got, 0)));
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

void write_packed(const std::filesystem::path& file, const std::string& content) {
  std::filesystem::path beside = file;
  beside += std::string(".").append(std::to_string(getpid())).append(".part");
  try {
    if (file.extension() == ".gz")
      write_gzip(beside, content, file);
    else
      write_plain(beside, content, file);
    std::filesystem::rename(beside, file);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(beside, ignored);
    try {
      throw;
    } catch (const std::filesystem::filesystem_error& error) {
      refuse(file, "cannot be written: " + error.code().message());
    }
  }
}

} // namespace gridsmith
