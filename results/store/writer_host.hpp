// SPDX-License-Identifier: Apache-2.0
// Where a file system is shared by machines, a store is written by one of them at a time: locks of the
// others cannot be relied on there, and a write-ahead log needs memory that all writers share.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gridsmith {

/// "NFS", "Lustre" … for the type that statfs() gives, by the numbers of linux/magic.h and of the file
/// systems' own headers; "" for what belongs to one machine, and for what is not known.
std::string_view network_file_system(long type);
/// Of the file system that a file is, or will be, on. "" where it cannot be asked.
std::string_view network_file_system_of(const std::filesystem::path& file);

/// Says in a file next to the store, FILE-writers, that a process of this machine writes to it, as long as
/// it lives. What a killed one left counts no more on its own machine; another one is refused until the
/// file is removed.
class WriterHost {
public:
  /// @param host of this machine, as it names itself
  /// @param kind of the file system, for the message
  /// @throws InputError: another machine writes to it; StoreError: the file cannot be written
  WriterHost(const std::filesystem::path& store, std::string host, std::string_view kind);
  ~WriterHost();
  WriterHost(WriterHost&& other) noexcept;
  WriterHost& operator=(WriterHost&& other) noexcept;

private:
  std::filesystem::path file_; ///< empty: moved away
  std::string line_;           ///< ours
};

/// This machine's own name for itself.
std::string host_name();

} // namespace gridsmith
