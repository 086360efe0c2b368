// SPDX-License-Identifier: Apache-2.0
// Which sources are compiled with their leading headers precompiled. NVRTC keeps them in a file of its
// own and in this process, 190 MB each for CUB, and uses them again only for the same text and options up
// to the stop: so macros come as directives behind it.
#pragma once

#include "gridsmith/tuner/compiler/log/leading_headers.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gridsmith {

class KeptHeaders {
public:
  /// The toolkit's headers that a text opens under these options.
  using Opened = std::function<std::vector<std::string>(const std::string& text,
                                                        const std::vector<std::string>& options)>;

  /// How a job is put to the compiler.
  struct Form {
    std::string text;                 ///< of the main source
    std::vector<std::string> options; ///< of the job
  };

  /// Nothing where it does not pay or changes the meaning: few headers, one of which names a macro of
  /// the job, no room, or a source that is compiled once.
  /// @param files with_resolved_includes() of the job's source
  /// @param folder where they are kept
  std::optional<Form> form(const CompileJob& job, const std::vector<SourceFile>& files,
                           const std::filesystem::path& folder, const Opened& opened);

  /// It went wrong once: from here on there is no form.
  void give_up() { given_up_ = true; }

private:
  bool given_up_ = false;
  std::string seen_;                         ///< of the last job: leading part and options
  std::size_t headers_ = 0;                  ///< that it opens …
  std::set<std::string, std::less<>> words_; ///< … and what they name
};

} // namespace gridsmith
