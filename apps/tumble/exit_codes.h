#pragma once

namespace tumble::app {

inline constexpr int kExitDone = 0;
inline constexpr int kExitNotHeld = 1;   // the run broke a guarantee, or could not write its files
inline constexpr int kExitWrongUse = 2;  // wrong flags, or an output that cannot be opened
inline constexpr int kExitBadInput = 3;  // the scene or recording has faults
inline constexpr int kExitInterrupted = 130;

}  // namespace tumble::app
