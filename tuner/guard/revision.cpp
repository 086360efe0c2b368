// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/tuner/guard/revision.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/tuner/processes/child_process.hpp"
#include "gridsmith/tuner/processes/find_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace gridsmith {
namespace {

namespace fs = std::filesystem;

constexpr auto git_limit = std::chrono::minutes(5); // a large work tree on a slow disk

/// Ours without what would lead git into another repository, as it stands in hooks. No transport is
/// allowed, so that nothing is fetched, neither by a program that the repository names nor otherwise:
/// what a partial clone lacks is missing.
std::vector<std::string> environment_of_git() {
  constexpr std::string_view of_a_repository[] = {
      "GIT_ALLOW_PROTOCOL", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
      "GIT_COMMON_DIR",     "GIT_DIR",
      "GIT_INDEX_FILE",     "GIT_NAMESPACE",
      "GIT_NO_LAZY_FETCH",  "GIT_OBJECT_DIRECTORY",
      "GIT_PREFIX",         "GIT_WORK_TREE"};
  std::vector<std::string> variables{"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1"};
  for (char** one = environ; *one; ++one)
    if (const std::string_view variable = *one;
        std::find(std::begin(of_a_repository), std::end(of_a_repository),
                  variable.substr(0, variable.find('='))) == std::end(of_a_repository))
      variables.emplace_back(variable);
  return variables;
}

/// What git prints, without the last newline. The one place that starts it: no program that a
/// repository, or its configuration, names is run. In a foreign one only plumbing is (rev-parse,
/// rev-list), which obeys the least of that configuration; files are checked out in one of our own.
/// @throws InputError with `what` where it fails
std::string git(const fs::path& folder, std::vector<std::string> words, const std::string& what) {
  const auto program = find_program({"git"}, {});
  if (!program)
    throw InputError("a revision needs git, which is not on PATH");
  words.insert(words.begin(),
               {"--no-pager", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c",
                "log.showSignature=false", "-C", folder.string()});
  ProgramOutput output = run_program(*program, words, git_limit, environment_of_git());
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

/// Where a repository keeps its objects; those of a linked work tree are elsewhere.
fs::path objects_of(const fs::path& top) {
  return fs::weakly_canonical(top /
                              git(top, {"rev-parse", "--git-path", "objects"},
                                  fmt::format("{}: its objects cannot be found", top.string())));
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
  const std::string lines = git(top, {"rev-list", "--max-count=1", "--format=%h %s", commit},
                                "the commit cannot be read");
  return lines.substr(lines.find('\n') + 1); // after "commit HEX"
}

Checkout::Checkout(const Repository& repository, const std::string& commit) : top_(repository.top) {
  const fs::path& folder = folder_.path();
  if (folder.empty())
    throw Error("no folder for a revision can be made among the temporary files");
  const std::string what = fmt::format("{} cannot be checked out", commit.substr(0, 12));
  constexpr std::size_t digits_of_sha256 = 64;
  const char* format = commit.size() == digits_of_sha256 ? "sha256" : "sha1";
  // Its own configuration, index and work tree, the objects of the other; no clone, which would
  // start a program for the other.
  git(folder,
      {"-c", "init.defaultBranch=main", "init", "--quiet",
       "--template=", std::string("--object-format=") + format},
      what);
  std::ofstream(folder / ".git" / "objects" / "info" / "alternates")
      << objects_of(top_).string() << '\n';
  git(folder, {"config", "remote.origin.url", top_.string()}, what); // git-lfs asks there
  git(folder, {"checkout", "--quiet", "--detach", commit}, what);
}

fs::path Checkout::file(const fs::path& of_now) const {
  const fs::path relative =
      fs::weakly_canonical(of_now).lexically_relative(fs::weakly_canonical(top_));
  if (relative.empty() || *relative.begin() == "..")
    throw InputError(
        fmt::format("{}: is not in the repository {}", of_now.string(), top_.string()));
  return folder_.path() / relative;
}

} // namespace gridsmith
