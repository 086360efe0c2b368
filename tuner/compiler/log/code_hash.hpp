// SPDX-License-Identifier: Apache-2.0
// Recognises machine code that was made twice.
#pragma once

#include "gridsmith/tuner/protocol/messages.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace gridsmith {

/// Hex; equal for cubins whose instructions, constants, resources and relocations are equal,
/// whatever their symbols are called and whatever the tools noted in them (names, options, debug
/// information). Of what is no 64-bit ELF file: of all bytes.
std::string code_hash(const Bytes& cubin);

/// One compilation with its time. What `fill` throws is its error.
CodeObject compiled(const std::function<void(CodeObject&)>& fill);

/// What a compilation made, and what its log says of it. @pre code.kernel is there
void take_code(Bytes cubin, std::string_view log, CodeObject& code);

} // namespace gridsmith
