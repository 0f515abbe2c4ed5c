#include "tumble/record/reaction_writer.h"

#include "tumble/record/number_format.h"
#include "tumble/record/output_file.h"
#include "tumble/record/text_table.h"

namespace tumble::record {

namespace {

class ReactionWriter final : public FrameWriter {
 public:
  ReactionWriter(size_t columns, double fps, ReactionStart start, std::unique_ptr<detail::OutputFile> file)
      : columns_(columns), fps_(fps), start_(std::move(start)), file_(std::move(file)) {}

  Failure write_frame(size_t k, const model::State& state) override {
    const std::vector<double>& before = k == 0 ? start_.at_start : start_.impulses;
    TUMBLE_REQUIRE(state.impulses.size() == columns_ && before.size() == columns_,
                   "a row of reactions needs those of every joint");
    row_.clear();
    append_number(row_, state.time);
    const double span = k == 0 ? 0 : state.time - static_cast<double>(k - 1) / fps_;
    for (size_t i = 0; i < columns_; ++i) {
      row_ += ',';
      append_number(row_, k == 0 ? before[i] : (state.impulses[i] - before[i]) / span);
    }
    row_ += '\n';
    start_.impulses = state.impulses;
    return file_->append(row_);
  }
  Failure flush() override { return file_->flush(); }
  Failure finish(const Summary&) override { return file_->close(); }
  const std::string& path() const override { return file_->path(); }

 private:
  size_t columns_;
  double fps_;
  ReactionStart start_;
  std::unique_ptr<detail::OutputFile> file_;
  std::string row_;  // scratch
};

}  // namespace

core::Expected<std::unique_ptr<FrameWriter>> open_reaction_writer(const std::string& path,
                                                                  const model::Model& model, double fps,
                                                                  const ReactionStart& start,
                                                                  const Progress& keep) {
  std::string header = "t";
  for (const model::JointParts& joint : model.joints())
    for (const char* part : {".fx", ".fy", ".fz", ".tx", ".ty", ".tz", ".effort"})
      header += "," + detail::csv_field(joint.name + part);
  auto file = detail::open_table(path, header + "\n", fps, keep.frames);
  if (!file) return file.diagnostics();
  return std::unique_ptr<FrameWriter>(
      new ReactionWriter(model.joints().size() * model::kReactionSize, fps, start, std::move(*file)));
}

}  // namespace tumble::record
