// The state of an interrupted run: a run resumed from it continues bit for bit.
#pragma once

#include <cstdint>
#include <string>

#include "tumble/core/expected.h"
#include "tumble/record/failure.h"
#include "tumble/record/frame_writer.h"

namespace tumble::record {

/// The header says which run it belongs to and how much its output files contain. The rest is the run
/// itself, as returned by simulate::Simulation::save().
struct Checkpoint {
  std::string version;         // of the program that wrote it
  uint64_t scene_hash = 0;     // of the scene and every file it names
  std::string options_json;    // flags that change the motion
  double time = 0;             // s, at the start of the step that a resumed run repeats
  Progress progress;           // frames, log rows and warnings in the output files
  size_t log_offset = 0;       // LogWriter::offset()
  size_t contacts_offset = 0;  // ContactWriter::offset()
  std::string simulation;      // bytes of simulate::Simulation::save()
};

/// Writes a new file and renames it. At any moment the path holds a whole checkpoint, the old or the new one.
Failure write_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// Refuses a file that is cut off or damaged; the diagnostic names the byte.
core::Expected<Checkpoint> read_checkpoint(const std::string& path);

}  // namespace tumble::record
