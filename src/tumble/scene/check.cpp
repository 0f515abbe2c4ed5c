#include "tumble/scene/check.h"

#include <algorithm>
#include <cmath>

#include "tumble/core/require.h"
#include "tumble/model/joint_spec.h"
#include "tumble/model/tolerances.h"
#include "tumble/scene/limits.h"
#include "tumble/scene/words.h"
#include "tumble/scene/xml.h"

namespace tumble::scene::detail {

namespace {

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

size_t count_characters(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string demand(const Range& range) {
  const std::string words = describe(range);
  return words == "not negative" ? "must not be negative" : "must be " + words;
}

/// Checks the text of one attribute. Reports the first fault and stops.
class ValueCheck {
 public:
  ValueCheck(const AttributeRule& rule, const std::string& text, const core::Place& place, Depth depth,
             core::Diagnostics& diagnostics)
      : rule_(rule), raw_(text), text_(trimmed(text)), depth_(depth), diagnostics_(diagnostics) {
    field_ = {.rule = &rule, .given = true, .text = std::string(text_), .numbers = {}, .place = place};
  }

  std::optional<Field> run() {
    const bool passed = check_form();
    return passed ? std::optional(std::move(field_)) : std::nullopt;
  }

 private:
  bool fail(const std::string& message) {
    diagnostics_.push_back(
        core::error_at(field_.place, std::string(rule_.name) + "=" + quote(raw_) + ": " + message));
    return false;
  }

  bool check_form() {
    if (text_.empty()) return fail("is empty; expected " + describe(rule_));
    switch (rule_.form) {
      case Form::numbers:
      case Form::number_list:
      case Form::quaternion:
      case Form::axis_angle:
        return check_numbers();
      case Form::integer:
        return check_integer();
      case Form::boolean:
        return check_choice({"true", "false"});
      case Form::choice:
        return check_choice(rule_.choices);
      case Form::color:
        return check_color();
      case Form::name:
      case Form::word:
      case Form::reference:
        return check_name(raw_, raw_);
      case Form::references:
        return check_references();
      case Form::path:
      case Form::run_path:
      case Form::name_list:
        return check_path();
    }
    return false;
  }

  bool check_numbers() {
    const std::vector<std::string_view> words = words_of(text_);
    auto most = static_cast<size_t>(rule_.count);
    for (const int count : rule_.other_counts) most = std::max(most, static_cast<size_t>(count));
    if (rule_.form == Form::number_list) most = words.size();
    for (size_t i = 0; i < words.size() && i < most + 1; ++i)
      if (!check_word(words, i)) return false;
    if (!accepts_count(rule_, words.size()))
      return fail("has " + std::to_string(words.size()) + (words.size() == 1 ? " number" : " numbers") +
                  "; expected " + describe(rule_));
    return depth_ == Depth::structure || check_values();
  }

  bool check_word(const std::vector<std::string_view>& words, size_t i) {
    const std::string_view word = words[i];
    if (rule_.or_start && word == "start") {
      field_.numbers.push_back(model::kAtStart);
      return true;
    }
    const Dimension dimension = dimension_of(rule_, i);
    const ParsedNumber number = parse_number(word, dimension);
    switch (number.fault) {
      case NumberFault::none:
        break;
      case NumberFault::not_a_number:
        return fail(explain_word(words, i));
      case NumberFault::not_finite:
        return fail(quote(word) + " is not a finite number; expected " + describe(rule_));
      case NumberFault::wrong_unit:
        return fail(explain_unit(number, dimension));
      case NumberFault::out_of_range:
        if (depth_ == Depth::structure) break;
        return fail(quote(word) + " is too large or too small; expected a magnitude from 1e-308 to 1e308");
    }
    field_.numbers.push_back(number.value);
    return true;
  }

  std::string explain_word(const std::vector<std::string_view>& words, size_t i) const {
    if (i > 0) {
      const Dimension before = dimension_of(rule_, i - 1);
      for (const Unit& unit : units_of(before))
        if (unit.name == words[i] && parse_number(words[i - 1], before).unit.empty())
          return "write " + quote(std::string(words[i - 1]) + std::string(words[i])) +
                 ", without a space between number and unit";
    }
    return quote(words[i]) + " is not a number; expected " + describe(rule_);
  }

  std::string explain_unit(const ParsedNumber& number, Dimension dimension) const {
    if (number.unit.find(',') != std::string_view::npos)
      return "separate numbers with spaces, not commas; expected " + describe(rule_);
    const std::string what = std::string(dimension_name(dimension));
    if (dimension == Dimension::none)
      return "unexpected " + quote(number.unit) + "; a pure number takes no unit";
    return quote(number.unit) + " is not a unit of " + what + "; expected one of " + unit_list(dimension);
  }

  bool check_values() {
    const std::vector<double>& n = field_.numbers;
    const auto zero = [](double x) { return x == 0; };
    const Range& range = rule_.range;
    for (const double x : n)
      if (x < range.lower || x > range.upper || (range.open && x == range.lower))
        return fail(n.size() == 1 ? demand(range) : "each number " + demand(range));
    if (rule_.zero == Zero::all_refused && std::all_of(n.begin(), n.end(), zero))
      return fail("the vector is zero and has no direction; expected a vector other than zero");
    if (rule_.zero == Zero::each_refused && std::any_of(n.begin(), n.end(), zero))
      return fail("a factor must not be 0");
    if (rule_.form == Form::axis_angle && std::all_of(n.begin(), n.begin() + 3, zero))
      return fail(
          "the axis is zero and has no direction; expected an axis x y z other than 0 0 0, then the angle");
    if (rule_.form == Form::quaternion) return check_unit_length();
    return true;
  }

  bool check_unit_length() {
    const std::vector<double>& n = field_.numbers;
    const double length = std::hypot(std::hypot(n[0], n[1]), std::hypot(n[2], n[3]));
    if (length == 0)
      return fail("the quaternion is zero; expected w x y z of unit length (no rotation is 1 0 0 0)");
    if (!(std::abs(length - 1) <= model::kUnitQuaternionSlack))
      return fail("the quaternion has length " + shortened(length) + "; expected w x y z of unit length");
    return true;
  }

  static std::string shortened(double x) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.6g", x);
    return digits;
  }

  bool check_integer() {
    if (text_.find_first_not_of("0123456789") != std::string_view::npos)
      return fail("expected " + describe(rule_));
    // A number beyond the range of double is beyond every bound, too.
    const ParsedNumber number = parse_number(text_, Dimension::none);
    field_.numbers = {number.fault == NumberFault::none ? number.value
                                                        : std::numeric_limits<double>::infinity()};
    return depth_ == Depth::structure || check_values();
  }

  bool check_choice(const std::vector<std::string_view>& choices) {
    if (std::find(choices.begin(), choices.end(), text_) != choices.end()) return true;
    const std::vector<std::string> known(choices.begin(), choices.end());
    const std::string hint = did_you_mean(WordKind::value, rule_.name, std::string(text_), known, "");
    return fail("expected " + describe(rule_) + (hint.empty() ? "" : "; " + hint));
  }

  bool check_color() {
    const auto digit = [](char c) {
      if (c >= '0' && c <= '9') return c - '0';
      if (c >= 'a' && c <= 'f') return c - 'a' + 10;
      return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    };
    const bool well_formed =
        text_.size() == 7 && text_[0] == '#' &&
        std::all_of(text_.begin() + 1, text_.end(), [&](char c) { return digit(c) >= 0; });
    if (!well_formed) return fail("expected # and six hexadecimal digits like #b5651d");
    for (size_t i = 1; i < 7; i += 2)
      field_.numbers.push_back((16 * digit(text_[i]) + digit(text_[i + 1])) / 255.0);
    return true;
  }

  /// `whole` is the text that contains the name.
  bool check_name(std::string_view name, std::string_view whole) {
    if (name.find_first_of(",\"\t\r\n") != std::string_view::npos)
      return fail(
          "a name cannot contain commas, double quotes, tabs or line breaks: it is a column title in .csv "
          "files");
    if (count_characters(name) > kMaxNameLength)
      return fail("a name has at most " + std::to_string(kMaxNameLength) + " characters");
    if (name.front() == ' ' || name.back() == ' ') return fail("a name cannot begin or end with a space");
    field_.text = whole;
    if (rule_.form == Form::word && name.find(' ') != std::string_view::npos)
      return fail("the name of a " + std::string(rule_.name) +
                  " cannot contain spaces: spaces separate names in lists");
    return true;
  }

  bool check_references() {
    const std::vector<std::string_view> words = words_of(text_);
    if (words.size() != 2)
      return fail("has " + std::to_string(words.size()) + (words.size() == 1 ? " name" : " names") +
                  "; expected " + describe(rule_) + ", separated by a space");
    return std::all_of(words.begin(), words.end(),
                       [&](std::string_view word) { return check_name(word, text_); });
  }

  bool check_path() {
    if (raw_.find_first_of("\t\r\n") != std::string_view::npos)
      return fail("a path cannot contain tabs or line breaks");
    field_.text = raw_;
    return true;
  }

  const AttributeRule& rule_;
  std::string_view raw_;
  std::string_view text_;
  Depth depth_;
  core::Diagnostics& diagnostics_;
  Field field_;
};

void check_alternatives(const XmlElement& xml, const ElementRule& rule, core::Diagnostics& diagnostics) {
  const auto given = [&](std::string_view name) {
    return std::find_if(xml.attributes.begin(), xml.attributes.end(),
                        [&](const XmlAttribute& a) { return a.name == name; });
  };
  for (const Alternative& alternative : rule.alternatives) {
    std::string wanted;
    size_t begun = 0, complete = 0;
    core::Place last_place;
    for (const auto& set : alternative.sets) {
      std::string names;
      size_t count = 0;
      for (const std::string_view name : set) {
        names.append(names.empty() ? "" : " and ").append(name);
        if (given(name) == xml.attributes.end()) continue;
        last_place = given(name)->place;
        ++count;
      }
      begun += count > 0;
      complete += count == set.size();
      wanted += (wanted.empty() ? "" : " or ") + names;
    }
    if (begun > 1)
      diagnostics.push_back(
          core::error_at(last_place, tag(xml.name) + " takes either " + wanted + ", not both"));
    else if (begun > complete || (alternative.required && begun == 0))
      diagnostics.push_back(core::error_at(xml.place, tag(xml.name) + " needs " + wanted));
  }
}

void check_attributes(const XmlElement& xml, Depth depth, Element& element, core::Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (const AttributeRule& rule : element.rule->attributes) known.emplace_back(rule.name);
  for (const XmlAttribute& attribute : xml.attributes) {
    const AttributeRule* rule = element.rule->find(attribute.name);
    if (rule == nullptr) {
      diagnostics.push_back(core::error_at(
          attribute.place, tag(xml.name) + " has no attribute " + quote(attribute.name) + "; " +
                               did_you_mean(WordKind::attribute, xml.name, attribute.name, known,
                                            "it takes " + list_of(known))));
    } else if (std::optional<Field> field =
                   check_attribute(*rule, attribute.text, attribute.place, depth, diagnostics)) {
      element.fields.push_back(std::move(*field));
    }
  }
  for (const AttributeRule& rule : element.rule->attributes) {
    const bool given = std::any_of(xml.attributes.begin(), xml.attributes.end(),
                                   [&](const XmlAttribute& a) { return a.name == rule.name; });
    if (given) continue;
    if (rule.required)
      diagnostics.push_back(core::error_at(
          xml.place, tag(xml.name) + " needs the attribute " + quote(rule.name) + ": " + describe(rule)));
    if (rule.fallback.empty()) continue;
    Field field =
        check_attribute(rule, std::string(rule.fallback), xml.place, Depth::values, diagnostics).value();
    field.given = false;
    element.fields.push_back(std::move(field));
  }
  check_alternatives(xml, *element.rule, diagnostics);
}

void report_misplaced(const XmlElement& child, const ElementRule& parent, core::Diagnostics& diagnostics) {
  std::string message;
  const ElementRule* elsewhere = find_element(child.name);
  if (is_not_simulated_yet(child.name)) {
    message = tag(child.name) + " is not supported by this version yet";
  } else if (elsewhere != nullptr && elsewhere->parent.empty()) {
    message = tag(child.name) + " is the root of the file and cannot be inside another element";
  } else if (elsewhere != nullptr) {
    const std::string common = find_common_word(WordKind::element, parent.name, child.name);
    message = tag(child.name) + " does not belong in " + tag(parent.name) + "; " +
              (common.empty() ? "put it into a " + tag(elsewhere->parent) : common);
  } else {
    const std::vector<std::string> known = children_of(parent.name);
    const std::string otherwise = known.empty() ? tag(parent.name) + " cannot contain elements"
                                                : tag(parent.name) + " can contain " + list_of(known);
    message = "unknown element " + tag(child.name) + " in " + tag(parent.name) + "; " +
              did_you_mean(WordKind::element, parent.name, child.name, known, otherwise);
  }
  diagnostics.push_back(core::error_at(child.place, std::move(message)));
}

bool is_second(const XmlElement& child, const ElementRule& rule, const Element& parent,
               core::Diagnostics& diagnostics) {
  const auto first = std::find_if(parent.children.begin(), parent.children.end(),
                                  [&](const Element& other) { return other.rule == &rule; });
  if (first == parent.children.end()) return false;
  diagnostics.push_back(core::error_at(child.place, tag(parent.rule->name) + " can contain only one " +
                                                        tag(rule.name) + "; the first is at line " +
                                                        std::to_string(first->place.line)));
  return true;
}

}  // namespace

const Field* Element::find(std::string_view attribute) const {
  for (const Field& field : fields)
    if (field.rule->name == attribute) return &field;
  return nullptr;
}

const std::string& Element::text(std::string_view attribute) const {
  const Field* field = find(attribute);
  TUMBLE_REQUIRE(field != nullptr, "attribute without value: " + std::string(attribute));
  return field->text;
}

double Element::number(std::string_view attribute) const {
  const Field* field = find(attribute);
  TUMBLE_REQUIRE(field != nullptr && !field->numbers.empty(),
                 "attribute without value: " + std::string(attribute));
  return field->numbers.front();
}

math::Vec3 Element::vec3(std::string_view attribute) const {
  const Field* field = find(attribute);
  TUMBLE_REQUIRE(field != nullptr && field->numbers.size() == 3,
                 "attribute without value: " + std::string(attribute));
  return {field->numbers[0], field->numbers[1], field->numbers[2]};
}

std::optional<Field> check_attribute(const AttributeRule& rule, const std::string& text,
                                     const core::Place& place, Depth depth, core::Diagnostics& diagnostics) {
  return ValueCheck(rule, text, place, depth, diagnostics).run();
}

Element check_element(const XmlElement& xml, const ElementRule& rule, Depth depth,
                      core::Diagnostics& diagnostics) {
  const size_t faults_before = diagnostics.size();
  Element element{.rule = &rule, .place = xml.place, .fields = {}, .children = {}};
  check_attributes(xml, depth, element, diagnostics);
  for (const XmlElement& child : xml.children) {
    const ElementRule* child_rule = find_element(child.name);
    if (child_rule == nullptr || child_rule->parent != rule.name) {
      report_misplaced(child, rule, diagnostics);
      continue;
    }
    if (child_rule->once && is_second(child, *child_rule, element, diagnostics)) continue;
    element.children.push_back(check_element(child, *child_rule, depth, diagnostics));
  }
  element.good = xml.complete && diagnostics.size() == faults_before;
  return element;
}

}  // namespace tumble::scene::detail
