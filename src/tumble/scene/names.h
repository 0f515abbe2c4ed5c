// Names and who refers to them: duplicates, default names, references to what is not there.
#pragma once

#include <map>

#include "tumble/scene/reader.h"

namespace tumble::scene::detail {

/// Elements of one kind by name. A null element is a name without one (a group).
using NamedElements = std::map<std::string, const Element*>;
using Names = std::map<std::string, NamedElements>;  // by kind

/// Gives every element that may have a name one, and reports duplicates.
Names collect_names(Reading& reading, core::Diagnostics& diagnostics);

/// Reports references to names that are not there. An element that refers to a faulty one is not good either;
/// its own message would repeat what is said already.
void check_references(Reading& reading, const Names& names, core::Diagnostics& diagnostics);

}  // namespace tumble::scene::detail
