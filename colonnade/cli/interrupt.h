// Ctrl-C as a flag that long work looks at.
#pragma once

namespace colonnade::cli {

/// From now on SIGINT (and SIGTERM, SIGHUP) set a flag; a second one that nobody looked at ends the
/// process with exit code 130.
void catch_interrupts();

/// Whether one came since the flag was last taken.
bool is_interrupted();
/// The same, and forgets it.
bool take_interrupt();
/// Throws Interrupted if one came.
void check_interrupt();
/// Whether the request is to end the program, not what it is doing (SIGTERM, SIGHUP).
bool must_end();

}  // namespace colonnade::cli
