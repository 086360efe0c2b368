// SPDX-License-Identifier: Apache-2.0
// The one door for JSON and CBOR: text and bytes of others become trees only when they are not
// nested so deeply that walking them would end the stack, and trees become text whatever they hold.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace gridsmith {

/// Far above any real document, far below the stack's end.
inline constexpr int deepest_nesting = 200;

/// @throws InputError "nested too deeply …"; nlohmann::json::exception where the text is no JSON.
nlohmann::json json_of_text(std::string_view text);
/// Whose members keep their order. @throws InputError too where a member occurs twice, and of what is no JSON
nlohmann::ordered_json ordered_of_text(std::string_view text);
/// The same for one CBOR item. @throws InputError also where lengths exceed the bytes that are there.
nlohmann::json json_of_cbor(const std::uint8_t* first, const std::uint8_t* last);

/// What an error says, without the marks of the JSON library and cut where it quotes at length.
std::string plain_text(const std::exception& error);

/// Null of what is not known: of nothing, and of an empty text.
template <typename T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

nlohmann::ordered_json or_null(std::string_view text);

/// Every string in it made well-formed UTF-8.
void make_well_formed(nlohmann::json& json);

/// JSON as text; @param indent -1: one line. Never throws for what strings hold: bytes that are no
/// UTF-8 become U+FFFD, and what a terminal could take for a command is written as \uXXXX.
std::string json_text(const nlohmann::json& json, int indent = -1);
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

} // namespace gridsmith
