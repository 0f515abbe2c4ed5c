// Writes a .glb in blocks of frames. The offset of every track is fixed from the start, so memory does not
// grow with the run.
#pragma once

#include "tumble/record/frame_writer.h"

namespace tumble::record::detail {

core::Expected<std::unique_ptr<FrameWriter>> open_glb_writer(const std::string& path,
                                                             const model::Model& model,
                                                             const RecordingInfo& info, const Progress& keep);

}  // namespace tumble::record::detail
