// A run, stopped in the middle: everything that decides its future, bit for bit.
#pragma once

#include <cstdint>
#include <string>

#include "tumble/core/expected.h"
#include "tumble/record/failure.h"
#include "tumble/record/frame_writer.h"

namespace tumble::record {

/// The header says which run it belongs to and how far its output files go. The rest is the run itself, as
/// simulate::Simulation::save() gave it.
struct Checkpoint {
  std::string version;         // of the program that wrote it
  uint64_t scene_hash = 0;     // of the scene and every file it names
  std::string options_json;    // flags that change the motion
  double time = 0;             // s, at the start of the step that a resumed run takes again
  Progress progress;           // frames, log rows and warnings in the output files
  size_t log_offset = 0;       // LogWriter::offset()
  size_t contacts_offset = 0;  // ContactWriter::offset()
  std::string simulation;      // bytes of simulate::Simulation::save()
};

/// By a new file and a rename: at any moment the path holds a whole checkpoint, the old one or the new one.
Failure write_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// Refuses a file that is cut off or damaged, naming the byte.
core::Expected<Checkpoint> read_checkpoint(const std::string& path);

}  // namespace tumble::record
