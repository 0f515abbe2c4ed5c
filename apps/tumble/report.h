// What the program says to people: stderr for messages, stdout for data asked for.
#pragma once

#include <string>

#include "tumble/core/expected.h"
#include "tumble/scene/scene.h"

namespace tumble::app {

void print_diagnostics(const core::Diagnostics& diagnostics);
/// "tumble: message" on stderr.
void say(const std::string& message);
/// "body "a" has no shapes", "3 bodies have no shapes (first "a")"; empty when all have some.
std::string describe_shapeless(const model::Model& model);
/// A joint as a person counts them: a rope is one too, though it is made of limits alone.
struct JointLine {
  std::string name, type;
  int rows = 0, limits = 0;
  model::BodyId a, b;
};
std::vector<JointLine> list_joints(const model::Model& model);
/// 3 significant digits.
std::string brief(double value);

}  // namespace tumble::app
