// run.json: what a page must know of a recording before its frames.
#pragma once

#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "tumble/page/log_table.h"

namespace tumble::page::detail {

struct ManifestNumbers {
  bool single = false, contacts = false, compare = false;
  size_t frames_per_block = 1, numbers_per_body = 13;
  double size = 1, focus_radius = 1;  // m
  math::Vec3 focus_center = math::Vec3::Zero();
  std::vector<Eigen::AlignedBox3d> focus_boxes;  // m
  std::string file;                              // name of the recording in the command
};

std::string make_manifest(const record::Recording& recording, const model::Model& model, const LogTable& log,
                          const ManifestNumbers& numbers);

/// The command line that repeats the run.
std::string make_command(const record::Recording& recording, const std::string& file);

}  // namespace tumble::page::detail
