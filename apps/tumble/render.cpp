// tumble render: draws one picture. It needs no display.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "exit_codes.h"
#include "motion_source.h"
#include "report.h"
#include "run_options.h"
#include "tumble/record/recording.h"
#include "tumble/simulate/simulation.h"
#include "tumble/view/render.h"
#include "verbs.h"

namespace tumble::app {
namespace {

constexpr size_t kMostPathPoints = 2000, kGhosts = 6;

// The contents of a picture.
struct Picture {
  std::vector<view::DrawItem> items, framed;  // drawn; those that the camera must show
  std::vector<view::Polyline> lines;
  math::Vec3 up = math::Vec3::UnitY();
  bool grid = true;
};

std::optional<double> asked_time(const Arguments& arguments) {
  const std::optional<double> time = arguments.number("--time");
  if (time && *time < 0) throw UsageError("--time must not be negative");
  return time;
}

// The frame of a recording nearest to a time. Without a time, or after the end: the last frame.
size_t frame_at(const std::optional<double>& time, double fps, size_t count) {
  const size_t last = count > 0 ? count - 1 : 0;
  if (!time) return last;
  const double frame = std::round(*time * fps);
  if (frame <= static_cast<double>(last)) return static_cast<size_t>(frame);
  say("the recording ends at t = " + brief(static_cast<double>(last) / fps) +
      " s; the picture shows that time");
  return last;
}

// States from t = 0 to the requested time. The last one is the picture, the others are the trail.
std::vector<model::State> collect_states(MotionSource& motion, const Arguments& arguments, bool is_scene) {
  const std::optional<double> time = asked_time(arguments);
  std::vector<model::State> states;
  if (is_scene) {
    const model::Model& model = motion.model();
    const double end = time.value_or(0);
    simulate::SimulationOptions options = resolve_options(motion.scene(), arguments).simulation;
    options.verify = simulate::Verify::off;
    core::Expected<simulate::Simulation> simulation = simulate::Simulation::create(model, options);
    print_diagnostics(simulation.diagnostics());
    if (!simulation) return states;
    const size_t points = std::min<size_t>(kMostPathPoints, options.frame_count());
    for (size_t k = 0; k <= points; ++k) {
      const double t = k == points ? end : end * static_cast<double>(k) / static_cast<double>(points);
      if (!simulation->run_until(t)) {
        say("stopped: " + simulation->failure());
        return states;
      }
      states.push_back(simulation->state_at(t));
    }
    return states;
  }
  const size_t last = frame_at(time, motion.info().fps, motion.frame_count());
  const size_t stride = last / kMostPathPoints + 1;
  for (size_t k = 0; k < last; k += stride) states.push_back(motion.frame(k));
  states.push_back(motion.frame(last));
  return states;
}

Picture draw_motion(const std::string& path, const Arguments& arguments) {
  const std::unique_ptr<MotionSource> motion = open_motion(path, arguments);
  if (motion->frame_count() == 0) {
    say(path + ": contains no frame");
    throw InputError{};
  }
  const model::Model& model = motion->model();
  const std::string extension = lower_extension(path);
  const std::vector<model::State> states =
      collect_states(*motion, arguments, extension != ".tumble" && extension != ".csv");
  if (states.empty()) throw InputError{};

  Picture picture;
  picture.up = model.up();
  picture.grid = model.has_up();
  picture.items = view::build_draw_list(model, states.back());
  picture.framed = picture.items;
  if (const std::string shapeless = describe_shapeless(model); !shapeless.empty())
    say(shapeless +
        (picture.items.empty() ? ": the picture is empty" : ": the picture does not show such bodies"));
  if (arguments.is_on("--trail").value_or(false)) {
    picture.lines = view::build_paths(model, states);
    const std::vector<view::DrawItem> now = picture.items;
    for (size_t g = 0; g < kGhosts; ++g) {
      for (view::DrawItem item : view::build_draw_list(model, states[g * (states.size() - 1) / kGhosts])) {
        item.fade = 0.75 - 0.4 * static_cast<double>(g) / kGhosts;
        if (!item.fixed && !item.ground) picture.items.push_back(item);
      }
    }
    picture.framed = picture.items;
  }
  return picture;
}

Picture draw_glb(const std::string& path, const Arguments& arguments) {
  if (arguments.has("--set")) throw UsageError("--set changes a scene, but " + path + " is a recording");
  core::Expected<record::GlbRecording> recording = record::read_glb_recording(path);
  print_diagnostics(recording.diagnostics());
  if (!recording) throw InputError{};
  if (arguments.is_on("--trail").value_or(false))
    throw UsageError("--trail needs a .tumble, a .csv with --scene, or a scene");
  const size_t frame = frame_at(asked_time(arguments), recording->fps(), recording->frame_count());
  Picture picture;
  picture.up = recording->up();
  picture.grid = false;  // in a .glb a floor is a body like others
  if (recording->items().empty()) say(path + ": no body has a shape; the picture is empty");
  for (const record::GlbRecording::Item& item : recording->items()) {
    const core::Expected<math::Pose> pose = recording->pose(item.node, frame);
    print_diagnostics(pose.diagnostics());
    if (!pose) throw InputError{};
    picture.items.push_back({.mesh = item.mesh, .X_WS = *pose * item.X_BS, .color = item.color});
  }
  picture.framed = picture.items;
  return picture;
}

int render(const Arguments& arguments) {
  arguments.require_operands(1, 1);
  const std::optional<std::string> out = arguments.text("-o");
  if (!out) throw UsageError("render needs -o FILE.png");
  if (lower_extension(*out) == ".mp4")
    throw UsageError("this version does not render films yet; name a .png");
  if (lower_extension(*out) != ".png") throw UsageError(*out + ": expected a .png file");
  view::RenderOptions options;
  char rest = 0;
  if (const std::optional<std::string> size = arguments.text("--size"))
    if (std::sscanf(size->c_str(), "%dx%d%c", &options.width, &options.height, &rest) != 2 ||
        options.width < 1 || options.height < 1 || options.width > 16384 || options.height > 16384)
      throw UsageError("--size takes WIDTHxHEIGHT in pixels, e.g. 1280x720");
  try {
    const std::string& in = arguments.operands()[0];
    const std::string extension = lower_extension(in);
    const Picture picture =
        extension == ".glb" || extension == ".gltf" ? draw_glb(in, arguments) : draw_motion(in, arguments);
    options.up = picture.up;
    options.grid = picture.grid;
    options.camera = view::automatic_camera(picture.framed, picture.up,
                                            static_cast<double>(options.width) / options.height);
    options.subject = view::find_subject(picture.framed, picture.up);
    const core::Expected<std::string> png =
        view::encode_png(view::render(picture.items, options, picture.lines));
    print_diagnostics(png.diagnostics());
    if (!png) return kExitNotHeld;
    return write_whole(*out, *png);
  } catch (const InputError& fault) {
    return fault.exit_code;
  }
}

}  // namespace

Verb render_verb() {
  Verb verb{
      "render",
      "SCENE|RECORDING -o FILE.png",
      "draw a picture; needs no display",
      {{"-o", "FILE.png", "write the picture"},
       {"--time", "SECONDS", "show this simulated time (default: start of a scene, end of a recording)"},
       {"--trail", "", "draw the paths of the bodies up to this time"},
       {"--size", "WIDTHxHEIGHT", "set the size in pixels (default: 1280x720)"},
       {"--scene", "SCENE", "name the scene of a .csv recording"}},
      render};
  const std::vector<Flag> motion = motion_flags();
  verb.flags.insert(verb.flags.end(), motion.begin(), motion.end());
  return verb;
}

}  // namespace tumble::app
