// SPDX-License-Identifier: Apache-2.0
// A git repository's files as they were at a revision, in a folder of their own that is removed at the
// end. The repository itself is not changed. git runs as a child process, without a shell.
#pragma once

#include "gridsmith/tuner/processes/run_folder.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace gridsmith {

/// Of the repository that a file or folder is in.
struct Repository {
  std::filesystem::path top; ///< its work tree
  /// @throws InputError: no git here, no repository there
  explicit Repository(const std::filesystem::path& inside);

  /// @return hex, whole. @throws InputError: no such commit
  std::string commit(const std::string& revision) const;
  /// Those after `good` up to `bad`, oldest first, along first parents.
  /// @throws InputError: none, or no revision
  std::vector<std::string> commits(const std::string& good, const std::string& bad) const;
  /// "1a2b3c4d5 CheckSubject of the commit"
  std::string title(const std::string& commit) const;
};

class Checkout {
public:
  /// @param commit as Repository::commit() gives it. @throws Error
  Checkout(const Repository& repository, const std::string& commit);

  /// Where a file of the work tree is at this revision. @throws InputError: it is not in the repository
  std::filesystem::path file(const std::filesystem::path& of_now) const;

private:
  std::filesystem::path top_;
  RunFolder folder_;
};

} // namespace gridsmith
