// The one table of scene elements: what may stand where, which attributes it takes, what their values look
// like. The reader's checks, the RELAX NG schema and the tables of docs/scene.md all come from it.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tumble/scene/units.h"

namespace tumble::scene {

/// What the text of an attribute looks like.
enum class Form {
  numbers,      // `count` numbers (or one of `other_counts`), each with a unit of `dimension` if it likes
  number_list,  // one number or more, each with a unit of `dimension` if it likes
  quaternion,   // w x y z, of unit length but for round-off
  axis_angle,   // three pure numbers, not all zero, then an angle
  integer,      // digits
  boolean,      // true | false
  choice,       // one of `choices`
  color,        // #rrggbb
  name,         // a new name
  word,         // a name without blanks, so that lists of them can be written
  reference,    // a name of the kind `refers_to`
  references,   // two names of that kind
  path,         // a file, relative to the file that names it
  run_path,     // a file of the run, relative to the current folder
};

/// Bounds of a number, in SI units.
struct Range {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool open = false;  // the lower bound itself is refused
};

/// Which zeros are refused in a list of numbers.
enum class Zero { allowed, all_refused, each_refused };

struct AttributeRule {
  std::string_view name = {};
  Form form = Form::numbers;
  std::string summary = {};        // for documentation: half a sentence
  std::string_view fallback = {};  // the default as text, read like the user's; empty: none
  std::string fallback_note = {};  // for documentation, where the default is not a constant
  bool required = false;
  Dimension dimension = Dimension::none;
  int count = 1;
  std::vector<int> other_counts = {};
  Range range = {};
  Zero zero = Zero::allowed;
  std::vector<std::string_view> choices = {};
  std::string_view refers_to = {};  // an element, or "group"
};

/// Sets of attributes that exclude each other: at most one of them, or exactly one when `required`.
struct Alternative {
  std::vector<std::vector<std::string_view>> sets = {};
  bool required = false;
};

struct ElementRule {
  std::string_view name = {};
  std::string_view parent = {};  // "" for the root
  bool once = false;             // at most one in its parent
  std::string_view summary = {};
  std::vector<AttributeRule> attributes = {};
  std::vector<Alternative> alternatives = {};

  const AttributeRule* find(std::string_view attribute) const;
};

std::span<const ElementRule> elements();
/// The rule of an element, or null.
const ElementRule* find_element(std::string_view name);
/// Names of the elements that may stand inside `parent`.
std::vector<std::string> children_of(std::string_view parent);
/// Elements of later versions: known by name, refused with a message of their own.
bool is_not_simulated_yet(std::string_view name);

/// What an attribute takes, in words: "three lengths (m, km, ...)", "true or false".
std::string describe(const AttributeRule& rule);
/// The bounds in words: "positive", "between 0 and 1"; empty when there are none.
std::string describe(const Range& range);
/// The dimension of component i of a list of numbers.
Dimension dimension_of(const AttributeRule& rule, size_t i);
/// Whether it takes n numbers.
bool accepts_count(const AttributeRule& rule, size_t n);
/// How many numbers the attribute takes: "3", "1, 2 or 4".
std::string describe_count(const AttributeRule& rule);

/// The schema for editors (scenes/scene.rng). It knows structure and literal forms; bounds and references are
/// beyond it.
std::string relax_ng();

}  // namespace tumble::scene
