// SPDX-License-Identifier: Apache-2.0
// What every generated header begins with: numbers that know when they are not known, devices, what
// a choice is. C++17, for host and device; the same text in all headers of one version.
#pragma once

#include <string>

namespace gridsmith {

/// The text, once in a translation unit however many headers it includes.
std::string runtime_text();

/// The namespace of a kernel in tuned: its name as an identifier, which is none that the runtime declares there.
std::string kernel_namespace(const std::string& kernel);

/// The first 8 digits of the hash of a text: names the inline namespace of what it declares.
std::string short_hash(const std::string& text);

} // namespace gridsmith
