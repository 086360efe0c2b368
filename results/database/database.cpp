// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/database/database.hpp"

#include "gridsmith/base/error.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace gridsmith {
namespace {

/// A commit takes milliseconds, a migration seconds; who holds the lock longer hangs.
constexpr int busy_timeout_ms = 20000;

/// Why the operating system refused; SQLite does not keep it for a write to the log, so callers
/// clear errno before they start. 0: unknown.
int reason_of(sqlite3* connection) {
  const int kept = connection ? sqlite3_system_errno(connection) : 0;
  return kept != 0 ? kept : errno;
}

bool no_space_left(int code, int reason) {
  const bool io = (code & 0xFF) == SQLITE_IOERR || (code & 0xFF) == SQLITE_CANTOPEN;
  return (code & 0xFF) == SQLITE_FULL ||
         (io && (reason == ENOSPC || reason == EDQUOT || reason == EFBIG)) ||
         code == SQLITE_IOERR_SHMSIZE; // growing the WAL index fails so when nothing is left
}

/// A file that cannot be opened: SQLite tries again for reading alone, and its reason is that
/// second attempt's, so we look ourselves.
[[noreturn]] void refuse_opening(const std::string& name, int reason) {
  namespace fs = std::filesystem;
  const fs::path file = fs::absolute(name), folder = file.parent_path();
  std::error_code error;
  if (!fs::is_directory(folder, error))
    throw InputError(name + ": there is no folder " + folder.string());
  const bool exists = fs::exists(file, error);
  if (exists && ::access(file.c_str(), R_OK) != 0)
    throw InputError(name + ": the store may not be read (" + std::strerror(errno) + ")");
  if (::access(folder.c_str(), W_OK) != 0)
    throw StoreError(StoreError::Kind::read_only,
                     name + ": nothing can be recorded in the folder " + folder.string() + " (" +
                         std::strerror(errno) + ")");
  throw InputError(name + ": cannot be opened as a store (" +
                   (reason != 0 ? std::strerror(reason) : "no reason given") + ")");
}

/// SQLite's own words name tables and statements that no user knows; they are not passed on.
[[noreturn]] void refuse(sqlite3* connection, int code, const std::string& name) {
  using Kind = StoreError::Kind;
  const int reason = reason_of(connection);
  if (no_space_left(code, reason))
    throw StoreError(Kind::full, name + ": no space left on the disk; everything recorded before "
                                        "is safe, this was not written");
  switch (code & 0xFF) { // the primary code
  case SQLITE_NOTADB:
    throw InputError(name + ": is not a Gridsmith store (no SQLite database)");
  case SQLITE_CORRUPT:
    throw InputError(name + ": the store is damaged; move it away, or recover it with sqlite3's "
                            ".recover");
  case SQLITE_ERROR:
  case SQLITE_CONSTRAINT:
  case SQLITE_MISMATCH:
  case SQLITE_SCHEMA:
    throw InputError(name +
                     ": the store is damaged: its tables are not those that its version has; "
                     "move it away");
  case SQLITE_READONLY:
  case SQLITE_PERM:
    throw StoreError(Kind::read_only, name + ": the store is read-only; nothing can be recorded");
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    throw StoreError(Kind::busy, name + ": another program has kept the store locked for " +
                                     std::to_string(busy_timeout_ms / 1000) + " s");
  case SQLITE_CANTOPEN:
    refuse_opening(name, reason);
  default:
    throw StoreError(Kind::io, name + ": the store failed (" +
                                   (reason != 0 ? std::strerror(reason) : sqlite3_errstr(code)) +
                                   ")");
  }
}

/// SQLite's way to read a file that nobody can change, without any lock or index beside it.
std::string immutable_uri(const std::string& file) {
  std::string uri = "file:";
  for (const char c : file) {
    if (c == '%' || c == '?' || c == '#') {
      uri += '%';
      uri += "0123456789ABCDEF"[c >> 4];
      uri += "0123456789ABCDEF"[c & 15];
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

} // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Statement::Statement(sqlite3* connection, const std::string& name, std::string_view sql)
    : connection_(connection), name_(name) {
  sqlite3_stmt* statement = nullptr;
  errno = 0;
  check(sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()), &statement,
                           nullptr));
  statement_.reset(statement);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK)
    refuse(connection_, sqlite3_extended_errcode(connection_), name_);
}

