// SPDX-License-Identifier: Apache-2.0
// A value list as definitions write it: what is read can be written, and compared with itself.
#include "gridsmith/base/expression/value_list.hpp"
#include "gridsmith/tests/fuzz/fuzz.hpp"

namespace gridsmith::fuzz::value_lists {

void run(const std::uint8_t* bytes, std::size_t count) {
  answered([&] {
    for (const Value& value : parse_value_list(text_of(bytes, count))) {
      require(!to_text(value).empty() || std::holds_alternative<std::string>(value),
              "a value without a text");
      to_macro(value);
    }
  });
}

} // namespace gridsmith::fuzz::value_lists
