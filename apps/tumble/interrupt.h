// Ctrl-C: the run finishes its frame, closes its files and leaves.
#pragma once

namespace tumble::app {

/// From now on SIGINT and SIGTERM are noted instead of killing the program.
void watch_for_interrupts();
/// The signal that came, or 0.
int interrupted_by();

/// A file that may not grow is from now on a write that fails and is reported, not the end of the program.
void report_size_limits();

}  // namespace tumble::app