Statement& Statement::bind(int parameter, std::string_view text) {
  check(sqlite3_bind_text(statement_.get(), parameter, text.data(), static_cast<int>(text.size()),
                          SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, double value) {
  check(sqlite3_bind_double(statement_.get(), parameter, value));
  return *this;
}

Statement& Statement::bind_null(int parameter) {
  check(sqlite3_bind_null(statement_.get(), parameter));
  return *this;
}

bool Statement::step() {
  errno = 0;
  const int code = sqlite3_step(statement_.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    refuse(connection_, sqlite3_extended_errcode(connection_), name_);
  return code == SQLITE_ROW;
}

Statement& Statement::reset() {
  sqlite3_reset(statement_.get()); // repeats the code of the last step, which step() has thrown
  sqlite3_clear_bindings(statement_.get());
  return *this;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return text ? std::string(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size))
              : std::string();
}

bool Statement::null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

void Database::Close::operator()(sqlite3* connection) const {
  sqlite3_close_v2(connection);
}

Database::Database(std::unique_ptr<sqlite3, Close> connection, std::string name)
    : connection_(std::move(connection)), name_(std::move(name)) {
}

/// @param target a file, which ":memory:" and "file:…" are too; with SQLITE_OPEN_URI a URI
Database Database::connect(const std::string& target, int flags, const std::string& name) {
  const bool special =
      (flags & SQLITE_OPEN_URI) == 0 && (target.starts_with(':') || target.starts_with("file:"));
  sqlite3* connection = nullptr;
  errno = 0;
  const int code =
      sqlite3_open_v2((special ? "./" + target : target).c_str(), &connection, flags, nullptr);
  std::unique_ptr<sqlite3, Close> owned(connection);
  if (code != SQLITE_OK)
    refuse(connection, code, name);
  sqlite3_extended_result_codes(connection, 1);
  // A store may come from anywhere: what its schema says must not run anything but SQL's own
  // functions, nor rewrite the schema (SQLite, "Defense Against The Dark Arts").
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_busy_timeout(connection, busy_timeout_ms);
  return Database(std::move(owned), name);
}

Database Database::open(const std::filesystem::path& file, Mode mode) {
  const std::string name = file.string();
  if (mode == Mode::read_write) {
    Database database = connect(name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, name);
    if (sqlite3_db_readonly(database.connection_.get(), "main") == 1)
      refuse(database.connection_.get(), SQLITE_READONLY, name);
    return database;
  }
  // Who only reads would leave the log's files behind: it is who may write that clears them away.
  if (::access(name.c_str(), W_OK) == 0 &&
      ::access(std::filesystem::absolute(file).parent_path().c_str(), W_OK) == 0) {
    Database database = connect(name, SQLITE_OPEN_READWRITE, name);
    sqlite3_exec(database.connection_.get(), "PRAGMA query_only = ON", nullptr, nullptr, nullptr);
    return database;
  }
  Database database = connect(name, SQLITE_OPEN_READONLY, name);
  const auto probe = [](const Database& opened) {
    return sqlite3_exec(opened.connection_.get(), "PRAGMA schema_version", nullptr, nullptr,
                        nullptr);
  };
  int code = probe(database);
  // A writer that was killed left its journal behind; whoever comes next finishes what it began.
  if ((code & 0xFF) == SQLITE_READONLY) {
    probe(connect(name, SQLITE_OPEN_READWRITE, name));
    code = probe(database);
  }
  std::error_code absent;
  const std::filesystem::path log = name + "-wal";
  const bool log_is_empty =
      !std::filesystem::exists(log, absent) || std::filesystem::file_size(log, absent) == 0;
  // A folder that may not be written has no room for the log's index.
  if ((code & 0xFF) != SQLITE_CANTOPEN && (code & 0xFF) != SQLITE_READONLY)
    return database;
  if (!log_is_empty)
    throw InputError(name + ": its last records are in " + log.filename().string() +
                     ", which can only be read where the folder may be written; copy both files "
                     "to such a place");
  return connect(immutable_uri(name), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, name);
}

Database Database::copy_in_memory() const {
  sqlite3* connection = nullptr;
  errno = 0;
  const int code = sqlite3_open(":memory:", &connection);
  std::unique_ptr<sqlite3, Close> owned(connection);
  if (code != SQLITE_OK)
    refuse(connection, code, name_);
  sqlite3_int64 size = 0;
  unsigned char* image = sqlite3_serialize(connection_.get(), "main", &size, 0);
  if (!image && size > 0)
    refuse(connection_.get(), SQLITE_NOMEM, name_);
  if (!image) // a store whose maker was stopped before it wrote anything
    return Database(std::move(owned), name_);
  // Bytes 18 and 19 of the file header say that it has a write-ahead log, which memory cannot have
  // (SQLite, Database File Format, 1.3.3): 1 is the rollback journal.
  if (size >= 20)
    image[18] = image[19] = 1;
  const int done =
      sqlite3_deserialize(connection, "main", image, size, size,
                          SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
  if (done != SQLITE_OK)
    refuse(connection, done, name_);
  return Database(std::move(owned), name_);
}

Statement Database::prepare(std::string_view sql) const {
  return Statement(connection_.get(), name_, sql);
}

void Database::run(const std::string& sql) const {
  errno = 0;
  if (sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    refuse(connection_.get(), sqlite3_extended_errcode(connection_.get()), name_);
}

std::int64_t Database::integer(std::string_view sql) const {
  Statement statement = prepare(sql);
  return statement.step() ? statement.integer(0) : 0;
}

void Database::leave_as_is() const {
  sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

bool Database::in_transaction() const {
  return sqlite3_get_autocommit(connection_.get()) == 0;
}

std::int64_t Database::last_id() const {
  return sqlite3_last_insert_rowid(connection_.get());
}

Transaction::Transaction(const Database& database)
    : database_(database), open_(!database.in_transaction()) {
  if (open_)
    database_.run("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_)
    return;
  try {
    database_.run("ROLLBACK");
  } catch (const std::exception&) {
    // SQLite has already rolled back (disk full, input or output error): nothing is open any more
  }
}

void Transaction::commit() {
  if (open_)
    database_.run("COMMIT");
  open_ = false;
}

} // namespace gridsmith
