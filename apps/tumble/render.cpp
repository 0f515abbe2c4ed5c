// tumble render: draws a picture, a contact sheet or a film. It needs no display.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <thread>

#include "camera_flags.h"
#include "draw_pictures.h"
#include "drawn_motion.h"
#include "exit_codes.h"
#include "film_writer.h"
#include "interrupt.h"
#include "outputs.h"
#include "progress.h"
#include "report.h"
#include "run_options.h"
#include "shown_marks.h"
#include "tumble/math/elementary.h"
#include "tumble/view/canvas.h"
#include "tumble/view/render.h"
#include "verbs.h"

namespace tumble::app {
namespace {

constexpr size_t kMostPathPoints = 2000, kGhosts = 6;
constexpr size_t kMostSamples = 400;             // times at which the camera looks at the motion
constexpr size_t kMostSampledItems = 60000;      // items at all these times together
constexpr size_t kMostPictures = 400;            // of a contact sheet
constexpr double kMostFrames = 1e6;              // of a film
constexpr int kMostPictureSide = 16384;          // of a side of a picture
constexpr double kFilmRate = 30, kGifRate = 20;  // frames per second; a .gif counts hundredths of a second
constexpr int kSheetGap = 4;                     // pixels between the pictures of a sheet
constexpr double kLabelPart = 0.045;             // height of a label's capitals, per height of a picture
constexpr double kLeastLabel = 7;                // pixels

struct PictureSize {
  int width = 1280, height = 720;  // pixels
  double aspect() const { return static_cast<double>(width) / height; }
};

// What the flags ask for. All of it is checked before anything is read.
struct PictureRequest {
  std::string in, out;
  bool film = false, trail = false, solid = false;
  PictureSize size;
  CameraRequest camera;
  MarkRequest marks;
  std::optional<double> time, from, to;
  std::vector<double> times;          // of a contact sheet
  std::optional<size_t> sheet_count;  // the same, evenly spread
  double film_rate = kFilmRate, speed = 1;
  size_t threads = 1;

