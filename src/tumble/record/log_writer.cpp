#include "tumble/record/log_writer.h"

#include "tumble/record/log_columns.h"
#include "tumble/record/number_format.h"
#include "tumble/record/output_file.h"
#include "tumble/record/text_table.h"

namespace tumble::record {

namespace {

std::string log_header(const std::vector<std::string>& force_names, const std::vector<std::string>& bodies) {
  std::string header;
  for (const Column& column : log_columns(force_names, bodies))
    header += (header.empty() ? "" : ",") + detail::csv_field(column.name);
  return header + "\n";
}

}  // namespace

core::Expected<std::unique_ptr<LogWriter>> LogWriter::open(const std::string& path,
                                                           const std::vector<std::string>& force_names,
                                                           size_t keep_bytes,
                                                           const std::vector<std::string>& bodies) {
  auto file = detail::open_rows(path, log_header(force_names, bodies), keep_bytes);
  if (!file) return file.diagnostics();
  return std::unique_ptr<LogWriter>(new LogWriter(std::move(*file), force_names.size(), bodies.size()));
}

LogWriter::LogWriter(std::unique_ptr<detail::OutputFile> file, size_t forces, size_t bodies)
    : file_(std::move(file)), forces_(forces), bodies_(bodies) {}
LogWriter::~LogWriter() = default;

Failure LogWriter::write_row(const LogRow& row) {
  TUMBLE_REQUIRE(row.work_by_force.size() == forces_, "a log row needs the work of every force it names");
  TUMBLE_REQUIRE(row.by_body.size() == bodies_ * model::kBodyLogSize,
                 "a log row needs the numbers of the bodies it names");
  row_.clear();
  numbers_.clear();
  append_log_row(row, numbers_);
  for (const double x : numbers_) {
    append_number(row_, x);
    row_ += ',';
  }
  row_.back() = '\n';
  return file_->append(row_, row.t);
}

Failure LogWriter::flush() { return file_->flush(); }
Failure LogWriter::finish() { return file_->close(); }
size_t LogWriter::offset() const { return file_->size(); }
const std::string& LogWriter::path() const { return file_->path(); }
std::optional<double> LogWriter::written_until() const { return file_->written_until(); }

}  // namespace tumble::record
