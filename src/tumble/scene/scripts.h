// <script> as the library takes it: the keys of a joint's coordinate, or the path of a body.
#pragma once

#include "tumble/model/body_script.h"
#include "tumble/model/joint_spec.h"
#include "tumble/scene/reader.h"

namespace tumble::scene::detail {

/// The keys of a joint's <script>; false when something is wrong with them.
bool read_joint_script(const Element& element, model::JointSpec& spec, core::Diagnostics& diagnostics);

/// The path of a body's <script>, from its keys or from a table in a file of its own. `named_in_key`: the file that
/// has the <script>.
std::optional<model::PathSpec> read_body_script(const Element& element, const std::string& named_in_key,
                                                Files& files, core::Diagnostics& diagnostics);

/// Keys from a table: text with one row a line, numbers separated by commas or blanks. A first line of words names
/// the columns: t, x, y, z and qw, qx, qy, qz, with or without "BODY." before them; others are passed over. Without
/// it the columns are t x y z, or t x y z qw qx qy qz. Positions are of the centre of mass, as in recordings.
std::optional<model::PathSpec> parse_path_table(std::string_view text, const std::string& shown,
                                                const std::string& body, core::Diagnostics& diagnostics);

}  // namespace tumble::scene::detail
