// SPDX-License-Identifier: Apache-2.0
// One include for the tests, whichever Catch2 the distribution ships (2 on Debian 12, 3 on
// Ubuntu 24.04).
#pragma once

#include <string>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;

inline auto contains_text(const std::string& text) {
  return Catch::Matchers::ContainsSubstring(text);
}
#else
#include <catch2/catch.hpp>

inline auto contains_text(const std::string& text) {
  return Catch::Matchers::Contains(text);
}
#endif
