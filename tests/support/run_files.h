// The content of the output files of a run as bytes, to compare runs bit for bit.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tumble/simulate/archive.h"
#include "tumble/simulate/simulation.h"

namespace support {

struct RunFiles {
  std::vector<std::string> frames, rows, warnings;

  void add(const tumble::simulate::Event& event) {
    tumble::simulate::ArchiveWriter bytes;
    if (const auto* frame = std::get_if<tumble::simulate::Frame>(&event)) {
      bytes(frame->index, *frame->state,
            std::vector<double>(frame->reactions.begin(), frame->reactions.end()));
      for (const tumble::model::ContactRow& row : frame->contacts)
        bytes(row.a, row.b, row.point, row.normal, row.impulse, row.patch, row.patch_moment);
      frames.push_back(bytes.take());
    } else if (const auto* row = std::get_if<tumble::model::LogRow>(&event)) {
      bytes(row->t, row->h, row->energy, row->potential, row->momentum, row->contacts, row->max_penetration,
            row->max_joint_error, row->impacts, row->work, row->work_by_force);
      rows.push_back(bytes.take());
    } else if (const auto* warning = std::get_if<tumble::simulate::Warning>(&event)) {
      warnings.push_back(warning->text);
    }
  }
  /// Truncates the content to the point from which a restored run continues.
  void cut(const tumble::simulate::Simulation& simulation) {
    frames.resize(simulation.frames());
    rows.resize(simulation.step_start().log_rows);
    warnings.resize(simulation.step_start().warnings);
  }
  void run_to_end(tumble::simulate::Simulation& simulation) {
    while (const std::optional<tumble::simulate::Event> event = simulation.next()) add(*event);
    REQUIRE(simulation.failure() == "");
    add(simulation.finish());
  }
  bool operator==(const RunFiles&) const = default;
};

}  // namespace support
