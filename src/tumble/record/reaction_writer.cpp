#include "tumble/record/reaction_writer.h"

#include "tumble/record/number_format.h"
#include "tumble/record/output_file.h"
#include "tumble/record/text_table.h"

namespace tumble::record {

core::Expected<std::unique_ptr<ReactionWriter>> ReactionWriter::open(const std::string& path,
                                                                     const model::Model& model, double fps,
                                                                     size_t keep_frames) {
  std::string header = "t";
  for (const model::JointParts& joint : model.joints())
    for (const char* part : {".fx", ".fy", ".fz", ".tx", ".ty", ".tz", ".effort"})
      header += "," + detail::csv_field(joint.name + part);
  auto file = detail::open_table(path, header + "\n", fps, keep_frames);
  if (!file) return file.diagnostics();
  return std::unique_ptr<ReactionWriter>(
      new ReactionWriter(std::move(*file), model.joints().size() * model::kReactionSize));
}

ReactionWriter::ReactionWriter(std::unique_ptr<detail::OutputFile> file, size_t columns)
    : file_(std::move(file)), columns_(columns) {}
ReactionWriter::~ReactionWriter() = default;

Failure ReactionWriter::write_row(double t, std::span<const double> reactions) {
  TUMBLE_REQUIRE(reactions.size() == columns_, "a row of reactions needs those of every joint");
  row_.clear();
  append_number(row_, t);
  for (const double reaction : reactions) {
    row_ += ',';
    append_number(row_, reaction);
  }
  row_ += '\n';
  return file_->append(row_, t);
}

Failure ReactionWriter::flush() { return file_->flush(); }
Failure ReactionWriter::finish() { return file_->close(); }
const std::string& ReactionWriter::path() const { return file_->path(); }
std::optional<double> ReactionWriter::written_until() const { return file_->written_until(); }

}  // namespace tumble::record
