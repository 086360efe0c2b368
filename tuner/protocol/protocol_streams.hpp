// SPDX-License-Identifier: Apache-2.0
// What compiler and worker do with their standard streams: messages go in by descriptor 0 and out
// by a descriptor of their own, so that nothing a library or a kernel prints can get between them.
#pragma once

namespace gridsmith {

/// A duplicate of standard output for messages; descriptor 1 then leads where standard error does.
/// Also makes writing to a gone reader an error instead of a signal, and switches core dumps off.
/// @throws std::system_error
int take_protocol_output();

/// Ends the process (exit code 1) as soon as nobody can read `descriptor` any more, or the process that
/// started this one is gone, whatever it is doing: a child whose tuner was killed must not hold the GPU with a kernel that never ends.
/// Starts a thread that lives as long as the process.
void end_when_unread(int descriptor);

} // namespace gridsmith
