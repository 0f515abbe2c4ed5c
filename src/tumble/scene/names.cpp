#include "tumble/scene/names.h"

#include <algorithm>

#include "tumble/scene/limits.h"
#include "tumble/scene/words.h"

namespace tumble::scene::detail {

namespace {

std::string place_text(const core::Place& place) { return place.file + ":" + std::to_string(place.line); }

// "spring1": the kind and the first free number, counted from the element's position among its kind.
void give_default_name(Element& element, size_t& number, NamedElements& known) {
  std::string name;
  do name = std::string(element.rule->name) + std::to_string(++number);
  while (known.contains(name));
  known.emplace(name, &element);
  element.fields.push_back({.rule = element.rule->find("name"),
                            .given = false,
                            .text = name,
                            .numbers = {},
                            .place = element.place});
}

class ReferenceCheck {
 public:
  ReferenceCheck(const Names& names, const Reading& reading, core::Diagnostics& diagnostics)
      : names_(names), reading_(reading), diagnostics_(diagnostics) {}

  void run(Element& element) {
    for (const Field& field : element.fields) {
      if (field.rule->form == Form::reference) check(element, field, field.text);
      if (field.rule->form != Form::references) continue;
      const size_t blank = field.text.find_first_of(" \t\r\n");
      check(element, field, field.text.substr(0, blank));
      check(element, field, field.text.substr(field.text.find_first_not_of(" \t\r\n", blank)));
    }
    for (Element& child : element.children) {
      run(child);
      element.good = element.good && child.good;
    }
  }

 private:
  void check(Element& element, const Field& field, const std::string& name) {
    const std::string kind(field.rule->refers_to);
    const auto of_kind = names_.find(kind);
    const NamedElements none;
    const NamedElements& known = of_kind == names_.end() ? none : of_kind->second;
    const auto found = known.find(name);
    if (found != known.end()) {
      if (found->second != nullptr && !found->second->good) element.good = false;
      return;
    }
    element.good = false;
    if (!reading_.complete || reading_.lost_names.contains(name))
      return;  // its element may be in a part that could not be read
    diagnostics_.push_back(core::error_at(field.place, std::string(field.rule->name) + "=" +
                                                           quote(field.text) + ": there is no " + kind + " " +
                                                           quote(name) + hint(name, known)));
  }

  std::string hint(const std::string& name, const NamedElements& known) {
    if (known.empty()) return "; the scene has none";
    // Each search visits every name, so only faults that are printed get a hint.
    if (++hints_ > kMaxFaults || known.size() > kMaxNamesSearched) return "";
    std::vector<std::string> candidates;
    for (const auto& [candidate, unused] : known) candidates.push_back(candidate);
    const std::string nearest = core::nearest_name(name, candidates);
    return nearest.empty() ? "; known: " + first_few(candidates) : "; did you mean " + quote(nearest) + "?";
  }

  const Names& names_;
  const Reading& reading_;
  core::Diagnostics& diagnostics_;
  size_t hints_ = 0;
};

}  // namespace

Names collect_names(Reading& reading, core::Diagnostics& diagnostics) {
  Names names;
  for (TopElement& top : reading.elements) {
    Element& element = top.element;
    if (const Field* group = element.find("group")) names["group"].emplace(group->text, nullptr);
    const Field* name = element.find("name");
    if (name == nullptr) continue;
    const auto [known, is_new] = names[std::string(element.rule->name)].emplace(name->text, &element);
    if (is_new) continue;
    element.good = false;
    diagnostics.push_back(core::error_at(
        name->place, "another " + std::string(element.rule->name) + " is named " + quote(name->text) +
                         " already (" + place_text(known->second->place) + "); names are unique per kind"));
  }
  std::map<std::string_view, size_t> numbers;
  for (TopElement& top : reading.elements) {
    Element& element = top.element;
    if (element.rule->find("name") == nullptr) continue;
    size_t& number = numbers[element.rule->name];
    if (element.find("name") == nullptr && element.good)
      give_default_name(element, number, names[std::string(element.rule->name)]);
    else
      ++number;
  }
  return names;
}

void check_references(Reading& reading, const Names& names, core::Diagnostics& diagnostics) {
  ReferenceCheck check(names, reading, diagnostics);
  // Bodies refer to materials and meshes, forces and joints to bodies, scripts to joints. An element is
  // checked after the elements it refers to.
  const auto rank = [](const TopElement& top) {
    return top.element.rule->name == "body" ? 0 : top.element.rule->name == "script" ? 2 : 1;
  };
  for (const int turn : {0, 1, 2})
    for (TopElement& top : reading.elements)
      if (rank(top) == turn) check.run(top.element);
}

}  // namespace tumble::scene::detail
