// Mean forces in joints, one row a frame: t, then NAME.fx .fy .fz .tx .ty .tz .effort for each joint.
#pragma once

#include "tumble/record/frame_writer.h"

namespace tumble::record {

/// What the first row to be written needs beside its own frame.
struct ReactionStart {
  std::vector<double>
      at_start;  // forces at t = 0, for frame 0; numbers as in model::State::impulses, per second
  std::vector<double> impulses;  // model::State::impulses at the frame before, for any other
};

/// Frames must come with model::State::impulses. `model` must outlive the writer.
core::Expected<std::unique_ptr<FrameWriter>> open_reaction_writer(const std::string& path,
                                                                  const model::Model& model, double fps,
                                                                  const ReactionStart& start,
                                                                  const Progress& keep = {});

}  // namespace tumble::record
