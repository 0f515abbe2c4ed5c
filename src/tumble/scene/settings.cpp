#include "tumble/scene/settings.h"

#include <algorithm>
#include <charconv>
#include <list>
#include <unordered_map>

#include "tumble/scene/limits.h"
#include "tumble/scene/words.h"

namespace tumble::scene {

namespace {
constexpr std::string_view kSettingPlace = "--set ";
}

bool is_setting(const core::Place& place) { return place.file.starts_with(kSettingPlace); }

namespace detail {

namespace {

/// An element that can be the first part of a path.
struct Thing {
  const ElementRule* rule = nullptr;
  XmlElement* element = nullptr;
  std::string name = {};
};

std::string who(const Thing& thing) {
  const std::string kind(thing.rule->name);
  return thing.name.empty() ? tag(kind) : kind + " " + quote(thing.name);
}

const std::string* text_of(const XmlElement& element, std::string_view attribute) {
  for (const XmlAttribute& known : element.attributes)
    if (known.name == attribute) return &known.text;
  return nullptr;
}

// Elements without a name are named after the elements they refer to.
bool is_called_after_others(std::string_view kind) {
  return kind == "contact" || kind == "ignore" || kind == "script";
}

bool can_be_named(const ElementRule& rule) {
  return rule.parent == "scene" && (rule.find("name") != nullptr || is_called_after_others(rule.name));
}

/// All elements that settings may change, by name.
class ThingIndex {
 public:
  ThingIndex(Files& files, Documents& documents) : files_(files), documents_(documents) {
    collect(files.main(), 0);
    find_names();
    if (!root_) return;
    for (const char* word : {"simulation", "world"}) add_once(word);
    once_.push_back({find_element("scene"), root_, ""});
  }
  ThingIndex(const ThingIndex&) = delete;
  ThingIndex& operator=(const ThingIndex&) = delete;

  /// False: a file could not be read completely, so names may be missing.
  bool is_complete() const { return complete_; }
  bool has_main_file() const { return root_ != nullptr; }
  bool has_name_with(char c) const {
    return std::any_of(things_.begin(), things_.end(),
                       [&](const Thing& thing) { return thing.name.find(c) != std::string::npos; });
  }

  /// <simulation>, <world> or <scene>, or null.
  const Thing* find_once(std::string_view word) const {
    const auto found = std::find_if(once_.begin(), once_.end(),
                                    [&](const Thing& thing) { return thing.rule->name == word; });
    return found == once_.end() ? nullptr : &*found;
  }
  /// The elements with this name, at most one per kind. A script has the name of its joint; it is found only
  /// if `kind` is script.
  std::vector<const Thing*> find(std::string_view name, const ElementRule* kind) const {
    std::vector<const Thing*> found;
    const auto same = by_name_.find(std::string(name));
    if (same == by_name_.end()) return found;
    for (const size_t i : same->second) {
      const Thing& thing = things_[i];
      if (kind != nullptr ? thing.rule != kind : thing.rule->name == "script") continue;
      if (std::none_of(found.begin(), found.end(), [&](const Thing* f) { return f->rule == thing.rule; }))
        found.push_back(&thing);
    }
    return found;
  }
  std::vector<std::string> names_of(const ElementRule* kind) const {
    std::vector<std::string> names;
    for (const Thing& thing : things_)
      if (kind == nullptr || thing.rule == kind) names.push_back(thing.name);
    if (kind == nullptr) names.insert(names.end(), {"simulation", "world"});
    return names;
  }

  /// Adds the elements that settings created to the main file.
  void finish() {
    for (XmlElement& element : added_)
      if (!element.attributes.empty()) root_->children.push_back(std::move(element));
  }

