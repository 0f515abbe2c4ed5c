// tumble convert: converts recordings and meshes between formats.
#include <filesystem>

#include "exit_codes.h"
#include "motion_source.h"
#include "outputs.h"
#include "report.h"
#include "run_options.h"
#include "tumble/core/files.h"
#include "tumble/geometry/mesh_io.h"
#include "tumble/simulate/run_statistics.h"
#include "verbs.h"

namespace tumble::app {
namespace {

int convert_mesh(const std::string& in, const std::string& out) {
  if (!geometry::is_mesh_file(out)) throw UsageError(out + ": a mesh can be converted to .obj, .stl or .ply");
  const core::Expected<std::string> bytes = core::read_file(in);
  print_diagnostics(bytes.diagnostics());
  if (!bytes) return kExitBadInput;
  const core::Expected<geometry::TriangleMesh> mesh = geometry::read_mesh(*bytes, in);
  print_diagnostics(mesh.diagnostics());
  if (!mesh) return kExitBadInput;
  const core::Expected<std::string> written = geometry::write_mesh(*mesh, out);
  print_diagnostics(written.diagnostics());
  if (!written) return kExitNotHeld;
  return write_whole(out, *written);
}

// From .tumble to .tumble: copies everything, including log, warnings and summary.
int copy_recording(const record::Recording& recording, const std::string& out) {
  if (const record::Failure damage = recording.find_damage()) {
    print_diagnostics({*damage});
    return kExitBadInput;
  }
  require_writable(out);
  if (const record::Failure failure = recording.copy_to(out)) {
    say(to_string(*failure));
    return kExitNotHeld;
  }
  return kExitDone;
}

int convert(const Arguments& arguments) {
  arguments.require_operands(2, 2);
  const std::string &in = arguments.operands()[0], &out = arguments.operands()[1];
  std::error_code no_such_file;
  if (std::filesystem::equivalent(in, out, no_such_file))
    throw UsageError(out + " is the input file; name another output");
  if (geometry::is_mesh_file(in)) return convert_mesh(in, out);
  try {
    const std::unique_ptr<MotionSource> motion = open_motion(in, arguments);
    if (motion->recording() && lower_extension(out) == ".tumble")
      return copy_recording(*motion->recording(), out);
    record::RecordingInfo info = motion->info();
    info.frames = motion->frame_count();
    core::Expected<std::unique_ptr<record::FrameWriter>> writer =
        record::open_frame_writer(out, motion->model(), info);
    if (!writer) throw UsageError(to_string(writer.diagnostics().front()));
    record::Failure failure;
    for (size_t k = 0; k < motion->frame_count() && !failure; ++k)
      failure = (*writer)->write_frame(k, motion->frame(k));
    record::Summary summary;
    summary.scene = info.scene_name;
    summary.version = info.version;
    summary.method = info.method;
    summary.integrator = info.integrator;
    summary.accuracy = info.accuracy;
    summary.frames = info.frames;
    summary.numbers = simulate::RunStatistics().values();  // there was no run: all are zero
    if (!failure) failure = (*writer)->finish(summary);
    if (!failure) return kExitDone;
    say(to_string(*failure));
    return kExitNotHeld;
  } catch (const InputError& fault) {
    return fault.exit_code;
  }
}

}  // namespace

Verb convert_verb() {
  return {"convert",
          "IN OUT",
          "convert a recording (.tumble, .csv) or the start of a scene to .glb, .tumble, .csv or .txt; "
          "convert a mesh to .obj, .stl or .ply",
          {{"--scene", "SCENE", "name the scene of a .csv recording"}, set_flag()},
          convert};
}

}  // namespace tumble::app
