// Ctrl-C: the run finishes its frame, closes its files and leaves.
#pragma once

namespace tumble::app {

/// From now on SIGINT and SIGTERM are noted instead of killing the program.
void watch_for_interrupts();
/// The signal that came, or 0.
int interrupted_by();

}  // namespace tumble::app
