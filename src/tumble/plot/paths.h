// Paths of bodies in the plane in which they move most.
#pragma once

#include <string>
#include <vector>

#include "tumble/plot/figure.h"
#include "tumble/plot/source.h"

namespace tumble::plot {

struct PathRequest {
  std::vector<const Source*> sources = {};
  std::vector<std::string> bodies = {};  // names; a source that lacks one is passed over
  Range times = {};
  math::Vec3 up = math::Vec3::UnitY();  // is the vertical axis, if it is in the plane
};

struct Paths {
  Panel panel;
  std::string x_title;  // "x"
};

/// One line per body and source. The plane is that of the two coordinates with the largest ranges of a body.
core::Expected<Paths> find_paths(const PathRequest& request);

}  // namespace tumble::plot
