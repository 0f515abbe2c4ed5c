#include "tumble/scene/inputs.h"

#include <algorithm>
#include <unordered_map>

#include "tumble/scene/check.h"
#include "tumble/scene/json_line.h"
#include "tumble/scene/limits.h"
#include "tumble/scene/words.h"

namespace tumble::scene {

namespace detail {

namespace {

using model::InputEvents;
using model::LiveModel;

/// The attribute at an address.
struct InputAttribute {
  AttributeRule rule = {};  // for values given as text
  std::string fault = {};   // why there is no such attribute
};

AttributeRule input_rule(std::string_view name, Dimension dimension, int count, const Range& range = {}) {
  return {.name = name, .dimension = dimension, .count = count, .range = range};
}

constexpr Range kAmount{.lower = 0};

// Attributes of events and of pushed bodies. A scene file does not have them.
const AttributeRule kEventTime = input_rule("t", Dimension::time, 1);
const AttributeRule kPushRules[] = {input_rule("force", Dimension::force, 3),
                                    input_rule("torque", Dimension::torque, 3),
                                    input_rule("at", Dimension::length, 3),
                                    input_rule("to", Dimension::length, 3),
                                    input_rule("stiffness", Dimension::stiffness, 1, kAmount),
                                    input_rule("damping", Dimension::damping, 1, kAmount)};

const AttributeRule* find_push_rule(std::string_view attribute) {
  if (attribute.starts_with("pull.")) attribute.remove_prefix(5);
  for (const AttributeRule& rule : kPushRules)
    if (rule.name == attribute) return &rule;
  return nullptr;
}

// The rule of the scene file for an attribute that may change during a run.
AttributeRule rule_of(const LiveModel::Place& place, const model::Model& model) {
  std::string_view attribute = place.attribute;
  std::string_view element = model::to_string(place.target.kind);
  if (const size_t dot = attribute.find('.'); element == "joint" && dot != std::string_view::npos) {
    element = "drive";
    attribute = attribute.substr(dot + 1);
  }
  const AttributeRule* known =
      element == "body" ? find_push_rule(attribute) : find_element(element)->find(attribute);
  TUMBLE_REQUIRE(known != nullptr, "an attribute that can change is an attribute of the scene file");
  AttributeRule rule = *known;
  rule.form = Form::numbers;
  rule.count = static_cast<int>(place.count);
  rule.other_counts.clear();
  rule.or_start = false;
  if (place.target.kind != model::LiveKind::joint) return rule;
  const model::JointKind& kind = model::kind_of(model.joints()[place.target.index].spec->type);
  const DimensionPair parts = parts_of(rule.dimension);
  if (kind.has_coordinate())
    rule.dimension = kind.coordinate == model::JointCoordinate::travel ? parts.travelling : parts.turning;
  return rule;
}

/// Reads the file line by line.
class InputReader {
 public:
  InputReader(std::string_view text, const std::string& file, const model::Model& model)
      : text_(text), file_(file), model_(model), live_(model, {.push_all = true}), events_(file) {
    for (const model::Body& body : model.bodies()) bodies_.emplace(body.name, body.is_fixed());
  }

  core::Expected<InputEvents> run() {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    size_t at = text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    while (at < text_.size() && fault_count_ < kMaxFaultsCounted) {
      const size_t end = std::min(text_.find('\n', at), text_.size());
      line_ = text_.substr(at, end - at);
      if (line_.ends_with('\r')) line_.remove_suffix(1);
      ++line_number_;
      if (line_.find_first_not_of(" \t") != std::string_view::npos) read_line();
      at = end + 1;
    }
    for (core::Diagnostic& fault : events_.find_faults(model_)) faults_.push_back(std::move(fault));
    if (faults_.empty()) return std::move(events_);
    std::stable_sort(faults_.begin(), faults_.end(),
                     [](const core::Diagnostic& a, const core::Diagnostic& b) {
                       return a.place.line != b.place.line && a.place.line != 0 &&
                              (b.place.line == 0 || a.place.line < b.place.line);
                     });
    if (fault_count_ > kMaxFaults)
      faults_.push_back(core::error_at(
          {file_}, (fault_count_ < kMaxFaultsCounted ? "and " : "and at least ") +
                       std::to_string(fault_count_ - kMaxFaults) + " more faults; correct these first"));
    return std::move(faults_);
  }

