// A run, stopped in the middle: everything that decides its future, bit for bit.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tumble/core/expected.h"
#include "tumble/model/state.h"
#include "tumble/record/failure.h"
#include "tumble/record/frame_writer.h"

namespace tumble::record {

/// What the numbers of `controller`, `ledger` and `options_json` mean is their owner's affair.
struct Checkpoint {
  std::string version;       // of the program that wrote it
  uint64_t scene_hash = 0;   // of the scene and every file it names
  std::string options_json;  // flags that change the motion
  model::State state;
  std::vector<double> frame_impulses;  // State::impulses at the last frame written
  std::vector<double> controller;      // the integrator's memory
  std::vector<double> ledger;          // the sums and maxima of the summary
  Progress progress;                   // frames, log rows and warnings given to the writers
  size_t log_offset = 0;               // LogWriter::offset()
  size_t contacts_offset = 0;          // ContactWriter::offset()
  std::vector<double> contacts;        // what they passed on since the last frame written
  std::vector<std::string> warnings;   // said so far
};

/// By a new file and a rename: at any moment the path holds a whole checkpoint, the old one or the new one.
Failure write_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// Refuses a file that is cut off or damaged, naming the byte.
core::Expected<Checkpoint> read_checkpoint(const std::string& path);

}  // namespace tumble::record
