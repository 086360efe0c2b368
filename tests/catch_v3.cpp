// SPDX-License-Identifier: Apache-2.0
// Catch2 3 brings its own main; a static library needs one source file.
#include <catch2/catch_all.hpp>