  bool sheet() const { return sheet_count || !times.empty(); }
};

std::optional<double> not_negative(const Arguments& arguments, const std::string& flag) {
  const std::optional<double> time = arguments.number(flag);
  if (time && *time < 0) throw UsageError(flag + " must not be negative");
  return time;
}

std::vector<double> read_times(const std::string& text) {
  std::vector<double> times;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    double value = 0;
    const auto [rest, error] = std::from_chars(at, end, value);
    if (error != std::errc() || !std::isfinite(value) || value < 0 || (rest != end && *rest != ','))
      throw UsageError("--times takes times in seconds separated by commas, e.g. 0,0.5,1; not \"" + text +
                       "\"");
    times.push_back(value);
    if (rest == end) return times;
    at = rest + 1;
  }
}

PictureSize read_size(const Arguments& arguments, const PictureRequest& request) {
  PictureSize size;
  if (request.sheet()) size = {480, 270};
  if (lower_extension(request.out) == ".gif") size = {640, 360};
  const std::optional<std::string> text = arguments.text("--size");
  if (!text) return size;
  char rest = 0;
  if (std::sscanf(text->c_str(), "%dx%d%c", &size.width, &size.height, &rest) != 2 || size.width < 1 ||
      size.height < 1 || size.width > kMostPictureSide || size.height > kMostPictureSide)
    throw UsageError("--size takes WIDTHxHEIGHT in pixels, e.g. 1280x720");
  if (request.film && (size.width % 2 != 0 || size.height % 2 != 0))
    throw UsageError("--size: width and height of a film are even numbers, e.g. 1280x720");
  return size;
}

PictureRequest read_request(const Arguments& arguments) {
  arguments.require_operands(1, 1);
  PictureRequest request;
  request.in = arguments.operands()[0];
  const std::optional<std::string> out = arguments.text("-o");
  if (!out) throw UsageError("render needs -o FILE.png, FILE.mp4, FILE.webm or FILE.gif");
  request.out = *out;
  const std::string extension = lower_extension(*out);
  request.film = is_film(extension);
  if (!request.film && extension != ".png")
    throw UsageError(*out + ": expected .png for a picture or .mp4, .webm or .gif for a film");

  request.time = not_negative(arguments, "--time");
  if (const auto times = arguments.text("--times")) request.times = read_times(*times);
  request.sheet_count = arguments.count("--sheet");
  request.from = not_negative(arguments, "--from");
  request.to = not_negative(arguments, "--to");
  const auto only_for = [&](bool fits, const std::string& what, std::initializer_list<const char*> flags) {
    for (const char* flag : flags)
      if (!fits && arguments.has(flag)) throw UsageError(std::string(flag) + " is for " + what);
  };
  only_for(request.film, "films (.mp4, .webm, .gif)", {"--speed"});
  only_for(request.film || request.sheet_count, "films and --sheet", {"--from", "--to"});
  only_for(!request.film, "pictures; a film has --from and --to", {"--time", "--times", "--sheet"});
  if (request.sheet_count && !request.times.empty())
    throw UsageError("--times and --sheet exclude each other");
  if (request.sheet() && request.time) throw UsageError("--time is for one picture; name --times");
  if (request.sheet_count && (*request.sheet_count < 1 || *request.sheet_count > kMostPictures))
    throw UsageError("--sheet takes 1 to " + std::to_string(kMostPictures) + " pictures");
  if (request.times.size() > kMostPictures)
    throw UsageError("--times takes at most " + std::to_string(kMostPictures) + " times");
  if (request.from && request.to && *request.to < *request.from)
    throw UsageError("--to must not be before --from");
  request.size = read_size(arguments, request);
  request.camera = read_camera(arguments);
  request.marks = read_marks(arguments);
  request.trail = arguments.is_on("--trail").value_or(false);
  request.solid = arguments.is_on("--solid").value_or(false);
  if (extension == ".gif") request.film_rate = kGifRate;
  if (const auto rate = arguments.positive("--fps")) request.film_rate = *rate;
  if (const auto speed = arguments.positive("--speed")) request.speed = *speed;
  request.threads = std::max(1u, std::thread::hardware_concurrency());
  if (const auto threads = arguments.count("--threads")) {
    if (*threads < 1 || *threads > 1024) throw UsageError("--threads: must be between 1 and 1024");
    request.threads = *threads;
  }
  return request;
}

// A time that can be shown: not after the end of a recording.
double within(const DrawnMotion& motion, double time) {
  if (time <= motion.end || !motion.is_recording) return time;
  say("the recording ends at t = " + brief(motion.end) + " s; the picture shows that time");
  return motion.end;
}

// The time of the recorded frame that is nearest.
double snap(const DrawnMotion& motion, double time) {
  if (!motion.is_recording) return time;
  const double frame = std::max(0.0, std::round((time - motion.begin) * motion.fps));
  return std::min(motion.end, motion.begin + frame / motion.fps);
}

struct TimeSpan {
  double from, to;  // s
};

TimeSpan range_of(const PictureRequest& request, const DrawnMotion& motion) {
  const TimeSpan range = {request.from.value_or(motion.begin),
                          within(motion, request.to.value_or(motion.end))};
  if (motion.is_recording && range.from > motion.end)
    throw UsageError("--from: the recording ends at t = " + brief(motion.end) + " s");
  if (range.from > range.to) throw UsageError("--from is after the end");
  return range;
}

// The times of all pictures.
std::vector<double> shown_times(const PictureRequest& request, const DrawnMotion& motion) {
  std::vector<double> times;
  if (request.film) {
    const TimeSpan range = range_of(request, motion);
    const double count = std::round((range.to - range.from) / request.speed * request.film_rate) + 1;
    if (count > kMostFrames) throw UsageError("the film would have more than a million frames");
    for (size_t k = 0; k < static_cast<size_t>(count); ++k)
      times.push_back(
          std::min(range.to, range.from + static_cast<double>(k) * request.speed / request.film_rate));
  } else if (request.sheet_count) {
    const TimeSpan range = range_of(request, motion);
    const size_t n = *request.sheet_count;
    for (size_t k = 0; k < n; ++k)
      times.push_back(snap(motion, n == 1 ? range.to
                                          : range.from + (range.to - range.from) * static_cast<double>(k) /
                                                             static_cast<double>(n - 1)));
  } else if (request.sheet()) {
    for (const double time : request.times) times.push_back(snap(motion, within(motion, time)));
  } else {
    const double time = request.time.value_or(motion.is_recording ? motion.end : 0);
    times.push_back(snap(motion, within(motion, time)));
  }
  return times;
}

// Paths of the centres of mass up to the time shown.
class Trail {
 public:
  // Points beside those of the pictures, up to the first picture.
  void start(DrawnMotion& motion, const std::vector<double>& times) {
    for (const double time : times) {
      motion.show(time);
      extend(motion);
    }
  }
  void extend(const DrawnMotion& motion) {
    lines_.resize(motion.names.size());
    for (size_t body = 0; body < lines_.size(); ++body) {
      if (motion.is_fixed(body)) continue;
      if (!motion.items_of_body[body].empty())
        lines_[body].color = motion.items[motion.items_of_body[body].front()].color;
      lines_[body].points.push_back(motion.position(body));
    }
  }
  const std::vector<view::Polyline>& lines() const { return lines_; }

