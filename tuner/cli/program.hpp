// The program: its commands put together, what they throw told in one line, and the exit code.
#pragma once

namespace gridsmith {

/// @param words as main() has them
/// @return the exit code
int run_program(int count, char** words);

} // namespace gridsmith
