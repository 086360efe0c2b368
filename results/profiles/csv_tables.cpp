// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/profiles/csv_tables.hpp"

#include "gridsmith/base/text_layout.hpp"

#include <algorithm>
#include <optional>

namespace gridsmith {
namespace {

const std::string nothing;

/// Takes records (RFC 4180) and lines from a text.
class Scanner {
public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ >= text_.size(); }

  /// Behind a line that ends, or at the beginning.
  bool behind_line_end() const { return at_ == 0 || text_[at_ - 1] == '\n'; }

  std::string_view line() const { return text_.substr(at_, text_.find('\n', at_) - at_); }

  void skip_line() { at_ = std::min(text_.size(), at_ + line().size() + 1); }

  /// The next record, or of one whose quotes are never closed its first line.
  /// @return whether all its quotes are closed
  bool take_record(std::vector<std::string>& cells) {
    if (!unclosed_) {
      const std::size_t end = record_of(text_.substr(at_), cells);
      if (end != std::string_view::npos) {
        at_ += end;
        return true;
      }
      unclosed_ = true; // nor will those of a later one be: do not look again to the end
    }
    const bool closed = record_of(line(), cells) != std::string_view::npos;
    skip_line();
    return closed;
  }

  /// The cells of this line alone, which stays the next.
  void look_at_line(std::vector<std::string>& cells) const { record_of(line(), cells); }

private:
  /// @return behind the record and its line end; npos when the text ends within quotes
  static std::size_t record_of(std::string_view text, std::vector<std::string>& cells);

  std::string_view text_;
  std::size_t at_ = 0;
  bool unclosed_ = false;
};

std::size_t Scanner::record_of(std::string_view text, std::vector<std::string>& cells) {
  std::size_t count = 0;
  std::string* cell = nullptr;
  const auto begin_cell = [&] {
    if (count == cells.size())
      cells.emplace_back();
    cell = &cells[count++];
    cell->clear();
  };
  begin_cell();
  bool quoted = false, closed = true;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c != '"')
        *cell += c;
      else if (at + 1 < text.size() && text[at + 1] == '"')
        *cell += text[++at];
      else
        quoted = false;
    } else if (c == '"' && trimmed(*cell).empty()) {
      cell->clear();
      quoted = true;
    } else if (c == ',') {
      begin_cell();
    } else if (c == '\n') {
      break;
    } else {
      *cell += c;
    }
  }
  closed = !quoted;
  cells.resize(count);
  for (std::string& one : cells)
    one = std::string(trimmed(one));
  return closed ? std::min(text.size(), at + 1) : std::string_view::npos;
}

/// "Avg (ns)" is Avg in ns.
CsvColumn column_of(const std::string& title) {
  const auto open = title.rfind(" (");
  if (open == title.npos || !title.ends_with(")"))
    return {title, ""};
  return {title.substr(0, open), title.substr(open + 2, title.size() - open - 3)};
}

class Tables {
public:
  Tables(std::string_view text, std::span<const CsvForm> forms, SetAside& set_aside)
      : scanner_(text), forms_(forms), set_aside_(set_aside) {}

  std::size_t read() {
    while (!scanner_.at_end())
      step();
    return tables_;
  }

private:
  void step();
  bool take_titles();
  void take_row();
  bool fit_row();
  bool may_end_here() const;
  void take_units();

  Scanner scanner_;
  std::span<const CsvForm> forms_;
  SetAside& set_aside_;
  const CsvForm* form_ = nullptr; ///< of the table that we are in
  bool maybe_titles_ = true;
  bool first_row_ = true;
  std::size_t key_ = 0;
  std::size_t least_ = 0; ///< cells, so that a row has all columns of the form
  std::vector<CsvColumn> columns_;
  std::map<std::string, std::size_t> places_;
  std::vector<std::string> cells_;
  std::size_t tables_ = 0;
};

void Tables::step() {
  const std::string_view line = trimmed(scanner_.line());
  const bool own_line = line.starts_with("=="); // "==PROF== …", "==1234== …"
  if (line.empty() || own_line) {
    if (line.empty())
      form_ = nullptr;
    maybe_titles_ = true;
    scanner_.skip_line();
    return;
  }
  if (form_ && !maybe_titles_)
    return take_row();
  if (take_titles())
    return;
  if (form_) {
    maybe_titles_ = false;
    return take_row();
  }
  scanner_.skip_line();
}

bool Tables::take_titles() {
  std::vector<std::string> titles;
  scanner_.look_at_line(titles);
  std::vector<CsvColumn> columns;
  std::map<std::string, std::size_t> places;
  for (const std::string& title : titles) {
    columns.push_back(column_of(title));
    places.emplace(columns.back().name, columns.size() - 1);
  }
  const auto fits = [&](const CsvForm& form) {
    return std::all_of(form.columns.begin(), form.columns.end(),
                       [&](const std::string& name) { return places.contains(name); });
  };
  const auto form = std::find_if(forms_.begin(), forms_.end(), fits);
  if (form == forms_.end())
    return false;
  form_ = &*form;
  columns_ = std::move(columns);
  places_ = std::move(places);
  key_ = places_.at(form_->key);
  least_ = 0;
  for (const std::string& name : form_->columns)
    least_ = std::max(least_, places_.at(name) + 1);
  first_row_ = true;
  maybe_titles_ = false;
  ++tables_;
  scanner_.skip_line();
  return true;
}

void Tables::take_row() {
  const bool closed = scanner_.take_record(cells_);
  if (!closed || !fit_row()) {
    ++set_aside_[closed && !scanner_.at_end() ? "row of another length" : "row that is cut off"];
    return;
  }
  const bool first = first_row_;
  first_row_ = false;
  if (!cells_[key_].empty())
    return form_->row(CsvRow(columns_, places_, cells_));
  if (first)
    take_units();
  else
    ++set_aside_["row without a name"];
}

/// ncu ends its rows behind the value, or behind one comma more, where columns of rules follow.
bool Tables::may_end_here() const {
  return form_->may_end_early && cells_.size() >= least_ &&
         (scanner_.behind_line_end() || cells_.back().empty());
}

/// One cell per column. False: too few, or too many.
bool Tables::fit_row() {
  if (cells_.size() < columns_.size() && may_end_here())
    cells_.resize(columns_.size());
  while (cells_.size() > columns_.size() && cells_.back().empty())
    cells_.pop_back();
  if (cells_.size() > columns_.size() && columns_.back().name == "Name") {
    std::string& name = cells_[columns_.size() - 1];
    for (std::size_t i = columns_.size(); i < cells_.size(); ++i) // its commas, without quotes
      name += ", " + cells_[i];
    cells_.resize(columns_.size());
  }
  return cells_.size() == columns_.size();
}

void Tables::take_units() {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    columns_[i].unit = cells_[i];
}

} // namespace

const std::string& CsvRow::operator[](const std::string& column) const {
  const auto place = places_.find(column);
  return place == places_.end() ? nothing : cells_[place->second];
}

const std::string& CsvRow::unit(const std::string& column) const {
  const auto place = places_.find(column);
  return place == places_.end() ? nothing : columns_[place->second].unit;
}

std::size_t read_tables(std::string_view text, std::span<const CsvForm> forms,
                        SetAside& set_aside) {
  return Tables(text, forms, set_aside).read();
}

} // namespace gridsmith
