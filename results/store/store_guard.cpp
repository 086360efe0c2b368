// SPDX-License-Identifier: Apache-2.0
// What a store does about its file being deleted, replaced or cut off while in use.
#include "gridsmith/results/store/store.hpp"

namespace gridsmith {
namespace {

/// A file up to this is checked whole at the end of a run: some tenths of a second.
constexpr std::uintmax_t checked_whole_bytes = 64 << 20;

bool whole(const Database& database, const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::file_size(file, error) > checked_whole_bytes || error)
    return !error;
  Statement check = database.prepare("PRAGMA quick_check(1)");
  return check.step() && check.text(0) == "ok";
}

/// How many records from this one on are of this run; older ones are not read.
std::size_t records_from(const Database& database, RecordId first, RunId run) {
  Statement count = database.prepare("SELECT count(*) FROM records WHERE id >= ?1 AND run = ?2");
  count.bind(1, first).bind(2, run);
  return count.step() ? static_cast<std::size_t>(count.integer(0)) : 0;
}

} // namespace

std::optional<std::string> Store::disturbed() {
  if (!file_)
    return std::nullopt;
  if (auto what = file_->look())
    return what;
  auto what = log_->look();
  // Another program may empty the log after it has written all of it into the store.
  if (what && log_->same())
    return std::nullopt;
  return what ? std::optional("has lost its log " + log_->path().filename().string())
              : std::nullopt;
}

std::optional<std::string> Store::disturbed(RunId run, std::span<const RecordId> records,
                                            bool whole_file) {
  if (auto what = disturbed(); what || !file_)
    return what;
  constexpr const char* damaged = "was overwritten or damaged";
  try {
    const Database look = Database::open(file_->path(), Database::Mode::read_only);
    const bool held = records.empty() || records_from(look, records.front(), run) == records.size();
    if (held && (!whole_file || whole(look, file_->path())))
      return std::nullopt;
  } catch (const StoreError& error) {
    if (error.kind() == StoreError::Kind::busy)
      return std::nullopt;
  } catch (const InputError&) { // no store any more
    return damaged;
  }
  return damaged;
}

void Store::let_go() {
  if (!file_)
    return;
  database_.leave_as_is();
  // Our log would be taken for a part of whatever bears the store's name next.
  if (!file_->same() && log_->same()) {
    std::error_code error;
    std::filesystem::remove(log_->path(), error);
    std::filesystem::remove(file_->path().string() + "-shm", error);
  }
}

} // namespace gridsmith