 private:
  // Visits the elements in the order of the reader.
  void collect(const FilePath& path, size_t depth) {
    XmlDocument* document = documents_.find(path);
    visited_.insert(path.key);
    if (document == nullptr || !document->root || document->root->name != "scene") {
      complete_ = false;
      return;
    }
    complete_ = complete_ && document->complete;
    if (depth == 0) root_ = &*document->root;
    for (XmlElement& child : document->root->children) {
      const ElementRule* rule = find_element(child.name);
      if (rule == nullptr) complete_ = false;
      if (rule == nullptr || rule->parent != "scene") continue;
      if (rule->name == "include")
        include(path, child, depth);
      else if (can_be_named(*rule))
        things_.push_back({rule, &child, {}});
    }
  }

  void include(const FilePath& from, const XmlElement& element, size_t depth) {
    const std::string* file = text_of(element, "file");
    if (file == nullptr || depth >= kMaxIncludeDepth) {
      complete_ = false;
      return;
    }
    const FilePath path = files_.resolve(from.key, *file);
    if (!visited_.contains(path.key)) collect(path, depth + 1);
  }

  // Gives the same default names as collect_names() of names.cpp.
  void find_names() {
    std::map<std::string_view, std::set<std::string>> given;
    for (Thing& thing : things_) {
      thing.name = name_after_others(thing);
      if (const std::string* name = text_of(*thing.element, "name")) thing.name = *name;
      if (!thing.name.empty()) given[thing.rule->name].insert(thing.name);
    }
    std::map<std::string_view, size_t> numbers;
    for (size_t i = 0; i < things_.size(); ++i) {
      Thing& thing = things_[i];
      size_t& number = ++numbers[thing.rule->name];
      if (thing.name.empty() && thing.rule->find("name") != nullptr) {
        std::set<std::string>& known = given[thing.rule->name];
        const std::string kind(thing.rule->name);
        while (known.contains(kind + std::to_string(number))) ++number;
        known.insert(thing.name = kind + std::to_string(number));
      }
      by_name_[thing.name].push_back(i);
      if (const size_t comma = thing.name.find(','); comma != std::string::npos)
        by_name_[thing.name.substr(comma + 1) + "," + thing.name.substr(0, comma)].push_back(i);
    }
  }

  static std::string name_after_others(const Thing& thing) {
    const XmlElement& element = *thing.element;
    const std::string *a = text_of(element, "a"), *b = text_of(element, "b");
    const std::string *joint = text_of(element, "joint"), *groups = text_of(element, "groups");
    if (!is_called_after_others(thing.rule->name)) return {};
    const std::string* body = text_of(element, "body");
    if (thing.rule->name == "script") return joint ? *joint : body ? *body : "";
    if (a != nullptr && b != nullptr) return *a + "," + *b;
    if (groups == nullptr) return {};
    const std::vector<std::string_view> words = words_of(*groups);
    return words.size() == 2 ? std::string(words[0]) + "," + std::string(words[1]) : "";
  }

  void add_once(const char* word) {
    const auto there = std::find_if(root_->children.begin(), root_->children.end(),
                                    [&](const XmlElement& child) { return child.name == word; });
    XmlElement* element = there == root_->children.end() ? nullptr : &*there;
    if (element == nullptr)
      element = &added_.emplace_back(XmlElement{
          .name = word, .place = {std::string(kSettingPlace) + word}, .attributes = {}, .children = {}});
    once_.push_back({find_element(word), element, ""});
  }

