// What attributes take, in words: for messages and for the tables of docs/scene.md.
#include <charconv>

#include "tumble/scene/schema.h"

namespace tumble::scene {

namespace {

std::string short_text(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

std::string plural(std::string_view dimension) {
  if (const size_t either = dimension.find(" or "); either != std::string_view::npos)
    return plural(dimension.substr(0, either)) + " or " + plural(dimension.substr(either + 4));
  if (const size_t of = dimension.find(" of "); of != std::string_view::npos)
    return plural(dimension.substr(0, of)) + std::string(dimension.substr(of));
  if (dimension.back() == 'y') return std::string(dimension.substr(0, dimension.size() - 1)) + "ies";
  if (dimension.back() == 's') return std::string(dimension) + "es";
  return std::string(dimension) + "s";
}

}  // namespace

std::string describe_count(const AttributeRule& rule) {
  std::string counts = std::to_string(rule.count);
  for (const int count : rule.other_counts)
    counts += (count == rule.other_counts.back() ? " or " : ", ") + std::to_string(count);
  return counts;
}

std::string describe(const Range& range) {
  const bool bounded_below = range.lower > -std::numeric_limits<double>::infinity();
  const bool bounded_above = range.upper < std::numeric_limits<double>::infinity();
  if (!bounded_below && !bounded_above) return "";
  if (bounded_below && bounded_above) {
    if (range.open) return "above " + short_text(range.lower) + " and at most " + short_text(range.upper);
    return "between " + short_text(range.lower) + " and " + short_text(range.upper);
  }
  return range.open ? "positive" : "not negative";
}

std::string describe(const AttributeRule& rule) {
  switch (rule.form) {
    case Form::numbers:
      break;
    case Form::number_list:
      return plural(dimension_name(rule.dimension)) +
             (rule.dimension == Dimension::none ? "" : " (" + unit_list(rule.dimension) + ")");
    case Form::quaternion:
      return "4 pure numbers w x y z of unit length";
    case Form::axis_angle:
      return "an axis (3 pure numbers) and an angle (" + unit_list(Dimension::angle) + ")";
    case Form::integer:
      return "a whole number";
    case Form::boolean:
      return "true or false";
    case Form::choice: {
      std::string list;
      for (const std::string_view choice : rule.choices) {
        if (!list.empty()) list += choice == rule.choices.back() ? " or " : ", ";
        list += choice;
      }
      return list;
    }
    case Form::color:
      return "a colour #rrggbb";
    case Form::name:
      return "a name";
    case Form::word:
      return "a name without blanks";
    case Form::reference:
      return "the name of a " + std::string(rule.refers_to);
    case Form::references:
      return "the names of two " + std::string(rule.refers_to) + "s";
    case Form::path:
      return "a file, relative to the file that names it";
    case Form::run_path:
      return "a file, relative to the current folder";
    case Form::name_list:
      return "names with commas between them, or all";
  }
  const std::string_view dimension = dimension_name(rule.dimension);
  std::string text;
  if (rule.count == 1 && rule.other_counts.empty())
    text = std::string(dimension.find_first_of("aeiou") == 0 ? "an " : "a ") + std::string(dimension);
  else
    text = describe_count(rule) + " " + plural(dimension);
  if (rule.dimension != Dimension::none) text += " (" + unit_list(rule.dimension) + ")";
  return rule.or_start ? text + " or start" : text;
}

}  // namespace tumble::scene