 private:
  core::Place place(size_t byte) const {
    const auto column = std::count_if(line_.begin(), line_.begin() + static_cast<std::ptrdiff_t>(byte),
                                      [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
    return {file_, line_number_, static_cast<int>(column) + 1};
  }
  void fail(size_t byte, const std::string& message) {
    if (++fault_count_ <= kMaxFaults) faults_.push_back(core::error_at(place(byte), message));
  }
  model::EventLine line_of(const JsonValue& value) const {
    const core::Place at = place(value.at);
    return {at.line, at.column};
  }
  const JsonValue* find(std::string_view name) const {
    for (const JsonMember& member : members_)
      if (member.name == name) return &member.value;
    return nullptr;
  }

  void read_line() {
    JsonLine json(line_);
    if (!json.read(members_)) return fail(json.fault_at(), json.fault());
    const JsonValue *set = find("set"), *pull = find("pull"), *release = find("release");
    const int kinds = (set != nullptr) + (pull != nullptr) + (release != nullptr);
    if (kinds != 1)
      return fail(line_.find('{'), kinds == 0 ? "the event has no action" + hint_of_kind() +
                                                    "; expected \"set\", \"pull\" or \"release\""
                                              : "the event has several actions; expected one of "
                                                "\"set\", \"pull\" and \"release\" per line");
    std::vector<double> time;
    const bool known = set != nullptr    ? check_names({"t", "set", "value"})
                       : pull != nullptr ? check_names({"t", "pull", "at", "to", "stiffness", "damping"})
                                         : check_names({"t", "release"});
    if (!known || !read_required("t", kEventTime, time)) return;
    if (set != nullptr) return read_set(time[0], *set);
    if (pull != nullptr) return read_pull(time[0], *pull);
    if (is_body(*release)) events_.release(time[0], release->text, line_of(*release));
  }

  std::string hint_of_kind() const {
    for (const JsonMember& member : members_)
      if (const std::string nearest = core::nearest_name(member.name, {"set", "pull", "release"});
          !nearest.empty())
        return ": " + quote(member.name) + " is unknown, did you mean " + quote(nearest) + "?";
    return "";
  }

  bool check_names(const std::vector<std::string>& known) {
    for (const JsonMember& member : members_) {
      if (std::find(known.begin(), known.end(), member.name) != known.end()) continue;
      fail(member.at, quote(member.name) + " does not belong in this event; " +
                          did_you_mean(member.name, known, "it takes " + list_of(known)));
      return false;
    }
    return true;
  }

  /// Reads numbers, or text as in a scene file. There must be rule.count numbers.
  bool read_numbers(const JsonValue& value, const AttributeRule& rule, std::vector<double>& numbers) {
    if (value.type == JsonValue::Type::text) {
      core::Diagnostics found;
      const std::optional<Field> field =
          check_attribute(rule, value.text, place(value.at), Depth::values, found);
      if (field)
        numbers = field->numbers;
      else
        fail(value.at, found.front().message);
      return field.has_value();
    }
    numbers = value.numbers;
    if (numbers.size() == static_cast<size_t>(rule.count)) return true;
    fail(value.at, std::string(rule.name) + " has " + std::to_string(numbers.size()) +
                       (numbers.size() == 1 ? " number" : " numbers") + "; expected " + describe(rule));
    return false;
  }

  bool read_required(const char* name, const AttributeRule& rule, std::vector<double>& numbers) {
    const JsonValue* value = find(name);
    if (value == nullptr)
      fail(line_.find('{'), "the event has no \"" + std::string(name) + "\": " + describe(rule));
    return value != nullptr && read_numbers(*value, rule, numbers);
  }

  bool is_name(const JsonValue& value, const char* what) {
    if (value.type == JsonValue::Type::text) return true;
    fail(value.at, std::string("expected ") + what + " as text in double quotes");
    return false;
  }

  void read_set(double time, const JsonValue& set) {
    if (!is_name(set, "[KIND:]NAME.ATTRIBUTE")) return;
    const InputAttribute& attribute = attribute_at(set.text);
    if (!attribute.fault.empty()) return fail(set.at, attribute.fault);
    std::vector<double> numbers;
    if (!read_required("value", attribute.rule, numbers)) return;
    events_.set(time, set.text, numbers, line_of(*find("value")));
  }

  const InputAttribute& attribute_at(const std::string& address) {
    const auto [known, is_new] = attributes_.try_emplace(address);
    if (!is_new) return known->second;
    if (address.size() > kMaxAddressBytes) {
      known->second.fault = "nothing is called " + quote(address);
      return known->second;
    }
    const core::Expected<LiveModel::Place> found = live_.find(address);
    if (found) {
      known->second.rule = rule_of(*found, model_);
    } else {
      std::string& fault = known->second.fault = found.diagnostics().front().message;
      std::replace_if(
          fault.begin(), fault.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    }
    return known->second;
  }

  bool is_body(const JsonValue& value) {
    if (!is_name(value, "the name of a body")) return false;
    const auto found = bodies_.find(value.text);
    if (found != bodies_.end() && found->second)
      fail(value.at, "body " + quote(value.text) + " is fixed and cannot be pulled");
    if (found == bodies_.end())
      fail(value.at, "there is no body " + quote(value.text) + nearest_body(value.text));
    return found != bodies_.end() && !found->second;
  }

  std::string nearest_body(const std::string& name) const {
    if (bodies_.size() > kMaxNamesSearched || fault_count_ > kMaxFaults) return "";
    std::vector<std::string> known;
    for (const model::Body& body : model_.bodies()) known.push_back(body.name);
    return "; " +
           did_you_mean(name, known, known.empty() ? "the scene has none" : "known: " + first_few(known));
  }

  void read_pull(double time, const JsonValue& body) {
    model::Push push;
    std::vector<double> at = {0, 0, 0}, to, stiffness, damping = {0};
    // All of them, so that every fault is reported.
    bool good = read_optional("at", at);
    good = read_required("to", *find_push_rule("to"), to) && good;
    good = read_required("stiffness", *find_push_rule("stiffness"), stiffness) && good;
    good = read_optional("damping", damping) && good;
    good = is_body(body) && good;
    if (!good) return;
    push.at = model::Vec3(at[0], at[1], at[2]);
    push.to = model::Vec3(to[0], to[1], to[2]);
    push.stiffness = stiffness[0];
    push.damping = damping[0];
    events_.pull(time, body.text, push, line_of(body));
  }

  bool read_optional(const char* name, std::vector<double>& numbers) {
    const JsonValue* value = find(name);
    return value == nullptr || read_numbers(*value, *find_push_rule(name), numbers);
  }

  std::string_view text_;
  std::string file_;
  const model::Model& model_;
  LiveModel live_;
  InputEvents events_;
  std::unordered_map<std::string, bool> bodies_;  // by name: whether fixed
  std::unordered_map<std::string, InputAttribute> attributes_;
  std::string_view line_;
  int line_number_ = 0;
  std::vector<JsonMember> members_;  // of the line
  core::Diagnostics faults_;
  size_t fault_count_ = 0;
};

}  // namespace
}  // namespace detail

core::Expected<model::InputEvents> read_inputs(std::string_view text, const std::string& file,
                                               const model::Model& model) {
  if (text.size() > kMaxInputBytes)
    return core::error_at({file}, "the file has " + std::to_string(text.size()) + " bytes; at most " +
                                      std::to_string(kMaxInputBytes) + " are read");
  return detail::InputReader(text, file, model).run();
}

}  // namespace tumble::scene
