// Writes the RELAX NG schema from the table of elements.
#include <algorithm>
#include <set>

#include "tumble/scene/limits.h"
#include "tumble/scene/schema.h"

namespace tumble::scene {

namespace {

/// Writes indented XML. close() closes the element that was opened last.
class Writer {
 public:
  void open(const std::string& tag, const std::string& attributes = "") {
    line("<" + tag + (attributes.empty() ? "" : " " + attributes) + ">");
    open_.push_back(tag);
  }
  void close() {
    const std::string tag = open_.back();
    open_.pop_back();
    line("</" + tag + ">");
  }
  void line(const std::string& text) { text_.append(2 * open_.size(), ' ').append(text).append("\n"); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<std::string> open_;
};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c != '`')
      out += c;  // backquotes mark code in the documentation only
  }
  return out;
}

void pattern(Writer& out, const std::string& type, const std::string& regular_expression,
             size_t max_length = 0) {
  out.open("data", "type=\"" + type + "\"");
  if (max_length > 0) out.line("<param name=\"maxLength\">" + std::to_string(max_length) + "</param>");
  out.line("<param name=\"pattern\">" + regular_expression + "</param>");
  out.close();
}

std::string dimension_id(Dimension dimension) {
  std::string id(dimension_name(dimension));
  for (char& c : id)
    if (c == ' ') c = '-';
  return id;
}

std::string number_pattern(Dimension dimension) {
  std::string text = "[+\\-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+\\-]?[0-9]+)?";
  std::string units;
  for (const Unit& unit : units_of(dimension)) {
    if (!units.empty()) units += "|";
    for (const char c : unit.name) {
      if (c == '*' || c == '^') units += '\\';
      units += c;
    }
  }
  return units.empty() ? text : text + "(" + units + ")?";
}

void numbers(Writer& out, const AttributeRule& rule, int count) {
  out.open("list");
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    if (rule.or_start) out.open("choice");
    out.line("<ref name=\"" + dimension_id(dimension_of(rule, i)) + "\"/>");
    if (!rule.or_start) continue;
    out.line("<value>start</value>");
    out.close();
  }
  out.close();
}

void value(Writer& out, const AttributeRule& rule) {
  switch (rule.form) {
    case Form::numbers:
    case Form::quaternion:
    case Form::axis_angle:
      if (rule.other_counts.empty()) return numbers(out, rule, rule.count);
      out.open("choice");
      numbers(out, rule, rule.count);
      for (const int count : rule.other_counts) numbers(out, rule, count);
      return out.close();
    case Form::number_list:
      out.open("list");
      out.open("oneOrMore");
      out.line("<ref name=\"" + dimension_id(rule.dimension) + "\"/>");
      out.close();
      return out.close();
    case Form::integer:
      return pattern(out, "token", "[0-9]+");
    case Form::boolean:
      return pattern(out, "token", "true|false");
    case Form::choice: {
      std::string choices;
      for (const std::string_view choice : rule.choices)
        choices.append(choices.empty() ? "" : "|").append(choice);
      return pattern(out, "token", choices);
    }
    case Form::color:
      return pattern(out, "token", "#[0-9a-fA-F]{6}");
    case Form::name:
    case Form::reference:
      return out.line("<ref name=\"name\"/>");
    case Form::word:
      return pattern(out, "string", "[^\\s,\"]+", kMaxNameLength);
    case Form::references:
      out.open("list");
      out.line("<ref name=\"name\"/>");
      out.line("<ref name=\"name\"/>");
      return out.close();
    case Form::path:
    case Form::run_path:
    case Form::name_list:
      return pattern(out, "string", "[^\\t\\n\\r]*[^\\s][^\\t\\n\\r]*");
  }
}

std::string value_text(const AttributeRule& rule) {
  Writer out;
  value(out, rule);
  return out.text();
}

void attribute(Writer& out, const AttributeRule& rule) {
  out.open("attribute", "name=\"" + std::string(rule.name) + "\"");
  out.line("<a:documentation>" + escaped(rule.summary) + "</a:documentation>");
  value(out, rule);
  out.close();
}

