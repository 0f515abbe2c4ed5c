// What a run promises, and how it was held: from the summary, the log and the warnings of its recording.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tumble/page/log_table.h"

namespace tumble::page::detail {

/// A time, and the bodies or the joint that are known to be concerned.
struct Moment {
  std::optional<double> t = {};  // s
  std::vector<std::string> bodies = {};
  std::string joint = {};
};

/// Reads "t = 0.5 s", `body "a"`, `bodies "a" and "b"`, `joint "c"` in a message of a run.
Moment read_moment(const std::string& message);

struct Promise {
  std::string name = {}, unit = {};
  double value = 0;
  std::optional<double> bound = {};  // none: nothing is promised about it
  bool held = true;
  std::optional<Moment> worst = {};   // when the value was reached, as far as it is known
  std::optional<Moment> breach = {};  // the first breach, as far as it is known; none if it was held
  std::string says = {};              // one sentence
};

/// Promises of which the recording has no numbers are left out: a killed run has no summary.
std::vector<Promise> find_promises(const record::Recording& recording, const model::Model& model,
                                   const LogTable& log);

}  // namespace tumble::page::detail
