// The columns of .csv and .txt: t, then 13 numbers per body, named NAME.x NAME.y ... NAME.wz.
#pragma once

#include <string>
#include <vector>

#include "tumble/core/expected.h"
#include "tumble/model/state.h"
#include "tumble/record/frame_writer.h"

namespace tumble::record::detail {

enum class TextFormat { csv, matrix };

/// A field of a CSV line. It is quoted if it contains a comma, a quote or a line end.
std::string csv_field(const std::string& text);

/// The names of the columns, t first.
std::vector<std::string> table_columns(const model::Model& model);

/// All lines before the first row.
std::string table_header(TextFormat format, const model::Model& model);

class OutputFile;

/// Opens a text file with one row per frame, which begins with its time. With keep_frames > 0 an existing
/// file is continued after the frames before that number.
core::Expected<std::unique_ptr<OutputFile>> open_table(const std::string& path, const std::string& header,
                                                       double fps, size_t keep_frames);

/// The same for any number of rows per frame. With keep_bytes > 0 an existing file is continued after that
/// many bytes; a row must end there.
core::Expected<std::unique_ptr<OutputFile>> open_rows(const std::string& path, const std::string& header,
                                                      size_t keep_bytes);

core::Expected<std::unique_ptr<FrameWriter>> open_text_writer(TextFormat format, const std::string& path,
                                                              const model::Model& model,
                                                              const RecordingInfo& info,
                                                              const Progress& keep);

}  // namespace tumble::record::detail
