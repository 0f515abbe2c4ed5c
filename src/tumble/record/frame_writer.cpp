#include "tumble/record/frame_writer.h"

#include "tumble/core/version.h"
#include "tumble/record/glb_writer.h"
#include "tumble/record/output_file.h"
#include "tumble/record/text_table.h"
#include "tumble/record/tumble_file.h"

namespace tumble::record {

const std::vector<std::string>& frame_formats() {
  static const std::vector<std::string> formats = {".csv", ".txt", ".glb", ".gltf", ".tumble"};
  return formats;
}

core::Expected<std::unique_ptr<FrameWriter>> open_frame_writer(const std::string& path,
                                                               const model::Model& model,
                                                               const RecordingInfo& given,
                                                               const Progress& keep) {
  RecordingInfo info = given;
  if (info.scene_name.empty()) info.scene_name = model.name();
  if (info.version.empty()) info.version = core::kVersion;
  TUMBLE_REQUIRE(info.frames > 0 && info.fps > 0, "a recording has at least one frame and a positive rate");
  if (keep.frames > info.frames)
    return core::error_at({path}, "cannot be continued: the checkpoint is at frame " +
                                      std::to_string(keep.frames - 1) + ", after the last requested frame, " +
                                      std::to_string(info.frames - 1));
  const std::string extension = detail::lower_extension(path);
  if (extension == ".csv") return detail::open_text_writer(detail::TextFormat::csv, path, model, info, keep);
  if (extension == ".txt")
    return detail::open_text_writer(detail::TextFormat::matrix, path, model, info, keep);
  if (extension == ".glb" || extension == ".gltf") return detail::open_glb_writer(path, model, info, keep);
  if (extension == ".tumble") return detail::open_tumble_writer(path, model, info, keep);

  std::string known;
  for (const std::string& format : frame_formats()) known += (known.empty() ? "" : ", ") + format;
  const std::string nearest = core::nearest_name(extension, frame_formats());
  return core::error_at({path}, "no format has the extension \"" + extension + "\"; known are " + known +
                                    (nearest.empty() ? "" : " (did you mean " + nearest + "?)"));
}

}  // namespace tumble::record
