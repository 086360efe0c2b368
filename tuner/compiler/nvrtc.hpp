// SPDX-License-Identifier: Apache-2.0
// The one door to NVRTC: opened at run time by path, so that any installed version serves and the
// program starts without one. NVRTC's own header stays behind nvrtc_library.hpp.
#pragma once

#include "gridsmith/base/error.hpp"
#include "gridsmith/tuner/protocol/messages.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gridsmith {

/// There is no NVRTC, or none that can be used: one line.
class NvrtcError : public Error {
public:
  using Error::Error;
};

/// Owns the opened library; never closes it, because NVRTC keeps threads of its own.
class Nvrtc {
public:
  /// @param library its file or the folder that has it; none: the one of the toolkit that Gridsmith
  /// was built with, else what the loader finds. @throws NvrtcError
  explicit Nvrtc(const std::optional<std::filesystem::path>& library = std::nullopt);
  ~Nvrtc();
  Nvrtc(const Nvrtc&) = delete;
  Nvrtc& operator=(const Nvrtc&) = delete;

  const std::string& version() const; ///< "13.0"
  /// Of the library that was opened.
  const std::filesystem::path& file() const;
  /// Compute capabilities that it compiles for, as 90 for 9.0, ascending.
  const std::vector<int>& capabilities() const;
  /// Where it finds the toolkit's headers; empty: nowhere.
  const std::vector<std::filesystem::path>& include_folders() const;
  /// Of the libraries and all headers of this toolkit as they were at the start, hex.
  const std::string& headers() const;

  /// The source's own headers come from its bundle, all others from the toolkit of this NVRTC, and
  /// no other file is opened: see header_door.hpp.
  /// Never throws for what is wrong with the source or the options: that is in the result.
  CodeObject compile(const CompileJob& job) const;
  /// From here on headers are precompiled where that pays (kept_headers.hpp): they are written below this
  /// folder, which TMPDIR names. Without effect for an NVRTC that cannot (before 12.8).
  void keep_headers_in(const std::filesystem::path& folder);
  /// Compiles a probe: whether what this NVRTC opens goes through our door. One line why not.
  std::optional<std::string> unseen_reading() const;

private:
  struct State;

  std::unique_ptr<State> state_;
};

} // namespace gridsmith