 private:
  std::vector<view::Polyline> lines_;
};

// Positions before the time of a still picture, drawn faded.
std::vector<view::DrawItem> ghosts(DrawnMotion& motion, const std::vector<double>& times) {
  std::vector<view::DrawItem> faded;
  for (size_t g = 0; g < kGhosts && !times.empty(); ++g) {
    motion.show(times[g * (times.size() - 1) / kGhosts]);
    for (view::DrawItem item : motion.items) {
      item.fade = 0.75 - 0.4 * static_cast<double>(g) / kGhosts;
      if (!item.fixed && !item.ground) faded.push_back(item);
    }
  }
  return faded;
}

class Studio {
 public:
  Studio(const PictureRequest& request, const Arguments& arguments)
      : request_(request), motion_(DrawnMotion::open(request.in, arguments)) {
    times_ = shown_times(request, *motion_);
    const double last = *std::max_element(times_.begin(), times_.end());
    if (!motion_->is_recording) motion_->end = last;  // it is simulated no further
    size_t most =
        std::clamp(kMostSampledItems / std::max<size_t>(1, motion_->items.size()), size_t{24}, kMostSamples);
    std::vector<double> samples = motion_->sample_times(most);
    if (request.trail && !request.film)
      for (const double time : motion_->sample_times(kMostPathPoints))
        if (time < times_.front()) trail_times_.push_back(time);
    std::vector<double> all = times_;
    all.insert(all.end(), samples.begin(), samples.end());
    all.insert(all.end(), trail_times_.begin(), trail_times_.end());
    if (!motion_->prepare(all)) {  // it stopped early: show how far it came
      const auto later = [&](double t) { return t > motion_->end; };
      for (std::vector<double>* list : {&times_, &samples, &trail_times_}) std::erase_if(*list, later);
      if (times_.empty()) times_.push_back(motion_->end);
      if (samples.empty()) samples.push_back(motion_->end);
    }
    camera_.emplace(*motion_, samples, request.camera, request.size.aspect());
    motion_->show(times_.front());
    if (arguments.is_on("--verbose").value_or(false)) say(describe(camera_->camera(*motion_)));
    marks_.emplace(request.marks, *motion_, samples, camera_->subject(*motion_).radius);
    if (request.trail && !request.film) {
      trail_.start(*motion_, trail_times_);
      ghosts_ = ghosts(*motion_, trail_times_);
    }
  }

  size_t count() const { return times_.size(); }
  double time(size_t k) const { return times_[k]; }
  size_t threads() const { return request_.threads; }

  Shot shot(size_t k) {
    motion_->show(times_[k]);
    Shot shot;
    shot.items = motion_->items;
    if (!request_.solid)
      for (const size_t i : camera_->veils()) shot.items[i].veil = true;
    shot.items.insert(shot.items.end(), ghosts_.begin(), ghosts_.end());
    if (request_.trail) trail_.extend(*motion_);
    shot.lines = trail_.lines();
    view::RenderOptions& options = shot.options;
    options.width = request_.size.width;
    options.height = request_.size.height;
    options.up = motion_->up;
    options.camera = camera_->camera(*motion_);
    options.subject = camera_->subject(*motion_);
    marks_->add(*motion_, shot);
    return shot;
  }

 private:
  std::string describe(const view::Camera& camera) const {
    const view::ViewAngles angles = view::angles_of(camera, motion_->up);
    const auto degrees = [](double x) { return brief(std::round(x * 180 / math::kPi)); };
    return "the camera is at --camera " + degrees(angles.azimuth) + "," + degrees(angles.elevation) +
           "; the motion fills " + brief(100 * camera_->motion_fill()) + "% of the height";
  }

