#include "tumble/record/contact_writer.h"

#include "tumble/record/number_format.h"
#include "tumble/record/output_file.h"
#include "tumble/record/text_table.h"

namespace tumble::record {

core::Expected<std::unique_ptr<ContactWriter>> ContactWriter::open(const std::string& path,
                                                                   size_t keep_bytes) {
  auto file = detail::open_rows(
      path,
      "t,a,b,x,y,z,nx,ny,nz,gap,jn,jx,jy,jz,slip,state,patch,patch_jx,patch_jy,patch_jz,patch_x,patch_y,"
      "patch_z,patch_moment\n",
      keep_bytes);
  if (!file) return file.diagnostics();
  return std::unique_ptr<ContactWriter>(new ContactWriter(std::move(*file)));
}

ContactWriter::ContactWriter(std::unique_ptr<detail::OutputFile> file) : file_(std::move(file)) {}
ContactWriter::~ContactWriter() = default;

Failure ContactWriter::write_row(const ContactRow& row) {
  row_.clear();
  const auto add = [this](double x) {
    append_number(row_, x);
    row_ += ',';
  };
  const auto add_text = [this](std::string_view text) {
    row_ += detail::csv_field(std::string(text));
    row_ += ',';
  };
  add(row.t);
  add_text(row.a), add_text(row.b);
  for (const double x : row.point) add(x);
  for (const double x : row.normal) add(x);
  add(row.gap);
  add(row.normal_impulse);
  for (const double x : row.impulse) add(x);
  add(row.slip);
  add_text(row.state);
  add(static_cast<double>(row.patch));
  for (const double x : row.patch_impulse) add(x);
  for (const double x : row.patch_center) add(x);
  add(row.patch_moment);
  row_.back() = '\n';
  return file_->append(row_, row.t);
}

Failure ContactWriter::flush() { return file_->flush(); }
Failure ContactWriter::finish() { return file_->close(); }
size_t ContactWriter::offset() const { return file_->size(); }
const std::string& ContactWriter::path() const { return file_->path(); }
std::optional<double> ContactWriter::written_until() const { return file_->written_until(); }

}  // namespace tumble::record