  Files& files_;
  Documents& documents_;
  XmlElement* root_ = nullptr;  // of the main file
  bool complete_ = true;
  std::set<std::string> visited_;  // keys of files
  std::vector<Thing> things_, once_;
  std::list<XmlElement> added_;  // elements that the main file does not have
  std::unordered_map<std::string, std::vector<size_t>> by_name_;
};

/// The attribute that a setting changes.
struct SettingTarget {
  XmlElement* element = nullptr;
  const AttributeRule* rule = nullptr;
  std::string owner = {};                     // for messages: body "car"
  std::optional<std::string> component = {};  // "x", "2"
};

struct Resolution {
  std::optional<SettingTarget> target = {};
  std::string fault = {};
  bool unknown_name = false;  // no element has this name
};

constexpr const char* kExpectedSetting =
    "expected [KIND:]PATH.ATTRIBUTE=VALUE, as in car.velocity.x=12 or ice.friction=0.02";

std::optional<size_t> parse_count(std::string_view text) {
  size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return count;
}

/// A part of a path: box, box[2].
struct ChildStep {
  std::string name;
  size_t number = 1;
};

ChildStep parse_child(std::string_view text) {
  const size_t bracket = text.find('[');
  if (bracket != std::string_view::npos && text.back() == ']')
    if (const auto number = parse_count(text.substr(bracket + 1, text.size() - bracket - 2)))
      return {std::string(text.substr(0, bracket)), *number};
  return {std::string(text), 1};
}

// Follows a path from an element through child elements to an attribute.
Resolution follow_path(const Thing& thing, std::string_view tail) {
  XmlElement* element = thing.element;
  const ElementRule* rule = thing.rule;
  std::string owner = who(thing);
  for (;;) {
    const size_t dot = tail.find('.');
    const std::string step(tail.substr(0, dot));
    const std::vector<std::string> children = children_of(rule->name);
    std::vector<std::string> known = rule == find_element("scene") ? std::vector<std::string>{} : children;
    for (const AttributeRule& attribute : rule->attributes) known.emplace_back(attribute.name);
    const ChildStep child = parse_child(step);
    const bool is_child =
        std::find(known.begin(), known.end(), child.name) != known.end() && rule->find(child.name) == nullptr;
    if (!is_child) {
      const AttributeRule* attribute = rule->find(step);
      if (attribute == nullptr)
        return {.target = {},
                .fault =
                    owner + " has no attribute " + quote(step) + "; " +
                    did_you_mean(WordKind::attribute, rule->name, step, known, "it takes " + list_of(known))};
      SettingTarget target{element, attribute, owner};
      if (dot != std::string_view::npos) target.component = std::string(tail.substr(dot + 1));
      return {.target = std::move(target)};
    }
    size_t count = 0;
    XmlElement* next = nullptr;
    for (XmlElement& candidate : element->children)
      if (candidate.name == child.name && ++count == child.number) next = &candidate;
    if (next == nullptr)
      return {.target = {},
              .fault = owner + " has " + (count == 0 ? "no" : std::to_string(count)) + " " + tag(child.name) +
                       (count > 0 ? ", counted from 1; there is no " + quote(step) : "")};
    element = next;
    rule = find_element(child.name);
    owner = tag(step) + " of " + owner;
    if (dot == std::string_view::npos) {
      std::vector<std::string> attributes;
      for (const AttributeRule& attribute : rule->attributes) attributes.emplace_back(attribute.name);
      return {.target = {},
              .fault = owner + " is an element; name one of its attributes: " + list_of(attributes)};
    }
    tail = tail.substr(dot + 1);
  }
}

/// Resolves addresses.
class AddressFinder {
 public:
  explicit AddressFinder(const ThingIndex& things) : things_(things) {}

  Resolution find(std::string_view address) const {
    const size_t colon = address.find(':');
    const ElementRule* kind =
        colon == std::string_view::npos ? nullptr : kind_named(address.substr(0, colon));
    if (kind == nullptr) {
      Resolution found = find_named(address, nullptr);
      if (found.unknown_name && colon != std::string_view::npos && colon < address.find('.'))
        found.fault += hint_of_kind(std::string(address.substr(0, colon)));
      return found;
    }
    Resolution found = find_named(address.substr(colon + 1), kind);
    if (found.target || !found.unknown_name) return found;
    Resolution whole = find_named(address, nullptr);  // a name may contain a colon
    return whole.target ? whole : found;
  }

 private:
  static const ElementRule* kind_named(std::string_view word) {
    const ElementRule* rule = find_element(word);
    return rule != nullptr && can_be_named(*rule) ? rule : nullptr;
  }

  static std::string hint_of_kind(const std::string& word) {
    std::vector<std::string> kinds;
    for (const ElementRule& rule : elements())
      if (can_be_named(rule)) kinds.emplace_back(rule.name);
    const std::string nearest = core::nearest_name(word, kinds);
    return nearest.empty() ? "" : " (as a kind, did you mean " + quote(nearest) + "?)";
  }

