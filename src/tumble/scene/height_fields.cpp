#include "tumble/scene/height_fields.h"

#include <cmath>

#include "tumble/geometry/height_field.h"
#include "tumble/scene/limits.h"

namespace tumble::scene::detail {

namespace {

std::string numbers_in_words(size_t count) {
  return std::to_string(count) + (count == 1 ? " number" : " numbers");
}

// The fault of a word that should be a height; empty if it has none.
std::string explain_height(std::string_view word, const ParsedNumber& number) {
  switch (number.fault) {
    case NumberFault::none:
      return "";
    case NumberFault::not_a_number:
      return quote(word) + " is not a number; expected a height (" + unit_list(Dimension::length) + ")";
    case NumberFault::not_finite:
      return quote(word) + " is not a finite number";
    case NumberFault::wrong_unit:
      if (number.unit.find(',') != std::string_view::npos)
        return quote(word) + ": separate numbers with spaces, not commas";
      return quote(number.unit) + " is not a unit of length; expected one of " + unit_list(Dimension::length);
    case NumberFault::out_of_range:
      return quote(word) + " is too large or too small; expected a magnitude from 1e-308 to 1e308";
  }
  return "";
}

// Removes the first line from a text and returns it. Lines end with LF, CR or CR LF.
std::string_view take_line(std::string_view& text) {
  const size_t end = std::min(text.find_first_of("\r\n"), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end);
  if (text.starts_with("\r\n"))
    text.remove_prefix(2);
  else if (!text.empty())
    text.remove_prefix(1);
  return line;
}

class HeightReader {
 public:
  HeightReader(const std::string& shown, core::Diagnostics& diagnostics)
      : shown_(shown), diagnostics_(diagnostics) {}

  std::optional<HeightGrid> run(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    while (!text.empty() && faults_ < kMaxHeightFaults) {
      ++line_;
      read_line(take_line(text));
    }
    if (faults_ == 0 && (rows_ < 2 || grid_.columns < 2))
      fail({.file = shown_}, "has " + std::to_string(rows_) + (rows_ == 1 ? " row" : " rows") +
                                 (rows_ == 0 ? "" : " of " + numbers_in_words(grid_.columns)) +
                                 "; a height field needs at least two rows of two numbers, one row per line");
    if (faults_ > 0) return std::nullopt;
    return std::move(grid_);
  }

 private:
  static constexpr size_t kMaxHeightFaults = 20;

  void read_line(std::string_view line) {
    const std::string_view words = line.substr(0, line.find('#'));
    size_t count = 0, at = 0;
    core::Place first{};
    while ((at = words.find_first_not_of(kBlanks, at)) != std::string_view::npos) {
      const size_t end = std::min(words.find_first_of(kBlanks, at), words.size());
      const std::string_view word = words.substr(at, end - at);
      const core::Place place = place_at(line, at);
      if (count++ == 0) first = place;
      const ParsedNumber number = parse_number(word, Dimension::length);
      if (const std::string fault = explain_height(word, number); !fault.empty()) return fail(place, fault);
      grid_.heights.push_back(number.value);
      at = end;
    }
    if (count == 0) return;
    if (++rows_ == 1) {
      grid_.columns = count;
      first_line_ = line_;
    } else if (count != grid_.columns) {
      fail(first, "this row has " + numbers_in_words(count) + ", but the first row (line " +
                      std::to_string(first_line_) + ") has " + std::to_string(grid_.columns) +
                      "; all rows need the same length");
    }
  }

  // Columns count characters, not bytes.
  core::Place place_at(std::string_view line, size_t at) const {
    int column = 1;
    for (const char c : line.substr(0, at)) column += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    return {.file = shown_, .line = line_, .column = column};
  }

  void fail(core::Place place, std::string message) {
    diagnostics_.push_back(core::error_at(std::move(place), std::move(message)));
    ++faults_;
  }

  const std::string& shown_;
  core::Diagnostics& diagnostics_;
  HeightGrid grid_;
  size_t rows_ = 0, faults_ = 0;
  int line_ = 0, first_line_ = 0;
};

}  // namespace

std::optional<HeightGrid> parse_heights(std::string_view text, const std::string& shown,
                                        core::Diagnostics& diagnostics) {
  return HeightReader(shown, diagnostics).run(text);
}

void HeightFieldLibrary::fail(const core::Place& place, std::string message) {
  diagnostics_.push_back(core::error_at(place, std::move(message)));
}

const HeightFieldLibrary::HeightFile& HeightFieldLibrary::read_once(const FilePath& path) {
  const auto [entry, is_new] = by_key_.try_emplace(path.key);
  HeightFile& file = entry->second;
  if (!is_new) return file;
  const core::Expected<std::string> bytes = files_.read(path);
  if (!bytes) {
    file.fault = bytes.diagnostics().front().message;
    return file;
  }
  file.grid = parse_heights(*bytes, path.shown, diagnostics_);
  if (!file.grid) file.fault = "has faults; they are listed with its name";
  return file;
}

std::optional<HeightGrid> HeightFieldLibrary::grid_of(const Element& element,
                                                      const std::string& named_in_key) {
  if (const Field* file = element.find("file")) {
    const FilePath path = files_.resolve(named_in_key, file->text);
    const HeightFile& read = read_once(path);
    if (!read.grid) fail(file->place, "the file of heights " + quote(path.shown) + " " + read.fault);
    return read.grid;
  }
  const Field& heights = *element.find("heights");
  const auto columns = static_cast<size_t>(element.number("columns"));
  const size_t count = heights.numbers.size();
  if (count % columns != 0 || count / columns < 2) {
    fail(heights.place, "heights: " + numbers_in_words(count) +
                            (count == columns ? " are one row of " : " do not fill rows of ") +
                            std::to_string(columns) + " (columns); expected at least two full rows");
    return std::nullopt;
  }
  return HeightGrid{columns, heights.numbers};
}

std::shared_ptr<const geometry::TriangleMesh> HeightFieldLibrary::load(const Element& element,
                                                                       const std::string& named_in_key) {
  std::optional<HeightGrid> grid = grid_of(element, named_in_key);
  if (!grid) return nullptr;
  const Field& from = element.find("file") ? *element.find("file") : *element.find("heights");
  const std::vector<double>& size = element.find("size")->numbers;
  double largest = std::max(size[0], size[1]);
  for (double& height : grid->heights) {
    height *= element.number("scale");
    largest = std::max(largest, std::abs(height));
  }
  if (!(largest <= kMaxMagnitude)) {
    fail(from.place, "the height field is too large; expected heights and a size up to " +
                         core::brief_number(kMaxMagnitude) + " m");
    return nullptr;
  }
  if (grid->heights.size() >= UINT32_MAX) {
    fail(from.place, "there are too many heights; expected fewer than " + std::to_string(UINT32_MAX));
    return nullptr;
  }
  return std::make_shared<const geometry::TriangleMesh>(
      geometry::build_height_field(grid->heights, grid->columns, size[0], size[1]));
}

}  // namespace tumble::scene::detail
