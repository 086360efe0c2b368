// SPDX-License-Identifier: Apache-2.0
// The tables of a store, and how an older store becomes one of today.
#pragma once

#include "gridsmith/results/database/database.hpp"

#include <string_view>

namespace gridsmith {

/// Marks our files among all SQLite databases ("GSMT").
inline constexpr std::int64_t store_application_id = 0x47534D54;

/// Between the conditions of a scope that serves no more and the time until which it did.
inline constexpr std::string_view set_aside_mark = ", before ";

/// Version of an existing store; 0 for an empty database. @throws InputError when it holds
/// something else, is damaged, or is newer than `newest`.
int store_version(const Database& database, int newest);

/// Creates the tables or migrates the older ones, in one transaction; does nothing when another
/// program was first.
void bring_up_to_date(const Database& database, int newest);

enum class Journal {
  log,      ///< a write-ahead log, where the file system can do one
  rollback, ///< a rollback journal: no memory is shared between those who write
};

/// The safest journal of this kind that the file system can do.
void make_durable(const Database& database, Journal wanted = Journal::log);

} // namespace gridsmith
