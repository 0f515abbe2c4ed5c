// Reads <script>: the keys of a joint's coordinate, or the path of a body.
#pragma once

#include "tumble/model/body_script.h"
#include "tumble/model/joint_spec.h"
#include "tumble/scene/reader.h"

namespace tumble::scene::detail {

/// Reads the keys of a joint's <script>. Returns false if they have faults.
bool read_joint_script(const Element& element, model::JointSpec& spec, core::Diagnostics& diagnostics);

/// Reads the path of a body's <script> from its keys or from a table in another file. `named_in_key` is the
/// file that contains the <script>.
std::optional<model::PathSpec> read_body_script(const Element& element, const std::string& named_in_key,
                                                Files& files, core::Diagnostics& diagnostics);

/// Reads keys from a table: text with one row per line, numbers separated by commas or spaces. The first line
/// may name the columns: t, x, y, z and qw, qx, qy, qz, with or without "BODY." before them; other columns
/// are ignored. Without names the columns are t x y z, or t x y z qw qx qy qz. Positions are those of the
/// centre of mass, as in recordings.
std::optional<model::PathSpec> parse_path_table(std::string_view text, const std::string& shown,
                                                const std::string& body, core::Diagnostics& diagnostics);

}  // namespace tumble::scene::detail
