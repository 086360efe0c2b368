// SPDX-License-Identifier: Apache-2.0
// Recursive descent over one expression of host code and over those of the variables in it.
#pragma once

#include "gridsmith/kernels/host_code/host_values.hpp"
#include "gridsmith/kernels/host_code/short_functions.hpp"
#include "gridsmith/kernels/host_code/struct_body.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gridsmith {

class HostValues::Reader {
public:
  using Range = std::span<const Token>;
  using Found = std::optional<HostValue>;

  Reader(const HostValues& host, const std::optional<HostValue>& block)
      : host_(host), block_(block) {}

  Found whole_of(Range part, std::size_t place, int depth);

private:
  struct Cursor {
    Range part;
    std::size_t at = 0;
    std::size_t place = 0; ///< in the file
    int depth = 0;

    std::string_view text() const { return at < part.size() ? part[at].text : ""; }

    bool take(std::string_view sign) {
      const bool there = at < part.size() && text() == sign;
      at += there ? 1 : 0;
      return there;
    }
  };

  static constexpr int deepest_value = 40; ///< brackets and variables
  static constexpr std::size_t most_value_steps =
      2'000'000; ///< tokens looked at for one expression, some 10 ms

  // ---- the expression

  std::optional<Range> without_user(Range part, std::size_t place, int depth);
  std::optional<bool> condition(Range part, std::size_t place, int depth);
  Found chosen(Cursor& cursor);
  Found compared(Cursor& cursor);
  Found shifted(Cursor& cursor);
  Found sum(Cursor& cursor);
  Found product(Cursor& cursor);
  Found factor(Cursor& cursor);
  static Found number(Cursor& cursor);
  Found bracket(Cursor& cursor);
  Found named(Cursor& cursor);
  static bool is_called(const Cursor& cursor);
  Found member(const std::string& name, Cursor& cursor);
  Found from_user(std::string_view function, Cursor& cursor);
  Found call_of_file(const std::string& name, Cursor& cursor);
  bool rounds_up(const ShortFunction& function, bool turned, int depth);
  Found call(const std::string& name, Cursor& cursor);
  Found size_of(Cursor& cursor);
  Found of_name(const std::string& name, std::size_t place, int depth);
  Found of_macro(const std::string& name);

  // ---- variables

  Found of_variable(const std::string& name, std::size_t place, int depth);
  bool is_member(const std::string& name, const Declaration& one) const;
  bool assigned_in_functions(const std::string& name) const;
  bool mentioned(const std::string& name, std::size_t first, std::size_t last) const;
  bool ends_declaration(std::size_t at) const;
  bool is_beyond_run(Range part, std::size_t place) const;
  std::optional<std::string> option_at(std::size_t place) const;
  bool is_long_option_given() const;
  Found passed(const HostParameter& parameter, int depth);
  Found between(const std::string& name, std::size_t first, std::size_t last, int depth,
                Found found = {});
  enum class Taken { yes, no, unknown, no_condition };
  Taken happens(std::size_t at, std::size_t first, std::size_t last, int depth);
  Taken taken(std::size_t head, std::size_t first, int depth);
  bool changes(std::string_view before, std::string_view behind, std::size_t at) const;
  bool is_passed(std::size_t at) const;

  // ---- members of objects

  Found of_member(const std::string& object, const std::string& member, std::size_t place,
                  int depth);
  Found member_from(std::size_t at, const std::string& object, const std::string& member,
                    std::size_t place, int depth);
  Found passed_member(const HostParameter& parameter, const std::string& object,
                      const std::string& member, std::size_t place, int depth);
  Found member_begins(std::size_t object, const std::string& member, int depth);
  Found of_constructor(const StructBody& type, const std::string& name, std::size_t arguments,
                       const std::string& member, int depth);
  bool is_out_of_sight(const std::string& object, std::size_t first, std::size_t last) const;

  inline static const std::optional<HostValue> no_block_;

  const HostValues& host_;
  const std::optional<HostValue>& block_;
  std::size_t steps_ = 0;
  bool samples_ = false; ///< it is asked what a function gives for some numbers
};

/// Functions that read a number from a text, of the C library and of std.
bool reads_text(std::string_view function);

/// It asks the user: what stands before it is the author's own value.
bool asks_user(std::span<const Token> part);

} // namespace gridsmith
