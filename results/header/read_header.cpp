// SPDX-License-Identifier: Apache-2.0
#include "gridsmith/results/header/read_header.hpp"

#include "gridsmith/base/error.hpp"
#include "gridsmith/base/text_layout.hpp"
#include "gridsmith/results/header/cpp_text.hpp"
#include "gridsmith/results/header/header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <map>
#include <optional>

namespace gridsmith {
namespace {

/// Takes the text up to the word and the word itself off the line; nothing where it has no such word.
std::optional<std::string_view> take_until(std::string_view& line, std::string_view word) {
  const auto at = line.find(word);
  if (at == line.npos)
    return std::nullopt;
  const std::string_view before = line.substr(0, at);
  line.remove_prefix(at + word.size());
  return before;
}

bool take(std::string_view& line, std::string_view word) {
  const bool found = line.starts_with(word);
  line.remove_prefix(found ? word.size() : 0);
  return found;
}

template <class T>
std::optional<T> number(std::string_view text) {
  T value = {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

/// The bytes of string_literal(), which is taken off the line.
std::optional<std::string> take_string(std::string_view& line) {
  std::string bytes;
  if (!take(line, "\""))
    return std::nullopt;
  while (!line.empty() && line.front() != '"') {
    const bool escaped = take(line, "\\");
    if (escaped && line.size() >= 3 && std::isdigit(static_cast<unsigned char>(line.front()))) {
      bytes += static_cast<char>(64 * (line[0] - '0') + 8 * (line[1] - '0') + (line[2] - '0'));
      line.remove_prefix(3);
    } else if (!line.empty()) {
      bytes += line.front();
      line.remove_prefix(1);
    }
  }
  return take(line, "\"") ? std::optional(bytes) : std::nullopt;
}

/// "{a, b}, …" without what follows.
std::vector<std::string_view> fields_of(std::string_view row) {
  std::vector<std::string_view> fields;
  if (!take(row, "{"))
    return fields;
  std::optional<std::string_view> inside = take_until(row, "}");
  for (std::string_view left = inside.value_or(""); !left.empty();) {
    const auto one = take_until(left, ", ");
    fields.push_back(one.value_or(left));
    if (!one)
      break;
  }
  return fields;
}

/// A field of a Configuration.
struct WrittenField {
  std::string parameter, type;
};

/// Line by line; what it does not look for is passed over.
class Reader {
public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<Shipment> shipments() {
    for (std::string_view rest = text_; !rest.empty();) {
      const auto line = take_until(rest, "\n");
      read(line.value_or(rest));
      if (!line)
        break;
    }
    return std::move(shipments_);
  }

private:
  [[noreturn]] static void refuse(std::string_view line) {
    throw InputError(fmt::format("a row that no header of Gridsmith's has: '{}'",
                                 comment_text(std::string(line))));
  }

  void read(std::string_view line) {
    if (line.starts_with("// ") && !line.starts_with("// ---- "))
      comments_.push_back(line.substr(3));
    else if (!line.starts_with("struct "))
      comments_.clear();
    if (line.starts_with("// ---- ") && line.ends_with(" ----")) // of another kernel
      *this = Reader(text_, std::move(shipments_));
    else if (line.starts_with("enum class "))
      read_enumeration(line);
    else if (line.starts_with("  const char* const words[] = {"))
      read_words(line);
    else if (line == "struct Configuration {")
      in_fields_ = true;
    else if (line == "};")
      end_struct();
    else if (in_fields_)
      read_field(line);
    else if (line.starts_with("inline constexpr char name[] = "))
      read_kernel(line);
    else if (line.starts_with("struct ") && !kernel_.empty() && !told("source: ").empty())
      begin_device(line);
    else if (line.starts_with("  static constexpr Goal goal = ") && in_device_)
      read_goal(line);
    else if (line.starts_with("  struct "))
      table_ = line.substr(9, line.find("_rows") - std::min<std::size_t>(9, line.find("_rows")));
    else if (line.starts_with("        {{") && in_device_ && table_ == "launch")
      read_launch(line);
    else if (line.starts_with("        {") && in_device_)
      tables_[std::string(table_)].push_back(fields_of(line.substr(8)));
    else if (line.starts_with("    d.") && in_device_)
      read_fact(line);
  }

  /// "        {{256, 512, 1}, {32, 8, 1}, 4096},"
  void read_launch(std::string_view line) {
    std::vector<std::int64_t> numbers;
    for (std::string_view rest = line; !rest.empty();) {
      rest.remove_prefix(std::min(rest.find_first_of("0123456789"), rest.size()));
      const auto end = std::min(rest.find_first_not_of("0123456789"), rest.size());
      if (const auto whole = number<std::int64_t>(rest.substr(0, end)))
        numbers.push_back(*whole);
      rest.remove_prefix(end);
    }
    if (numbers.size() != 7)
      refuse(line);
    Geometry& geometry = launches_.emplace_back();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      geometry.grid[axis] = numbers[axis];
      geometry.block[axis] = static_cast<int>(numbers[3 + axis]);
    }
    geometry.dynamic_shared_bytes = numbers[6];
  }

  /// "  static constexpr Goal goal = Goal::dram_traffic;"
  void read_goal(std::string_view line) {
    std::string_view rest = line;
    take_until(rest, " = ");
    const auto found = enumerators_.find(std::string(take_until(rest, ";").value_or("")));
    if (found == enumerators_.end())
      refuse(line);
    objective_ = found->second;
    device_ = device_identifier(facts_.name); // the struct has the goal's name too
  }

  /// "    d.sm_count = 132;"
  void read_fact(const std::string_view whole) {
    std::string_view line = whole;
    take(line, "    d.");
    const std::string_view name = take_until(line, " = ").value_or("");
    const auto value = number<double>(take_until(line, ";").value_or(""));
    constexpr double most = std::numeric_limits<int>::max(); // of what is no number of bytes
    if (!value || !(*value >= 0 && *value <= (name.ends_with("_bytes") ? 1e15 : most)))
      refuse(whole);
    if (name == "compute_capability")
      facts_.compute_capability = static_cast<int>(*value);
    else if (name == "sm_count")
      facts_.sm_count = static_cast<int>(*value);
    else if (name == "l2_bytes")
      facts_.l2_bytes = static_cast<std::int64_t>(*value);
    else if (name == "peak_dram_gb_per_s")
      facts_.peak_dram_gb_per_s = *value;
  }

  /// What the lines above a device's struct begin with this; "" where none does.
  std::string told(std::string_view words) const {
    for (const std::string_view line : comments_)
      if (line.starts_with(words))
        return std::string(line.substr(words.size()));
    return "";
  }

  /// "NVIDIA H200 (compute capability 9.0), measured on 2026-11-21, driver 580.159, CUDA toolkit 13.0"
  void read_title() {
    std::string_view title = comments_.empty() ? std::string_view() : comments_.front();
    std::string_view head = take_until(title, ", measured on ").value_or(title);
    facts_ = {};
    facts_.name = take_until(head, " (compute capability ").value_or(head);
    date_ = title.substr(0, title.find(','));
    if (date_.empty() || !std::isdigit(static_cast<unsigned char>(date_.front())))
      date_.clear();
    if (take_until(title, ", CUDA toolkit "))
      facts_.toolkit_version = title;
    title = comments_.empty() ? std::string_view() : comments_.front();
    if (take_until(title, ", driver "))
      facts_.driver_version = title.substr(0, title.find(','));
    conditions_ = told("conditions: ");
    source_hash_ = told("source: ");
    if (source_hash_ == "unknown")
      source_hash_.clear();
  }

  Reader(std::string_view text, std::vector<Shipment> shipments)
      : text_(text), shipments_(std::move(shipments)) {}

  void read_enumeration(std::string_view line) {
    take(line, "enum class ");
    type_ = take_until(line, " : ").value_or("");
    names_.clear();
    take_until(line, "{ ");
    const auto names = take_until(line, " }");
    for (std::string_view left = names.value_or(""); !left.empty();) {
      const auto one = take_until(left, ", ");
      names_.push_back(fmt::format("{}::{}", type_, one.value_or(left)));
      if (!one)
        break;
    }
  }

  void read_words(std::string_view line) {
    take_until(line, "{");
    if (type_.empty()) // of the fixed part
      return;
    for (const std::string& name : names_) {
      const std::string_view before = line;
      const auto word = take_string(line);
      if (!word)
        refuse(before);
      enumerators_[name] = *word;
      take(line, ", ");
    }
    type_.clear();
  }

  void read_field(std::string_view line) {
    std::string_view rest = line;
    WrittenField field;
    const bool begun = take(rest, "  ");
    field.type = take_until(rest, " ").value_or("");
    field.parameter = take_until(rest, " = ").value_or("");
    if (!begun || field.type.empty() || field.parameter.empty())
      refuse(line);
    if (take_until(rest, " // "))
      field.parameter = rest;
    fields_.push_back(std::move(field));
  }

  void read_kernel(std::string_view line) {
    take_until(line, "= ");
    kernel_ = take_string(line).value_or("");
  }

  void begin_device(std::string_view line) {
    take(line, "struct ");
    device_ = take_until(line, " {").value_or("");
    in_device_ = !device_.empty();
    tables_.clear();
    launches_.clear();
    objective_ = Shipment().objective;
    read_title();
    comments_.clear();
  }

  void end_struct() {
    in_fields_ = false;
    if (in_device_)
      ship();
    in_device_ = false;
  }

  Value value_of(const WrittenField& field, std::string_view text) const {
    if (field.type == "bool" && (text == "true" || text == "false"))
      return text == "true";
    if (field.type == "double")
      if (const auto real = number<double>(text))
        return *real;
    if (text == "INT64_MIN")
      return std::numeric_limits<std::int64_t>::min();
    if (field.type == "int" || field.type == "std::int64_t")
      if (const auto whole = number<std::int64_t>(text))
        return *whole;
    const auto found = enumerators_.find(std::string(text));
    if (found == enumerators_.end())
      refuse(text);
    return found->second;
  }

  Configuration configuration(std::size_t index) {
    const auto& rows = tables_["configuration"];
    if (index >= rows.size() || rows[index].size() != fields_.size())
      refuse(fmt::format("configuration {} of {}", index, device_));
    Configuration result;
    for (std::size_t i = 0; i < fields_.size(); ++i)
      result.emplace_back(fields_[i].parameter, value_of(fields_[i], rows[index][i]));
    return result;
  }

  /// None: not measured there.
  std::optional<double> time_of(std::size_t index, std::size_t problem) {
    const auto& row = tables_["time_ms"][index];
    const auto ms = problem < row.size() ? number<double>(row[problem]) : std::nullopt;
    return ms && *ms > 0 ? ms : std::nullopt;
  }

  void ship() {
    Shipment shipment{{kernel_, "", facts_, source_hash_, conditions_, date_}, device_, objective_};
    const auto &extents = tables_["extent"], &measured = tables_["measured"];
    if (extents.empty() || extents.size() != measured.size())
      refuse(fmt::format("problems of {}", device_));
    for (std::size_t p = 0; p < extents.size(); ++p) {
      PreviousChoice choice;
      for (const std::string_view extent : extents[p])
        if (const auto elements = number<std::int64_t>(extent))
          choice.problem.extents.push_back(*elements);
        else
          refuse(extent);
      const auto best = measured[p].empty() ? std::nullopt : number<std::size_t>(measured[p][0]);
      choice.configuration = configuration(best.value_or(tables_["configuration"].size()));
      if (const auto ms = measured[p].size() > 1 ? number<double>(measured[p][1]) : std::nullopt)
        shipment.costs.push_back(
            {p, choice.configuration, *ms, p < launches_.size() ? launches_[p] : Geometry{}});
      for (std::size_t c = 0; c < tables_["time_ms"].size(); ++c)
        if (const auto ms = time_of(c, p); ms && c != best)
          shipment.costs.push_back({p, configuration(c), *ms, {}});
      shipment.choices.push_back(std::move(choice));
    }
    shipments_.push_back(std::move(shipment));
  }

  std::string_view text_, table_;
  std::vector<Shipment> shipments_;
  std::string kernel_, device_, type_;
  std::vector<std::string> names_; ///< of the enumeration that is being read
  std::map<std::string, std::string> enumerators_;
  std::vector<WrittenField> fields_;
  bool in_fields_ = false, in_device_ = false;
  std::vector<std::string_view> comments_; ///< those right above
  std::vector<Geometry> launches_;
  Device facts_;
  std::string date_, conditions_, source_hash_, objective_;
  std::map<std::string, std::vector<std::vector<std::string_view>>> tables_; ///< of the device
};

void add_row(Recording& recording, const ShippedCost& time) {
  Measurement& row = recording.measurements.emplace_back();
  row.configuration = time.configuration;
  row.status = Status::correct;
  row.reported_ms = time.cost;
  row.geometry = time.geometry;
  add_values(time.configuration, recording.parameters);
}

} // namespace

std::vector<Shipment> read_header(std::string_view text) {
  check_header(text);
  std::vector<Shipment> shipments = Reader(text).shipments();
  if (shipments.empty())
    throw InputError("the header ships nothing");
  return shipments;
}

std::vector<Recording> recordings_of(const Shipment& shipment) {
  std::vector<Recording> recordings;
  for (const PreviousChoice& choice : shipment.choices) {
    Recording& recording = recordings.emplace_back();
    static_cast<Origin&>(recording) = shipment;
    recording.problem = to_text(choice.problem);
    recording.format = "header";
    for (const ShippedCost& time : shipment.costs)
      if (shipment.choices[time.problem].problem.extents == choice.problem.extents)
        add_row(recording, time);
  }
  return recordings;
}

std::string device_identifier(const std::string& name) {
  return identifier(lower_case(name.empty() ? "unknown_device" : name));
}

} // namespace gridsmith
