// tumble plot: columns of recordings and of CSV files over time, as SVG.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>

#include "exit_codes.h"
#include "motion_source.h"
#include "outputs.h"
#include "page_bundle.h"
#include "report.h"
#include "tumble/plot/choose.h"
#include "tumble/plot/figure.h"
#include "tumble/plot/paths.h"
#include "tumble/plot/source.h"
#include "tumble/plot/spectrum.h"
#include "verbs.h"

namespace tumble::app {
namespace {

constexpr size_t kMostFiles = 4;  // as many as there are kinds of dashes
constexpr double kMostFigureSide = 16384;

// A file to plot from.
struct Input {
  std::string path, shown;
  std::unique_ptr<MotionSource> motion;  // of a .tumble
  std::unique_ptr<plot::Source> source;
};

template <typename T>
T value_or_fail(core::Expected<T> result, const std::string& path) {
  print_diagnostics(with_file(result.diagnostics(), path));
  if (!result) throw InputError{};
  return std::move(result).value();
}

// Faults of what was asked for: names, ranges, sizes.
template <typename T>
T value_or_refuse(core::Expected<T> result) {
  if (!result) throw UsageError(result.diagnostics().front().message);
  for (const core::Diagnostic& warning : result.diagnostics()) say("warning: " + warning.message);
  return std::move(result).value();
}

Input open_input(const std::string& path) {
  Input input{path, file_name(path), nullptr, nullptr};
  const std::string extension = lower_extension(path);
  if (extension == ".xml")
    throw UsageError(path + " is a scene; run it first: tumble run " + path + " -o run.tumble");
  if (extension != ".tumble" && extension != ".csv")
    throw UsageError(path + ": expected a .tumble, or a .csv of a run or of another program");
  if (extension == ".csv") {
    input.source = value_or_fail(plot::open_csv(path), path);
    return input;
  }
  input.motion = open_recording(path);
  input.source = plot::open_recording(*input.motion->recording(), input.motion->model());
  if (input.motion->frame_count() > 0 || input.source->has("energy")) return input;
  say(path + ": contains no frame and no log");
  throw InputError{};
}

std::vector<Input> open_inputs(const std::vector<std::string>& paths) {
  std::vector<Input> inputs;
  std::set<std::string> shown;
  for (const std::string& path : paths) {
    inputs.push_back(open_input(path));
    shown.insert(inputs.back().shown);
    const plot::Source &first = *inputs[0].source, &source = *inputs.back().source;
    if (source.x_title() != first.x_title() || source.x_unit() != first.x_unit())
      throw UsageError("the first columns of " + paths[0] + " and " + path + " differ (" + first.x_title() +
                       ", " + source.x_title() + "): they have no common axis");
  }
  if (shown.size() < inputs.size())
    for (Input& input : inputs) input.shown = input.path;
  return inputs;
}

std::vector<std::string> split(const std::string& list, const std::string& flag) {
  std::vector<std::string> names;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    names.push_back(list.substr(at, end - at));
    if (names.back().empty()) throw UsageError(flag + " \"" + list + "\" has an empty name");
    at = end + 1;
  }
  return names;
}

[[noreturn]] void refuse_name(const std::vector<Input>& inputs, const std::string& name) {
  std::vector<std::string> known;
  std::string files;
  for (const Input& input : inputs) {
    const std::vector<std::string>& words = input.source->words();
    if (std::find(words.begin(), words.end(), name) != words.end())
      throw UsageError("column " + name + " of " + input.shown + " has words, not numbers");
    for (const std::string& column : input.source->names())
      if (std::find(known.begin(), known.end(), column) == known.end()) known.push_back(column);
    files += (files.empty() ? "" : &input == &inputs.back() ? " and " : ", ") + input.shown;
  }
  const std::string near = plot::near_names(name, known);
  throw UsageError("there is no column \"" + name + "\" in " + files +
                   (near.empty() ? "" : "; did you mean " + near + "?") +
                   "\n  columns: " + plot::summarize_names(known) + "\n ");
}

// The columns that a name or a pattern stands for, in the order of the files.
std::vector<std::string> resolve(const std::vector<Input>& inputs, const std::string& name) {
  for (const Input& input : inputs)
    if (input.source->has(name)) return {name};
  std::vector<std::string> found;
  std::set<std::string> seen;
  if (name.find_first_of("*?") != std::string::npos)
    for (const Input& input : inputs)
      for (const std::string& column : input.source->names())
        if (plot::matches(name, column) && seen.insert(column).second) found.push_back(column);
  if (found.empty()) refuse_name(inputs, name);
  return found;
}

// Each --columns has its own panels.
std::vector<plot::PanelChoice> choose_panels(const std::vector<Input>& inputs, const Arguments& arguments,
                                             bool spectrum) {
  std::vector<plot::PanelChoice> panels;
  for (const std::string& list : arguments.all("--columns")) {
    std::vector<std::string> columns;
    for (const std::string& name : split(list, "--columns"))
      for (const std::string& column : resolve(inputs, name))
        if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
    for (plot::PanelChoice& panel : plot::group_columns(columns)) panels.push_back(std::move(panel));
  }
  if (!panels.empty()) return panels;
  std::set<plot::SourceKind> kinds;
  for (const Input& input : inputs) {
    if (!kinds.insert(input.source->kind()).second) continue;
    const plot::Choice choice = value_or_fail(plot::choose_default(*input.source, spectrum), input.path);
    for (const std::string& note : choice.notes) say(note);
    panels.insert(panels.end(), choice.panels.begin(), choice.panels.end());
  }
  if (panels.empty()) throw UsageError("no column has numbers to plot");
  return panels;
}

// The lines of all panels. A column that only some files have is drawn for these.
std::vector<plot::Panel> read_panels(const std::vector<Input>& inputs,
                                     const std::vector<plot::PanelChoice>& choices) {
  std::vector<plot::Panel> panels(choices.size());
  for (size_t i = 0; i < choices.size(); ++i) panels[i].quantity = choices[i].quantity;
  for (size_t file = 0; file < inputs.size(); ++file) {
    std::vector<std::string> names;
    std::vector<std::pair<size_t, size_t>> places;  // panel and column
    for (size_t i = 0; i < choices.size(); ++i)
      for (size_t k = 0; k < choices[i].columns.size(); ++k) {
        const std::string& name = choices[i].columns[k];
        if (inputs[file].source->has(name)) {
          names.push_back(name);
          places.emplace_back(i, k);
        } else {
          say("warning: " + inputs[file].shown + " has no column " + name);
        }
      }
    std::set<std::string> once(names.begin(), names.end());
    const std::vector<std::string> unique(once.begin(), once.end());
    const std::vector<plot::Series> series =
        value_or_fail(inputs[file].source->read(unique), inputs[file].path);
    for (size_t n = 0; n < names.size(); ++n) {
      const auto at = std::lower_bound(unique.begin(), unique.end(), names[n]) - unique.begin();
      panels[places[n].first].lines.push_back({series[static_cast<size_t>(at)], file, places[n].second});
    }
  }
  return panels;
}

// Replaces every line by its spectrum.
void make_spectra(plot::Figure& figure, const plot::Range& times, const std::string& unit) {
  double last = 0;
  for (plot::Panel& panel : figure.panels) {
    std::vector<plot::Spectrum> spectra;
    for (plot::Line& line : panel.lines) {
      spectra.push_back(value_or_refuse(plot::find_spectrum(line.series, times, figure.x_scale)));
      line.series = spectra.back().series;
    }
    panel.peaks = plot::choose_peaks(spectra, figure.y_scale);
    panel.quantity = panel.quantity.empty() ? panel.lines[0].series.quantity.name : panel.quantity;
    panel.quantity = panel.quantity.empty() ? "amplitude" : "amplitude of " + panel.quantity;
    last = std::max(last, plot::find_reach(spectra, panel.peaks));
  }
  figure.x_title = "frequency";
  figure.x_unit = unit == "s" ? "Hz" : unit.empty() ? "" : "1/" + unit;
  if (figure.x_scale == plot::Scale::linear) figure.to = last;
}

void draw_paths(plot::Figure& figure, const std::vector<Input>& inputs, const Arguments& arguments,
                const plot::Range& times) {
  plot::PathRequest request{.times = times};
  for (const std::string& list : arguments.all("--path"))
    for (const std::string& name : split(list, "--path"))
      for (const std::string& column : resolve(inputs, name + ".x"))
        request.bodies.push_back(column.substr(0, column.size() - 2));
  for (const Input& input : inputs) {
    request.sources.push_back(input.source.get());
    if (input.motion && input.motion->model().has_up()) request.up = input.motion->model().up();
  }
  const plot::Paths paths = value_or_fail(plot::find_paths(request), inputs[0].path);
  if (paths.panel.lines.empty()) throw UsageError("no body of --path has a place from --from to --to");
  figure.panels = {paths.panel};
  figure.x_title = paths.x_title;
  figure.x_unit = "m";
  figure.equal_scales = true;
}

plot::Figure make_figure(const std::vector<Input>& inputs, const Arguments& arguments) {
  plot::Figure figure;
  const std::optional<double> from = arguments.number("--from"), to = arguments.number("--to");
  const bool spectrum = arguments.is_on("--spectrum").value_or(false), path = arguments.has("--path");
  if (from && to && !(*from < *to)) throw UsageError("--from must be before --to");
  if (path && (spectrum || arguments.has("--columns")))
    throw UsageError("--path draws places; it has no --columns and no --spectrum");
  const bool log_x = arguments.is_on("--log-x").value_or(false),
             log_y = arguments.is_on("--log-y").value_or(false);
  if (path && (log_x || log_y)) throw UsageError("--path has no logarithmic axes");
  const Input& first = inputs[0];
  figure.title = arguments.text("--title").value_or(
      first.motion ? first.motion->info().scene_name : std::filesystem::path(first.shown).stem().string());
  for (const Input& input : inputs) figure.files.push_back(input.shown);
  figure.x_title = first.source->x_title();
  figure.x_unit = first.source->x_unit();
  figure.x_scale = log_x ? plot::Scale::log : plot::Scale::linear;
  figure.y_scale = log_y ? plot::Scale::log : plot::Scale::linear;
  figure.numbers = arguments.is_on("--numbers").value_or(false);
  if (const std::optional<std::string> size = arguments.text("--size")) {
    int width = 0, height = 0;
    char rest = 0;
    if (std::sscanf(size->c_str(), "%dx%d%c", &width, &height, &rest) != 2 || width < 1 || height < 1 ||
        width > kMostFigureSide || height > kMostFigureSide)
      throw UsageError("--size takes WIDTHxHEIGHT in pixels, e.g. 820x600");
    figure.width = width;
    figure.height = height;
  }
  const plot::Range times{from.value_or(-INFINITY), to.value_or(INFINITY)};
  if (path) {
    draw_paths(figure, inputs, arguments, times);
    return figure;
  }
  figure.panels = read_panels(inputs, choose_panels(inputs, arguments, spectrum));
  if (spectrum) {
    make_spectra(figure, times, figure.x_unit);
  } else {
    figure.from = from;
    figure.to = to;
  }
  return figure;
}

int plot_files(const Arguments& arguments) {
  arguments.require_operands(1, kMostFiles);
  const std::optional<std::string> out = arguments.text("-o");
  if (!out || out->empty()) throw UsageError("name the picture: -o plot.svg");
  if (lower_extension(*out) != ".svg") throw UsageError(*out + ": a plot is an .svg");
  try {
    const std::vector<Input> inputs = open_inputs(arguments.operands());
    return write_whole(*out, value_or_refuse(plot::draw_figure(make_figure(inputs, arguments))));
  } catch (const InputError& fault) {
    return fault.exit_code;
  }
}

}  // namespace

Verb plot_verb() {
  return {
      "plot",
      "FILE... -o OUT.svg",
      "draw columns of a recording (.tumble) or of a .csv over time; further files are dashed",
      {{"-o", "OUT.svg", "write the picture"},
       {"--columns", "NAME,...",
        "draw these columns, named as in the .csv files, e.g. 'ball*.vx'; given again: more panels"},
       {"--path", "NAME,...", "draw the paths of these bodies in the plane of most motion"},
       {"--spectrum", "", "draw amplitude over frequency, with the frequencies of the peaks"},
       {"--from", "T", "begin at this time (s), or value of the first column"},
       {"--to", "T", "end at this one"},
       {"--log-x", "", "use a logarithmic x axis"},
       {"--log-y", "", "use logarithmic y axes"},
       {"--title", "TEXT", "set the title (default: the name of the scene or file)"},
       {"--size", "WIDTHxHEIGHT", "set the size in pixels (default: 820 wide, as high as the panels need)"},
       {"--numbers", "", "also store the drawn numbers with all digits in the picture"}},
      plot_files};
}

}  // namespace tumble::app