  const PictureRequest& request_;
  std::unique_ptr<DrawnMotion> motion_;
  std::vector<double> times_, trail_times_;
  std::optional<CameraMan> camera_;
  std::optional<Marks> marks_;
  Trail trail_;
  std::vector<view::DrawItem> ghosts_;
};

int write_png(const std::string& path, const view::Image& image) {
  const core::Expected<std::string> png = view::encode_png(image);
  print_diagnostics(png.diagnostics());
  return png ? write_whole(path, *png) : kExitNotHeld;
}

int draw_one(Studio& studio, const PictureRequest& request) {
  view::Image image;
  draw_pictures(
      1, 1, [&](size_t k) { return studio.shot(k); },
      [&](size_t, view::Image drawn) {
        image = std::move(drawn);
        return true;
      });
  return write_png(request.out, image);
}

int draw_sheet(Studio& studio, const PictureRequest& request) {
  const size_t n = studio.count();
  // One row of up to four, then about as many columns as rows.
  const auto columns =
      n <= 4 ? static_cast<int>(n) : static_cast<int>(std::ceil(std::sqrt(static_cast<double>(n))));
  const int rows = static_cast<int>((n + static_cast<size_t>(columns) - 1) / static_cast<size_t>(columns));
  const auto [width, height] = std::pair(request.size.width, request.size.height);
  view::Image sheet{columns * (width + kSheetGap) - kSheetGap, rows * (height + kSheetGap) - kSheetGap, {}};
  sheet.rgb.assign(size_t{3} * static_cast<size_t>(sheet.width) * static_cast<size_t>(sheet.height), 255);
  const double letters = std::max(kLeastLabel, kLabelPart * height);
  draw_pictures(
      n, studio.threads(), [&](size_t k) { return studio.shot(k); },
      [&](size_t k, view::Image image) {
        view::draw_label(image, brief(studio.time(k)) + " s", {letters, height - letters}, letters);
        const int at = static_cast<int>(k);
        view::paste(image, at % columns * (width + kSheetGap), at / columns * (height + kSheetGap), sheet);
        return true;
      });
  return write_png(request.out, sheet);
}

int draw_film(Studio& studio, const PictureRequest& request) {
  watch_for_interrupts();
  FilmWriter film(request.out, request.size.width, request.size.height, request.film_rate);
  draw_pictures(
      studio.count(), studio.threads(), [&](size_t k) { return studio.shot(k); },
      [&](size_t, const view::Image& image) { return film.write(image) && interrupted_by() == 0; });
  if (const record::Failure failure = film.finish()) {
    say(to_string(*failure));
    return kExitNotHeld;
  }
  return interrupted_by() == 0 ? kExitDone : kExitInterrupted;
}

int render(const Arguments& arguments) {
  const PictureRequest request = read_request(arguments);
  require_writable(request.out);
  if (request.film) require_ffmpeg();
  try {
    Studio studio(request, arguments);
    if (request.film) return draw_film(studio, request);
    return request.sheet() ? draw_sheet(studio, request) : draw_one(studio, request);
  } catch (const InputError& fault) {
    return fault.exit_code;
  }
}

}  // namespace

Verb render_verb() {
  Verb verb{
      "render",
      "SCENE|RECORDING -o FILE.png|FILE.mp4",
      "draw a picture, a contact sheet or a film; needs no display",
      {{"-o", "FILE.png|.mp4|.webm|.gif", "write a picture or a film (films need ffmpeg)"},
       {"--time", "SECONDS", "show this simulated time (default: start of a scene, end of a recording)"},
       {"--times", "T,T,...", "draw a contact sheet of these times"},
       {"--sheet", "N", "draw a contact sheet of N times, evenly spread"},
       {"--from", "SECONDS", "begin a film or a sheet at this time (default: the start)"},
       {"--to", "SECONDS", "end a film or a sheet at this time (default: the end)"},
       {"--speed", "FACTOR", "show this many simulated seconds per second of film (default: 1)"},
       {"--size", "WIDTHxHEIGHT",
        "set the size of a picture in pixels (default: 1280x720; .gif 640x360; in a sheet 480x270)"},
       {"--trail", "", "draw the paths of the bodies up to this time"},
       {"--solid", "", "do not show moving bodies through walls in front of them"},
       {"--threads", "N", "draw with N threads (default: all cores); does not change the pictures"},
       {"--verbose", "", "print the camera and the part of the picture that the motion fills"},
       {"--scene", "SCENE", "name the scene of a .csv recording"}},
      render};
  const std::vector<Flag> camera = camera_flags(), marks = mark_flags(), motion = motion_flags();
  verb.flags.insert(verb.flags.begin() + 8, marks.begin(), marks.end());
  verb.flags.insert(verb.flags.begin() + 8, camera.begin(), camera.end());
  verb.flags.insert(verb.flags.end(), motion.begin(), motion.end());
  for (Flag& flag : verb.flags)
    if (flag.name == "--fps") flag.help = "frames per second of a film (default: 30; .gif 20)";
  return verb;
}

}  // namespace tumble::app
