#include "tumble/plot/csv_table.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "tumble/plot/parameters.h"
#include "tumble/plot/svg.h"

namespace tumble::plot {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Reads the cells of a row, one after the other.
class RowReader {
 public:
  RowReader(std::string_view text, size_t at) : text_(text), at_(at) {}

  /// The next cell, with its quotes. False at the end of the row.
  bool next(std::string_view& cell) {
    if (done_) return false;
    begin_ = at_;
    bool quoted = at_ < text_.size() && text_[at_] == '"';
    if (quoted) ++at_;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (quoted && c == '"') {
        if (at_ + 1 < text_.size() && text_[at_ + 1] == '"')
          ++at_;
        else
          quoted = false;
      } else if (quoted) {
        lines_ += c == '\n' ? 1 : 0;
      } else if (c == ',' || c == '\n') {
        break;
      }
    }
    open_ = quoted;
    cell = text_.substr(begin_, at_ - begin_);
    ended_ = at_ < text_.size();
    done_ = !ended_ || text_[at_] == '\n';
    if (done_ && cell.ends_with('\r')) cell.remove_suffix(1);
    if (ended_) ++at_;
    return true;
  }
  size_t begin() const { return begin_; }             // of the last cell
  size_t at() const { return at_; }                   // after it
  int lines() const { return lines_; }                // line ends in quotes so far
  bool ends_with_line_end() const { return ended_; }  // of a row that was read to its end
  bool is_open() const { return open_; }              // a quote that is not closed

 private:
  std::string_view text_;
  size_t at_, begin_ = 0;
  int lines_ = 0;
  bool done_ = false, ended_ = false, open_ = false;
};

std::string_view without_blanks(std::string_view cell) {
  while (!cell.empty() && (cell.front() == ' ' || cell.front() == '\t')) cell.remove_prefix(1);
  while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t')) cell.remove_suffix(1);
  return cell;
}

std::string unquoted(std::string_view cell) {
  if (cell.size() < 2 || cell.front() != '"' || cell.back() != '"') return std::string(without_blanks(cell));
  std::string text;
  for (size_t i = 1; i + 1 < cell.size(); ++i) {
    text += cell[i];
    if (cell[i] == '"') ++i;
  }
  return text;
}

enum class Fault { none, not_a_number, not_finite, too_large };

Fault read_number(std::string_view cell, double& value) {
  std::string_view text = without_blanks(cell);
  if (text.size() > 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  value = std::numeric_limits<double>::quiet_NaN();
  if (text.empty() || text == "\"\"") return Fault::none;
  if (text.front() == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return Fault::not_a_number;
  if (error == std::errc::result_out_of_range) {
    // Too small is zero, too large is a fault; from_chars does not say which.
    value = 0;
    return text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos
               ? Fault::none
               : Fault::too_large;
  }
  if (!std::isfinite(value)) return Fault::not_finite;
  return std::abs(value) > kParameters.largest_value ? Fault::too_large : Fault::none;
}

std::string describe(Fault fault, std::string_view cell) {
  const std::string shown = '"' + shorten(std::string(cell), 40) + '"';
  switch (fault) {
    case Fault::not_finite:
      return shown + " is not finite and cannot be drawn; leave the cell empty";
    case Fault::too_large:
      return shown + " is too large to be drawn";
    default:
      return "expected a number here, not " + shown;
  }
}

int column_of(size_t at, size_t row) { return static_cast<int>(at - row) + 1; }

}  // namespace

core::Expected<CsvTable> CsvTable::parse(std::string text, const std::string& path) {
  CsvTable table;
  table.text_ = std::move(text);
  table.path_ = path;
  const std::string_view all = table.text_;
  size_t at = all.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  if (at == all.size())
    return core::error_at({path, 1}, "the file is empty; a line with names of columns was expected");
  int line = 1;
  RowReader head(all, at);
  std::unordered_map<std::string, size_t> seen;
  for (std::string_view cell; head.next(cell);) {
    table.names_.push_back(unquoted(cell));
    const auto [entry, is_new] = seen.emplace(table.names_.back(), table.names_.size());
    if (!is_new)
      return core::error_at({path, line, column_of(head.begin(), at)},
                            "columns " + std::to_string(entry->second) + " and " +
                                std::to_string(table.names_.size()) + " have the same name, \"" +
                                shorten(table.names_.back(), 40) + '"');
  }
  if (double first = 0; read_number(table.names_[0], first) == Fault::none && !std::isnan(first))
    return core::error_at({path, 1, 1}, "expected a line with names of columns, not numbers");
  if (head.is_open()) return core::error_at({path, line}, "a quote in the first line is not closed");
  if (table.names_.size() < 2)
    return core::error_at({path, line}, "expected at least two columns, separated by commas");
  line += 1 + head.lines();

  core::Diagnostics warnings;
  const size_t columns = table.names_.size();
  for (at = head.at(); at < all.size();) {
    RowReader reader(all, at);
    size_t cells = 0, first_length = 0;
    for (std::string_view cell; reader.next(cell); ++cells)
      if (cells == 0) first_length = cell.size();
    const bool is_blank = cells == 1 && first_length == 0;
    if (!reader.ends_with_line_end()) {
      warnings.push_back(core::warning_at(
          {path, line}, "the last row has no line end, as a killed run leaves it; it is left out"));
      break;
    }
    if (!is_blank && cells != columns)
      return core::error_at({path, line},
                            "this row has " + std::to_string(cells) + (cells == 1 ? " cell" : " cells") +
                                ", but the first line names " + std::to_string(columns) + " columns");
    if (!is_blank) table.rows_.push_back({at, line});
    line += 1 + reader.lines();
    at = reader.at();
  }
  return {std::move(table), std::move(warnings)};
}

bool CsvTable::has_words(size_t column) const {
  if (rows_.empty()) return false;
  RowReader reader(text_, rows_[0].at);
  std::string_view cell;
  for (size_t i = 0; i <= column; ++i) reader.next(cell);
  double value = 0;
  return read_number(cell, value) == Fault::not_a_number;
}

core::Expected<std::vector<std::vector<double>>> CsvTable::numbers(const std::vector<size_t>& columns) const {
  std::vector<std::vector<size_t>> places(names_.size());  // in the result
  for (size_t i = 0; i < columns.size(); ++i) places.at(columns[i]).push_back(i);
  std::vector<std::vector<double>> numbers(columns.size());
  for (std::vector<double>& column : numbers) column.reserve(rows_.size());
  for (const Row& row : rows_) {
    RowReader reader(text_, row.at);
    size_t column = 0;
    for (std::string_view cell; reader.next(cell); ++column) {
      if (places[column].empty()) continue;
      double value = 0;
      if (const Fault fault = read_number(cell, value); fault != Fault::none)
        return core::error_at({path_, row.line, column_of(reader.begin(), row.at)}, describe(fault, cell));
      for (const size_t place : places[column]) numbers[place].push_back(value);
    }
  }
  return numbers;
}

}  // namespace tumble::plot
