#include "interrupt.h"

#include <csignal>

namespace tumble::app {

namespace {
volatile std::sig_atomic_t signal_seen = 0;  // a signal handler may only write to this type
void note_signal(int signal) { signal_seen = signal; }
}  // namespace

void watch_for_interrupts() {
  std::signal(SIGINT, note_signal);
  std::signal(SIGTERM, note_signal);
}

void report_failed_writes() {
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
}

int interrupted_by() { return signal_seen; }

}  // namespace tumble::app
