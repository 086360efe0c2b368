// SPDX-License-Identifier: Apache-2.0
// Text of others: made well-formed, shown without anything that commands a terminal, nested no
// deeper than a stack is.
#include "gridsmith/base/demangled.hpp"
#include "gridsmith/base/error.hpp"
#include "gridsmith/base/json_text.hpp"
#include "gridsmith/base/safe_text.hpp"
#include "gridsmith/base/text_table.hpp"
#include "gridsmith/tests/catch.hpp"

#include <random>

namespace safe_text_test {

using namespace gridsmith;

namespace {

const std::string bad = "\xEF\xBF\xBD"; // U+FFFD

nlohmann::json cbor(const std::string& bytes) {
  const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return json_of_cbor(first, first + bytes.size());
}

} // namespace

TEST_CASE("bytes that are no UTF-8 are replaced one by one, all else stays") {
  CHECK(well_formed("plain, größer, 漢字, 🙂") == "plain, größer, 漢字, 🙂");
  CHECK(well_formed("gr\xF6\xDF"
                    "er") == "gr" + bad + bad + "er");
  CHECK(well_formed("cut\xE6\xBC") == "cut" + bad + bad);
  CHECK(well_formed("\xC0\xAF") == bad + bad);                     // an overlong '/'
  CHECK(well_formed("\xED\xA0\x80") == bad + bad + bad);           // half a surrogate pair
  CHECK(well_formed("\xF4\x90\x80\x80") == bad + bad + bad + bad); // beyond U+10FFFF
  CHECK(well_formed("") == "");
}

TEST_CASE("nothing printable commands a terminal") {
  CHECK(printable("a\x1b[31mb\x07\x7f") == "a" + bad + "[31mb" + bad + bad);
  CHECK(printable("\xC2\x9B"
                  "31m") == bad + "31m"); // CSI as one character
  CHECK(printable("\xE2\x80\xAE"
                  "abc") == bad + "abc"); // right-to-left override
  CHECK(printable("two\nlines\tand\r") == "two lines and ");
  CHECK(printable_lines("two\nlines\x1b") == "two\nlines" + bad);
  CHECK(printable(std::string("nul\0", 4)) == "nul" + bad);
  CHECK(printable("größer 漢字") == "größer 漢字");
  Table table(std::vector<Column>{{"name", ""}});
  table.add({"GPU\x1b[2J\nforged"});
  CHECK_THAT(table.text(), contains_text("\nGPU" + bad + "[2J forged\n"));
}

TEST_CASE("a field of CSV is no formula") {
  CHECK(csv_field("=cmd|' /C calc'!A0") == "'=cmd|' /C calc'!A0");
  CHECK(csv_field("@SUM(A1)") == "'@SUM(A1)");
  CHECK(csv_field("-O3") == "'-O3");
  CHECK(csv_field("-0.5e-3") == "-0.5e-3");
  CHECK(csv_field("+7") == "+7");
  CHECK(csv_field("\t=1+1") == " =1+1");
  CHECK(csv_field("a,\"b\"\n") == "\"a,\"\"b\"\" \"");
}

TEST_CASE("JSON is written whatever its strings hold, and reads back") {
  const nlohmann::json json = {{"a", "gr\xF6\xDF"}, {"b", "\xC2\x9B\xE2\x80\xAE\x7f\x1b"}};
  const std::string text = json_text(json);
  CHECK(text == "{\"a\":\"gr" + bad + bad + "\",\"b\":\"\\u009b\\u202e\\u007f\\u001b\"}");
  CHECK(json_of_text(text)["b"] == json["b"]);
}

TEST_CASE("JSON and CBOR are read to a depth and not to the stack's end") {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  CHECK(json_of_text(nested(200)).is_array());
  CHECK_THROWS_WITH(json_of_text(nested(201)), contains_text("nested too deeply"));
  CHECK(json_of_text("\"" + std::string(500, '[') + "\\\"[\"").is_string());
  constexpr std::size_t many = 3'000'000;
  for (const char* head : {"\x81", "\x9f", "\xa1", "\xbf", "\x7f", "\x5f", "\xc6", "\x82\x01"}) {
    std::string bytes;
    for (std::size_t i = 0; i < many; ++i)
      bytes += head;
    CHECK_THROWS_WITH(cbor(bytes), contains_text("nested too deeply"));
  }
  CHECK(cbor(std::string(200, '\x81') + '\x01').is_array());
}

TEST_CASE("lengths in CBOR are not believed") {
  using namespace std::string_literals;
  for (const std::string& bytes :
       {"\x5b\xff\xff\xff\xff\xff\xff\xff\xff"s, "\x9b\x00\x00\x00\xff\xff\xff\xff\xff"s,
        "\xbb\x7f\xff\xff\xff\xff\xff\xff\xff"s, "\x1b\x00"s, "\xff"s, "\x1c"s, ""s})
    CHECK_THROWS_AS(cbor(bytes), InputError);
}

TEST_CASE("CBOR of ours passes, and random bytes are an error or a value") {
  std::mt19937 random(1);
  const nlohmann::json json = {{"list", {1, -2, 0.5, "text", nullptr, true}},
                               {"bytes", nlohmann::json::binary({1, 2, 255})},
                               {"empty", nlohmann::json::object()},
                               {"none", nlohmann::json::array()},
                               {"large", {1ULL << 63, -(1LL << 62)}}};
  const auto whole = nlohmann::json::to_cbor(json);
  CHECK(json_of_cbor(whole.data(), whole.data() + whole.size()) == json);
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    auto bytes = whole;
    for (unsigned change = random() % 4; change < 4; ++change)
      bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    bytes.resize(1 + random() % bytes.size());
    try {
      json_of_cbor(bytes.data(), bytes.data() + bytes.size());
      ++read;
    } catch (const InputError&) {
    } catch (const nlohmann::json::exception&) {
    }
  }
  CHECK(read > 0);
}

TEST_CASE("names of C linkage are not demangled") {
  CHECK(demangled("_ZN2ln1kILi4EEEvPf") == "void ln::k<4>(float*)");
  CHECK(demangled("f") == "f"); // as a type, a float
  CHECK(demangled("_Zzz") == "_Zzz");
}

} // namespace safe_text_test
