// SPDX-License-Identifier: Apache-2.0
// The program's standard output and error: the only door to a terminal. Nothing a file holds can
// command it, and no result is lost without a word: every write is checked, the last flush too.
#pragma once

#include "gridsmith/base/error.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace gridsmith {

/// Standard output does not take a result.
class OutputError : public Error {
public:
  using Error::Error;
};

/// Who read standard output has gone; nobody is left to be told.
class OutputGone : public OutputError {
public:
  using OutputError::OutputError;
};

/// Once, first: a file that grows beyond the limit is an error and no signal, and no file of ours
/// gets the number of a standard stream that is closed; writing to that stream fails.
void prepare_streams();

/// Results, to stdout, shown printable_lines(). @throws OutputError
void print(const std::string& text);
/// The same, its first so many bytes bold.
void print_with_bold_start(const std::string& text, std::size_t size);
/// One line, whatever the text holds. @throws OutputError
void print_line(const std::string& text);
/// Whether all of it has arrived. @throws OutputError
void finish_output();
/// One line to stderr.
void note(const std::string& line);

/// Whether one of the files named on the command line is standard output: "-", or a name that the
/// system has for it. It then takes the place of the table.
bool takes_standard_output(const std::vector<std::string>& names);
/// A file is told on stderr with its size, unless `quiet`. @throws OutputError, or as write_packed()
/// (base/file.hpp)
void write_output(const std::string& name, const std::string& content, bool quiet = false);
/// "Wrote report.html (0.9 MB)" on stderr.
void tell_written(const std::string& name);

} // namespace gridsmith
