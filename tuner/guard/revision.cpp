#include "gridsmith/tuner/guard/revision.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"
#include "gridsmith/tuner/processes/find_program.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <chrono>
#include <sstream>
#include <system_error>
#include <utility>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

constexpr auto git_limit = std::chrono::minutes(5); // a large work tree on a slow disk

/// What git prints, without the last newline. @throws InputError with `what` where it fails
std::string git(const fs::path& folder, std::vector<std::string> words, const std::string& what) {
  const auto program = find_program({"git"}, {});
  if (!program)
    throw InputError("a revision needs git, which is not on PATH");
  // No program that a repository brings along is run.
  words.insert(words.begin(), {"-c", "core.hooksPath=/dev/null", "-C", folder.string()});
  ProgramOutput output = run_program(*program, words, git_limit);
  if (!output.good)
    throw InputError(fmt::format("{} (git {})", what, output.ended));
  while (output.text.ends_with('\n'))
    output.text.pop_back();
  return well_formed(std::move(output.text));
}

/// Below a repository; git would say so too, on stderr. @throws InputError
fs::path folder_in_repository(const fs::path& inside) {
  const fs::path real = fs::weakly_canonical(inside);
  const fs::path folder = fs::is_directory(real) ? real : real.parent_path();
  for (fs::path at = folder;; at = at.parent_path()) {
    if (std::error_code error; fs::exists(at / ".git", error))
      return folder;
    if (at == at.parent_path())
      throw InputError(fmt::format("{}: is in no git repository", inside.string()));
  }
}

fs::path new_folder() {
  std::string name = (fs::temp_directory_path() / "gridsmith-revision-XXXXXX").string();
  if (!::mkdtemp(name.data()))
    throw Error(fs::temp_directory_path().string() +
                ": no folder for a revision can be made there");
  return name;
}

} // namespace

Repository::Repository(const fs::path& inside)
    : top(git(folder_in_repository(inside), {"rev-parse", "--show-toplevel"},
              fmt::format("{}: is in no git repository", inside.string()))) {
}

std::string Repository::commit(const std::string& revision) const {
  const std::string what = fmt::format("'{}' is no revision of {}", revision, top.string());
  if (revision.empty() || revision.starts_with('-'))
    throw InputError(what);
  return git(top, {"rev-parse", "--verify", "--quiet", revision + "^{commit}"}, what);
}

std::vector<std::string> Repository::commits(const std::string& good,
                                             const std::string& bad) const {
  const std::string range = commit(good) + ".." + commit(bad);
  std::istringstream lines(git(top, {"rev-list", "--first-parent", "--reverse", range},
                               fmt::format("{}: the commits cannot be listed", top.string())));
  std::vector<std::string> list;
  for (std::string line; std::getline(lines, line);)
    list.push_back(line);
  if (list.empty())
    throw InputError(fmt::format("there is no commit in {}..{}", good, bad));
  return list;
}

std::string Repository::title(const std::string& commit) const {
  return git(top, {"log", "-1", "--format=%h %s", commit}, "the commit cannot be read");
}

Checkout::Checkout(const Repository& repository, const std::string& commit)
    : top_(repository.top), folder_(new_folder()) {
  try {
    const std::string what = fmt::format("{} cannot be checked out", commit.substr(0, 12));
    // Its own index and work tree, the objects of the other.
    git(top_,
        {"clone", "--quiet", "--shared", "--no-checkout", "--", top_.string(), folder_.string()},
        what);
    git(folder_, {"checkout", "--quiet", "--detach", commit}, what);
  } catch (...) {
    std::error_code error;
    fs::remove_all(folder_, error);
    throw;
  }
}

Checkout::~Checkout() {
  std::error_code error;
  if (!folder_.empty())
    fs::remove_all(folder_, error);
}

Checkout::Checkout(Checkout&& other) noexcept
    : top_(std::move(other.top_)), folder_(std::exchange(other.folder_, {})) {
}

fs::path Checkout::file(const fs::path& of_now) const {
  const fs::path relative =
      fs::weakly_canonical(of_now).lexically_relative(fs::weakly_canonical(top_));
  if (relative.empty() || *relative.begin() == "..")
    throw InputError(
        fmt::format("{}: is not in the repository {}", of_now.string(), top_.string()));
  return folder_ / relative;
}

} // namespace gridsmith
