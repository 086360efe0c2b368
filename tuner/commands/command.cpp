#include "tuner/commands/command.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace gridsmith {

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void note(const std::string& line) {
  std::fputs(("gridsmith: " + line + "\n").c_str(), stderr);
}

void write_file(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".part";
  std::ofstream out(temporary, std::ios::binary);
  out << text;
  out.close();
  std::error_code error;
  if (out)
    std::filesystem::rename(temporary, path, error);
  if (!out || error) {
    const std::string reason = error ? error.message() : std::strerror(errno);
    std::filesystem::remove(temporary, error);
    throw CommandFailed(exit_failed, path + ": cannot be written: " + reason);
  }
}

} // namespace gridsmith