// Writes optional attributes with the same values as one zeroOrMore pattern. XML allows an attribute only
// once, so this accepts any subset of them. With one pattern per attribute, libxml2 would need 2^n states,
// because it stores a state for every subset of optional attributes.
void optional_attributes(Writer& out, const std::vector<const AttributeRule*>& rules) {
  if (rules.size() == 1) {
    out.open("optional");
    attribute(out, *rules[0]);
    return out.close();
  }
  out.open("zeroOrMore");
  out.open("attribute");
  out.open("choice");
  for (const AttributeRule* rule : rules) out.line("<name>" + std::string(rule->name) + "</name>");
  out.close();
  std::string text;
  for (const AttributeRule* rule : rules)
    text.append(text.empty() ? "" : "; ").append(rule->name).append(": ").append(rule->summary);
  out.line("<a:documentation>" + escaped(text) + "</a:documentation>");
  value(out, *rules[0]);
  out.close();
  out.close();
}

void alternative(Writer& out, const ElementRule& element, const Alternative& alternative) {
  if (!alternative.required) out.open("optional");
  out.open("choice");
  for (const auto& set : alternative.sets) {
    if (set.size() > 1) out.open("group");
    for (const std::string_view name : set) attribute(out, *element.find(name));
    if (set.size() > 1) out.close();
  }
  out.close();
  if (!alternative.required) out.close();
}

void children(Writer& out, const ElementRule& element) {
  const std::vector<std::string> names = children_of(element.name);
  if (names.empty()) return;
  out.open("interleave");
  for (const std::string& name : names) {
    if (!find_element(name)->once) continue;
    out.open("optional");
    out.line("<ref name=\"" + name + "-element\"/>");
    out.close();
  }
  out.open("zeroOrMore");
  out.open("choice");
  for (const std::string& name : names)
    if (!find_element(name)->once) out.line("<ref name=\"" + name + "-element\"/>");
  out.close();
  out.close();
  out.close();
}

void define_element(Writer& out, const ElementRule& element) {
  out.open("define", "name=\"" + std::string(element.name) + "-element\"");
  out.open("element", "name=\"" + std::string(element.name) + "\"");
  out.line("<a:documentation>" + escaped(element.summary) + "</a:documentation>");
  std::set<std::string_view> in_alternatives;
  for (const Alternative& choice : element.alternatives)
    for (const auto& set : choice.sets) in_alternatives.insert(set.begin(), set.end());
  std::vector<std::vector<const AttributeRule*>> optional;  // grouped by equal values
  for (const AttributeRule& rule : element.attributes) {
    if (in_alternatives.contains(rule.name)) continue;
    if (rule.required) {
      attribute(out, rule);
      continue;
    }
    const auto alike = std::find_if(optional.begin(), optional.end(), [&](const auto& group) {
      return value_text(*group[0]) == value_text(rule);
    });
    if (alike == optional.end())
      optional.push_back({&rule});
    else
      alike->push_back(&rule);
  }
  for (const auto& group : optional) optional_attributes(out, group);
  for (const Alternative& choice : element.alternatives) alternative(out, element, choice);
  children(out, element);
  out.close();
  out.close();
}

}  // namespace

std::string relax_ng() {
  Writer out;
  out.line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
  out.line("<!-- Written from the table of src/tumble/scene/schema.cpp; change that, not this. -->");
  out.open("grammar",
           "xmlns=\"http://relaxng.org/ns/structure/1.0\" "
           "xmlns:a=\"http://relaxng.org/ns/compatibility/annotations/1.0\" "
           "datatypeLibrary=\"http://www.w3.org/2001/XMLSchema-datatypes\"");
  out.open("start");
  out.line("<ref name=\"scene-element\"/>");
  out.close();
  for (const ElementRule& element : elements()) define_element(out, element);

  out.open("define", "name=\"name\"");
  pattern(out, "string", "[^\\s,\"]+( +[^\\s,\"]+)*", kMaxNameLength);
  out.close();
  for (int i = 0; i < kDimensionCount; ++i) {
    const auto dimension = static_cast<Dimension>(i);
    out.open("define", "name=\"" + dimension_id(dimension) + "\"");
    pattern(out, "string", number_pattern(dimension));
    out.close();
  }
  out.close();
  return out.text();
}

}  // namespace tumble::scene
