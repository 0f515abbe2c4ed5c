// Ctrl-C: the run finishes its frame, closes its files and exits.
#pragma once

namespace tumble::app {

/// After this call SIGINT and SIGTERM do not end the program; interrupted_by() returns them.
void watch_for_interrupts();
/// The last signal, or 0.
int interrupted_by();

/// After this call a write beyond the file size limit (SIGXFSZ), or to a pipe that nobody reads (SIGPIPE),
/// fails and is reported; it does not end the program.
void report_failed_writes();

}  // namespace tumble::app
