// Names and references: duplicates, default names, references to missing elements.
#pragma once

#include <map>

#include "tumble/scene/reader.h"

namespace tumble::scene::detail {

/// Elements of one kind by name. The element is null for a group, which is only a name.
using NamedElements = std::map<std::string, const Element*>;
using Names = std::map<std::string, NamedElements>;  // by kind

/// Gives default names to elements without a name, and reports duplicates.
Names collect_names(Reading& reading, core::Diagnostics& diagnostics);

/// Reports references to missing names. An element that refers to a faulty element is marked as not good,
/// without another message.
void check_references(Reading& reading, const Names& names, core::Diagnostics& diagnostics);

}  // namespace tumble::scene::detail
