// SPDX-License-Identifier: Apache-2.0
// The only user of SQLite: a connection and its statements, owned, with errors as exceptions. Knows
// nothing of the stored content. For one thread.
#pragma once

#include "gridsmith/base/error.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace gridsmith {

/// The store cannot do what was asked now, though nothing is wrong with what it holds. what() is
/// one line. A file that is damaged or no store at all is an InputError instead.
class StoreError : public Error {
public:
  enum class Kind {
    full,      ///< no space left: what was committed is safe, this was not written
    read_only, ///< the file or its folder may not be written
    busy,      ///< another program held the lock too long
    io,        ///< the file system failed
  };

  StoreError(Kind kind, const std::string& message) : Error(message), kind_(kind) {}

  Kind kind() const { return kind_; }

private:
  Kind kind_;
};

/// A prepared statement. Columns count from 0, parameters from 1.
class Statement {
public:
  Statement& bind(int parameter, std::string_view text);
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, double value);
  Statement& bind_null(int parameter);

  /// True while there is a row. @throws StoreError, InputError
  bool step();
  /// Ready to be bound and stepped again; holds nothing of the database meanwhile.
  Statement& reset();
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  bool null(int column) const;

private:
  friend class Database;

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };

  Statement(sqlite3* connection, const std::string& name, std::string_view sql);
  void check(int code) const;

  sqlite3* connection_;
  std::string name_; ///< of the file, for errors
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
public:
  enum class Mode {
    read_write, ///< created when there is none
    read_only,
  };

  /// @throws StoreError (read_only when read_write was asked for), InputError (cannot be opened).
  static Database open(const std::filesystem::path& file, Mode mode);

  /// A private copy in memory, writable whatever this one is.
  Database copy_in_memory() const;

  /// @throws InputError for what is no database or is damaged, StoreError for the rest.
  Statement prepare(std::string_view sql) const;
  /// One or several statements without rows.
  void run(const std::string& sql) const;
  std::int64_t integer(std::string_view sql) const; ///< first column of the first row

  /// Closing will write nothing into the file and remove nothing next to it: it is not ours any more.
  void leave_as_is() const;

  bool in_transaction() const;
  std::int64_t last_id() const;

  const std::string& name() const { return name_; }

private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };

  Database(std::unique_ptr<sqlite3, Close> connection, std::string name);
  static Database connect(const std::string& target, int flags, const std::string& name);

  std::unique_ptr<sqlite3, Close> connection_;
  std::string name_;
};

/// All or nothing: takes the write lock at once; what is not committed is undone. Within another one
/// it is a part of that.
class Transaction {
public:
  explicit Transaction(const Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

private:
  const Database& database_;
  bool open_; ///< this one has to end it
};

} // namespace gridsmith