  Resolution find_named(std::string_view path, const ElementRule* kind) const {
    const size_t first_dot = path.find('.');
    if (first_dot == std::string_view::npos)
      return {.target = {}, .fault = std::string("has no attribute; ") + kExpectedSetting};
    if (const Thing* once = kind ? nullptr : things_.find_once(path.substr(0, first_dot))) {
      Resolution found = follow_path(*once, path.substr(first_dot + 1));
      if (found.target || things_.find(path.substr(0, first_dot), nullptr).empty()) return found;
    }
    std::optional<Resolution> near;
    // Names may contain dots. The longest name is tried first.
    for (size_t dot = path.rfind('.'); dot != std::string_view::npos && dot > 0;
         dot = path.rfind('.', dot - 1)) {
      const std::string_view name = path.substr(0, dot), tail = path.substr(dot + 1);
      const std::vector<const Thing*> same = things_.find(name, kind);
      if (same.empty()) continue;
      Resolution found = follow_path(*same[0], tail);
      for (size_t i = 1; i < same.size() && !found.target; ++i) found = follow_path(*same[i], tail);
      if (same.size() > 1) found = {.target = {}, .fault = ambiguity(name, same)};
      if (found.target || same.size() > 1) return found;
      if (!near) near = std::move(found);
    }
    if (near) return *near;
    return {.target = {},
            .fault = no_such_name(std::string(path.substr(0, first_dot)), kind),
            .unknown_name = true};
  }

  static std::string ambiguity(std::string_view name, const std::vector<const Thing*>& same) {
    std::vector<std::string> ways;
    ways.reserve(same.size());
    for (const Thing* thing : same) ways.push_back(std::string(thing->rule->name) + ":" + std::string(name));
    return quote(name) + " is the name of " + std::to_string(same.size()) +
           " elements; choose one: " + list_of(ways);
  }

  std::string no_such_name(const std::string& name, const ElementRule* kind) const {
    const std::string text = kind == nullptr ? "nothing is called " + quote(name)
                                             : "there is no " + std::string(kind->name) + " " + quote(name);
    if (const std::vector<const Thing*> other = things_.find(name, nullptr); !other.empty())
      return text + "; it is the name of " + who(*other[0]);
    const std::vector<std::string> known = things_.names_of(kind);
    if (known.empty()) return text + "; the scene has none";
    if (known.size() > kMaxNamesSearched) return text;
    return text + "; " + did_you_mean(name, known, "known: " + first_few(known));
  }

