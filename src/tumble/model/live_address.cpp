// Resolves the addresses of LiveModel: [KIND:]NAME.ATTRIBUTE[.x|.y|.z|.N]. Names may contain dots. The parser
// therefore tries to split an address at every dot, and starts with the longest name.
#include <algorithm>
#include <charconv>

#include "tumble/model/live_model.h"

namespace tumble::model {

namespace {

constexpr size_t kMostNamesSearched = 2000;  // for the most similar name; the search takes about 0.1 s

std::string in_quotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::optional<size_t> parse_index(std::string_view text) {
  size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return index;
}

// The index of a component: x, y, z if there are three, or a number from 0 on.
std::optional<size_t> parse_part(std::string_view text, size_t count) {
  if (count == 3 && text.size() == 1 && text[0] >= 'x' && text[0] <= 'z')
    return static_cast<size_t>(text[0] - 'x');
  const std::optional<size_t> index = parse_index(text);
  return index && *index < count ? index : std::nullopt;
}

std::string key_of(LiveKind kind, std::string_view name) {
  return to_string(kind) + (":" + std::string(name));
}

// The field, and the component of the field, that an attribute name selects.
struct Match {
  std::optional<size_t> field, part;
};

Match match(const std::vector<LiveField>& fields, std::string_view rest) {
  for (size_t f = 0; f < fields.size(); ++f) {
    const std::string& name = fields[f].name;
    if (rest == name) return {f, std::nullopt};
    if (rest.size() <= name.size() + 1 || rest.substr(0, name.size()) != name || rest[name.size()] != '.')
      continue;
    if (fields[f].numbers.empty()) return {f, std::nullopt};
    if (const auto part = parse_part(rest.substr(name.size() + 1), fields[f].numbers.size()))
      return {f, part};
  }
  return {};
}

}  // namespace

// The name of an object in the scene file. The default material, of shapes without a material, has no name.
std::string LiveModel::given_name(const LiveTarget& target) const {
  const auto material = [&](MaterialId id) {
    const std::string& name = model_->material(id).name;
    return name.empty() ? std::string("default") : name;
  };
  switch (target.kind) {
    case LiveKind::world:
      return "world";
    case LiveKind::material:
      return material(MaterialId(target.index));
    case LiveKind::contact: {
      const MaterialPair& pair = model_->material_pairs_[target.index];
      return material(pair.a) + "," + material(pair.b);
    }
    case LiveKind::body:
      return model_->bodies_[target.index].name;
    case LiveKind::joint:
      return model_->joints_[target.index].name;
    default:
      return model_->forces_[target.index]->name();
  }
}

const LiveModel::Names& LiveModel::names() const {
  if (!names_.empty()) return names_;
  const auto add = [&](const LiveTarget& target) {
    names_[key_of(target.kind, given_name(target))].push_back(target.index);
  };
  for (size_t i = 1; i < model_->materials_.size(); ++i) add({LiveKind::material, i});
  if (!names_.contains(key_of(LiveKind::material, "default"))) add({LiveKind::material, 0});
  for (size_t i = 0; i < model_->material_pairs_.size(); ++i) {
    add({LiveKind::contact, i});
    const std::string name = given_name({LiveKind::contact, i});
    const size_t comma = name.find(',');
    const std::string other = name.substr(comma + 1) + "," + name.substr(0, comma);
    if (other != name) names_[key_of(LiveKind::contact, other)].push_back(i);
  }
  for (size_t i = 0; i < model_->bodies_.size(); ++i) add({LiveKind::body, i});
  for (size_t i = 0; i < model_->joints_.size(); ++i)
    if (model_->joints_[i].spec) add({LiveKind::joint, i});
  for (size_t i = 0; i < laws_.size(); ++i)
    if (const std::optional<LiveKind> kind = kind_of(i)) add({*kind, i});
  return names_;
}

std::string LiveModel::describe(const LiveTarget& target) const {
  if (target.kind == LiveKind::world) return "world";
  return std::string(to_string(target.kind)) + " " + in_quotes(given_name(target));
}

// The address uses the index, e.g. [3], if the name is not unique.
std::string LiveModel::address_of(const LiveTarget& target) const {
  if (target.kind == LiveKind::world) return "world";
  const std::string key = key_of(target.kind, given_name(target));
  if (const auto found = names().find(key);
      found != names().end() && found->second == std::vector{target.index})
    return key;
  return key_of(target.kind, "[" + std::to_string(target.index) + "]");
}

std::vector<LiveTarget> LiveModel::targets_named(LiveKind kind, std::string_view name) const {
  std::vector<LiveTarget> targets;
  if (const auto found = names().find(key_of(kind, name)); found != names().end())
    for (const size_t index : found->second) targets.push_back({kind, index});
  if (!targets.empty() || name.size() < 3 || name.front() != '[' || name.back() != ']') return targets;
  const std::optional<size_t> index = parse_index(name.substr(1, name.size() - 2));
  if (!index) return targets;
  const auto holds = [&](size_t count) { return *index < count; };
  const bool there = kind == LiveKind::material  ? holds(model_->materials_.size())
                     : kind == LiveKind::contact ? holds(model_->material_pairs_.size())
                     : kind == LiveKind::body    ? holds(model_->bodies_.size())
                     : kind == LiveKind::joint ? holds(model_->joints_.size()) && model_->joints_[*index].spec
                                               : kind != LiveKind::world && kind_of(*index) == kind;
  if (there) targets.push_back({kind, *index});
  return targets;
}

core::Expected<LiveModel::Place> LiveModel::find(std::string_view address) const {
  const std::string said = in_quotes(address) + ": ";
  std::vector<LiveKind> kinds;
  std::string_view rest = address;
  if (const size_t colon = address.find(':'); colon != std::string_view::npos)
    if (const std::optional<LiveKind> kind = find_live_kind(address.substr(0, colon))) {
      kinds.push_back(*kind);
      rest = address.substr(colon + 1);
    }
  const std::string_view prefix = address.substr(0, address.size() - rest.size());
  if (kinds.empty())
    for (int k = static_cast<int>(LiveKind::material); k <= static_cast<int>(LiveKind::drag); ++k)
      kinds.push_back(static_cast<LiveKind>(k));
  if (prefix.empty() && rest.substr(0, 6) == "world.")
    if (const core::Expected<Place> place = find_field({LiveKind::world, 0}, rest.substr(6), said);
        place || names().find(key_of(LiveKind::body, "world")) == names().end())
      return place;

  std::optional<core::Diagnostics> fault;
  for (size_t dot = rest.rfind('.'); dot != std::string_view::npos && dot > 0;
       dot = rest.rfind('.', dot - 1)) {
    const std::string_view name = rest.substr(0, dot), attribute = rest.substr(dot + 1);
    std::vector<LiveTarget> targets;
    for (const LiveKind kind : kinds)
      for (const LiveTarget& target : targets_named(kind, name)) targets.push_back(target);
    std::optional<core::Expected<Place>> found;
    for (const LiveTarget& target : targets) {
      core::Expected<Place> place = find_field(target, attribute, said);
      if (place && !found)
        found = std::move(place);
      else if (!place && !fault)
        fault = place.diagnostics();
    }
    if (!found) continue;
    if (targets.size() == 1) return *found;
    std::vector<std::string> ways;
    ways.reserve(targets.size());
    for (const LiveTarget& target : targets)
      ways.push_back(address_of(target) + "." + std::string(attribute));
    return core::error_at({}, said + in_quotes(name) + " is the name of " + std::to_string(targets.size()) +
                                  " things; say which: " + list_of(ways));
  }
  if (fault) return *fault;
  return core::error_at({}, said + no_such_name(rest, kinds));
}

core::Expected<LiveModel::Place> LiveModel::find_field(const LiveTarget& target, std::string_view attribute,
                                                       const std::string& said) const {
  LiveValues values = read(target);
  const std::vector<LiveField> fields = fields_of(target.kind, values);
  std::string rest(attribute);
  constexpr std::string_view kFirstDrive = "drive[1].";
  if (rest.starts_with(kFirstDrive)) rest = "drive." + rest.substr(kFirstDrive.size());
  const Match found = match(fields, rest);
  std::vector<std::string> live;
  for (const LiveField& field : fields)
    if (!field.numbers.empty()) live.push_back(field.name);
  const std::string can_change =
      live.empty() ? "nothing of it can change" : "what can change is " + list_of(live);
  if (found.field && !fields[*found.field].numbers.empty())
    return Place{.target = target,
                 .field = *found.field,
                 .part = found.part,
                 .attribute = fields[*found.field].name,
                 .count = found.part ? 1 : fields[*found.field].numbers.size()};
  if (found.field)
    return core::error_at({}, said + describe(target) + ": " + fields[*found.field].name +
                                  " cannot change while it runs: " + fields[*found.field].why_not + "; " +
                                  can_change);
  const std::string nearest = core::nearest_name(rest, live);
  return core::error_at({}, said + describe(target) + " has no " + in_quotes(rest) + "; " +
                                (nearest.empty() ? "" : "did you mean " + in_quotes(nearest) + "? ") +
                                can_change);
}

std::string LiveModel::no_such_name(std::string_view rest, const std::vector<LiveKind>& kinds) const {
  const std::string_view name = rest.substr(0, rest.find('.'));
  std::vector<std::string> known = {"world"};
  for (const auto& [key, indices] : names()) {
    const size_t colon = key.find(':');
    if (std::find(kinds.begin(), kinds.end(), *find_live_kind(key.substr(0, colon))) != kinds.end())
      known.push_back(key.substr(colon + 1));
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  const std::string expected =
      "; expected [KIND:]NAME.ATTRIBUTE, as in \"world.gravity\" or \"ice.friction\"";
  if (rest.find('.') == std::string_view::npos) return "no attribute is named" + expected;
  std::string text = "nothing is called " + in_quotes(name);
  if (known.size() > kMostNamesSearched) return text + expected;
  const std::string nearest = core::nearest_name(std::string(name), known);
  if (!nearest.empty()) return text + "; did you mean " + in_quotes(nearest) + "?";
  constexpr size_t kFew = 8;
  const bool all = known.size() <= kFew;
  if (!all) known.resize(kFew);
  return text + "; there is " + list_of(known) + (all ? "" : ", ...");
}

}  // namespace tumble::model
