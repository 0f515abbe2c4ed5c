// The table of scene elements: their parents, their attributes, and the form of the values. The checks of the
// reader, the RELAX NG schema and the tables of docs/scene.md all use it.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tumble/scene/units.h"

namespace tumble::scene {

/// The form of the text of an attribute.
enum class Form {
  numbers,      // `count` numbers (or one of `other_counts`), each may have a unit of `dimension`
  number_list,  // one number or more, each may have a unit of `dimension`
  quaternion,   // w x y z, of unit length up to rounding
  axis_angle,   // three pure numbers, not all zero, then an angle
  integer,      // digits
  boolean,      // true | false
  choice,       // one of `choices`
  color,        // #rrggbb
  name,         // a new name
  word,         // a name without spaces, so that a list of names can be separated by spaces
  reference,    // a name of the kind `refers_to`
  references,   // two names of that kind
  path,         // a file, relative to the file that names it
  run_path,     // a file of the run, relative to the current folder
  name_list,    // names with commas between them, or all
};

/// Bounds of a number, in SI units.
struct Range {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool open = false;  // excludes the lower bound itself
};

/// Whether a list of numbers may be all zero, or may have a zero in it.
enum class Zero { allowed, all_refused, each_refused };

struct AttributeRule {
  std::string_view name = {};
  Form form = Form::numbers;
  std::string summary = {};        // for documentation: a phrase
  std::string_view fallback = {};  // the default as text, in the form of a scene file; empty: none
  std::string fallback_note = {};  // describes a default that is not a constant, for documentation
  bool required = false;
  Dimension dimension = Dimension::none;
  int count = 1;
  std::vector<int> other_counts = {};
  Range range = {};
  Zero zero = Zero::allowed;
  bool or_start = false;  // each number may be the word `start`: the value in the start pose
  std::vector<std::string_view> choices = {};
  std::string_view refers_to = {};  // an element, or "group"
};

/// Sets of attributes that exclude each other. At most one set may be given, or exactly one if `required`.
struct Alternative {
  std::vector<std::vector<std::string_view>> sets = {};
  bool required = false;
};

struct ElementRule {
  std::string_view name = {};
  std::string_view parent = {};  // "" for the root
  bool once = false;             // at most one per parent
  std::string_view summary = {};
  std::vector<AttributeRule> attributes = {};
  std::vector<Alternative> alternatives = {};

  const AttributeRule* find(std::string_view attribute) const;
};

std::span<const ElementRule> elements();
/// The rule of an element, or null.
const ElementRule* find_element(std::string_view name);
/// Names of the elements that `parent` can contain.
std::vector<std::string> children_of(std::string_view parent);
/// True for elements of later versions, which have their own message.
bool is_not_simulated_yet(std::string_view name);

/// The expected value in words: "3 lengths (m, km, ...)", "true or false".
std::string describe(const AttributeRule& rule);
/// The bounds in words: "positive", "between 0 and 1"; empty without bounds.
std::string describe(const Range& range);
/// The dimension of component i of a list of numbers.
Dimension dimension_of(const AttributeRule& rule, size_t i);
/// Whether the attribute accepts n numbers.
bool accepts_count(const AttributeRule& rule, size_t n);
/// The accepted numbers of numbers: "3", "1, 2 or 4".
std::string describe_count(const AttributeRule& rule);

/// The schema for editors (scenes/scene.rng). It checks structure and literal forms, not bounds and
/// references.
std::string relax_ng();

}  // namespace tumble::scene
