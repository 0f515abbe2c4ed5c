#include <charconv>

#include "tumble/core/files.h"
#include "tumble/record/recording.h"
#include "tumble/record/text_table.h"

namespace tumble::record {

namespace {

// Reads `numbers` from one row. Returns the column of the first fault, counted from 1, or 0.
size_t parse_row(std::string_view row, std::vector<double>& numbers) {
  const char* at = row.data();
  const char* const end = row.data() + row.size();
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto [next, error] = std::from_chars(at, end, numbers[i]);
    const bool last = i + 1 == numbers.size();
    const bool closed = last ? next == end : next != end && *next == ',';
    if (error != std::errc() || !closed) return static_cast<size_t>(at - row.data()) + 1;
    at = next + 1;
  }
  return 0;
}

}  // namespace

core::Expected<std::vector<model::State>> read_csv(const std::string& path, const model::Model& model) {
  const auto read = core::read_file(path);
  if (!read) return read.diagnostics();
  const std::string_view text = *read;
  const std::string header = detail::table_header(detail::TextFormat::csv, model);
  const size_t columns = 1 + model::kBodySize * model.bodies().size();
  if (text.substr(0, header.size()) != header)
    return core::error_at({path, 1, 1},
                          "the columns are not those of this scene: expected t, then 13 for "
                          "each of its " +
                              std::to_string(model.bodies().size()) + " bodies in scene order");
  std::vector<model::State> frames;
  std::vector<double> numbers(columns);
  size_t at = header.size();
  for (int line = 2; at < text.size(); ++line) {
    const size_t end = text.find('\n', at);
    if (end == std::string_view::npos) break;  // the run was killed in this row
    std::string_view row = text.substr(at, end - at);
    if (row.ends_with('\r')) row.remove_suffix(1);
    if (const size_t column = parse_row(row, numbers); column > 0)
      return core::error_at({path, line, static_cast<int>(column)},
                            "expected a number here; each row has " + std::to_string(columns) + " numbers");
    model::State& state = frames.emplace_back();
    state.time = numbers[0];
    state.y.resize(columns - 1);
    state.work.assign(model.work_count(), 0.0);
    for (size_t i = 0; i < model.bodies().size(); ++i) {
      const double* n = &numbers[1 + model::kBodySize * i];
      model::set_motion(model, core::BodyId(i), {n[0], n[1], n[2]},
                        math::Quat::from_wxyz(n[3], n[4], n[5], n[6]), {n[7], n[8], n[9]},
                        {n[10], n[11], n[12]}, state);
    }
    at = end + 1;
  }
  if (frames.empty()) return core::error_at({path, 2}, "no frame was found");
  return frames;
}

}  // namespace tumble::record
