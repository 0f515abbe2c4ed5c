// Writes a file of which either all is there or nothing: a summary, a picture, a mesh, a checkpoint.
#pragma once

#include <string>
#include <string_view>

#include "tumble/record/failure.h"

namespace tumble::record {

enum class Durable { no, yes };

/// Writes a new file PATH.new and renames it. So the path holds the old file or the whole new one, also when
/// the disk is full or the process is killed. A device is written to as it is, and so is a file in a folder
/// that takes no new ones. With Durable::yes the bytes are on the disk (fsync) before the file is renamed.
Failure write_whole_file(const std::string& path, std::string_view bytes, Durable durable = Durable::no);

}  // namespace tumble::record