  const ThingIndex& things_;
};

bool has_components(Form form) {
  return form == Form::numbers || form == Form::number_list || form == Form::quaternion ||
         form == Form::axis_angle;
}

// The index of a component among `count` numbers.
std::optional<size_t> component_number(std::string_view text, Form form, size_t count) {
  const std::string_view letters = form == Form::quaternion                 ? "wxyz"
                                   : form == Form::axis_angle || count == 3 ? "xyz"
                                                                            : "";
  if (text.size() == 1 && letters.find(text[0]) != std::string_view::npos) return letters.find(text[0]);
  const std::optional<size_t> number = parse_count(text);
  return number && *number < count ? number : std::nullopt;
}

/// Applies settings.
class SettingWriter {
 public:
  explicit SettingWriter(core::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void write(const SettingTarget& target, const core::Place& place, std::string_view value) {
    const std::optional<std::string> read = read_value(place, value);
    const std::optional<std::string> text =
        read && target.component ? with_component(target, place, *read) : read;
    if (!text) return;
    for (XmlAttribute& attribute : target.element->attributes) {
      if (attribute.name != target.rule->name) continue;
      attribute.text = *text;
      attribute.place = place;
      return;
    }
    target.element->attributes.push_back({std::string(target.rule->name), *text, place});
  }

 private:
  std::nullopt_t fail(const core::Place& place, const std::string& message) {
    diagnostics_.push_back(core::error_at(place, message));
    return std::nullopt;
  }

  // The value as XML would read it from a file, with its normalization of blanks.
  std::optional<std::string> read_value(const core::Place& place, std::string_view value) {
    std::string xml = "<v v=\"";
    for (const char c : value)
      xml += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '"' ? "&quot;" : std::string(1, c);
    core::Diagnostics faults;
    const XmlDocument document = parse_xml(xml + "\"/>", "", faults);
    if (!faults.empty()) return fail(place, faults.front().message);
    return document.root->attributes.front().text;
  }

  // The current text of the attribute with one number replaced.
  std::optional<std::string> with_component(const SettingTarget& target, const core::Place& place,
                                            const std::string& value) {
    const AttributeRule& rule = *target.rule;
    const std::string name(rule.name), part = quote("." + *target.component);
    if (!has_components(rule.form))
      return fail(place, name + " of " + target.owner + " is not a list of numbers and has no " + part);
    const std::string* given = text_of(*target.element, rule.name);
    const std::string text = given != nullptr ? *given : std::string(rule.fallback);
    const std::vector<std::string_view> words = words_of(text);
    if (words.empty())
      return fail(place, target.owner + " has no " + name + ", so its " + part +
                             " cannot be changed; give all of it: " + describe(rule));
    const std::optional<size_t> number = component_number(*target.component, rule.form, words.size());
    if (!number) return fail(place, explain_components(name, rule.form, words.size()) + ", not " + part);
    if (words_of(value).size() != 1)
      return fail(place, quote(value) + " is not one number; " + part + " of " + name + " takes one");
    const auto at = static_cast<size_t>(words[*number].data() - text.data());
    return text.substr(0, at) + std::string(words_of(value)[0]) + text.substr(at + words[*number].size());
  }

  static std::string explain_components(const std::string& name, Form form, size_t count) {
    std::string text = name + " has " + std::to_string(count) + (count == 1 ? " number: .0" : " numbers: .0");
    if (count > 1) text += (count == 2 ? " and ." : " to .") + std::to_string(count - 1);
    if (form == Form::quaternion) return text + ", or .w, .x, .y and .z";
    if (form == Form::axis_angle || count == 3) return text + ", or .x, .y and .z";
    return text;
  }

  core::Diagnostics& diagnostics_;
};

/// The parts of a setting.
struct ParsedSetting {
  SettingTarget target;
  core::Place place;
  std::string_view value;
};

core::Place setting_place(std::string_view address) {
  return {std::string(kSettingPlace) + shorten(address)};
}

}  // namespace

void apply_settings(const std::vector<std::string>& settings, Files& files, Documents& documents,
                    core::Diagnostics& diagnostics) {
  if (settings.empty()) return;
  ThingIndex things(files, documents);
  const AddressFinder finder(things);
  const bool equals_in_names = things.has_name_with('=');
  std::vector<ParsedSetting> parsed;
  for (const std::string& setting : settings) {
    const std::string_view text = setting;
    const size_t first = text.find('=');
    if (first == std::string_view::npos) {
      diagnostics.push_back(
          core::error_at(setting_place(text), std::string("has no = and no value; ") + kExpectedSetting));
      continue;
    }
    if (!things.has_main_file()) continue;  // the reader reports the reason
    size_t equals = first;
    Resolution found = finder.find(text.substr(0, equals));
    while (!found.target && equals_in_names &&
           (equals = text.find('=', equals + 1)) != std::string_view::npos)
      if (Resolution other = finder.find(text.substr(0, equals)); other.target) found = std::move(other);
    if (!found.target && found.unknown_name && !things.is_complete())
      continue;  // its element may be in a part that could not be read
    if (!found.target)
      diagnostics.push_back(core::error_at(setting_place(text.substr(0, first)), found.fault));
    else
      parsed.push_back(
          {std::move(*found.target), setting_place(text.substr(0, equals)), text.substr(equals + 1)});
  }
  SettingWriter writer(diagnostics);
  for (const ParsedSetting& setting : parsed) writer.write(setting.target, setting.place, setting.value);
  things.finish();
}

}  // namespace detail
}  // namespace tumble::scene
