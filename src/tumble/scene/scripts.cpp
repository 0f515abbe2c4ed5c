#include "tumble/scene/scripts.h"

#include <algorithm>
#include <array>

#include "tumble/scene/joint_types.h"
#include "tumble/scene/limits.h"
#include "tumble/scene/typed_reader.h"

namespace tumble::scene::detail {

namespace {

using math::Quat;
using model::Interpolation;

// Reports faults and counts them.
class Faults {
 public:
  explicit Faults(core::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}
  void add(const core::Place& place, std::string message) {
    diagnostics_.push_back(core::error_at(place, std::move(message)));
    ++count_;
  }
  size_t count() const { return count_; }
  bool none() const { return count_ == 0; }

 private:
  core::Diagnostics& diagnostics_;
  size_t count_ = 0;
};

Interpolation interpolation_of(const Element& script, const Element& key) {
  const std::string& text = key.find("curve") ? key.text("curve") : script.text("curve");
  return text == "hold"     ? Interpolation::hold
         : text == "linear" ? Interpolation::linear
                            : Interpolation::smooth;
}

void refuse_given(const Element& element, std::initializer_list<const char*> attributes,
                  const std::string& why, Faults& faults) {
  for (const char* attribute : attributes)
    if (const Field* field = element.find(attribute); field && field->given)
      faults.add(field->place, std::string(attribute) + ": " + why);
}

void check_times(const Element& script, Faults& faults) {
  for (size_t i = 1; i < script.children.size(); ++i)
    if (!(script.children[i].number("t") > script.children[i - 1].number("t")))
      faults.add(script.children[i].find("t")->place,
                 "the times of keys must increase; the previous key is at t = " +
                     core::brief_number(script.children[i - 1].number("t")) + " s");
}

// Reads `velocity` in the key of a body. The table of elements also allows the units of joints; this does
// not.
std::optional<Vec3> read_velocity(const Element& key, Faults& faults) {
  const Field* field = key.find("velocity");
  if (field == nullptr) return std::nullopt;
  const std::string said = "velocity=" + quote(field->text) + ": ";
  if (field->numbers.size() != 3) {
    faults.add(field->place, said + "expected 3 numbers, the velocity of the body's frame");
    return std::nullopt;
  }
  std::istringstream words(field->text);
  for (std::string word; words >> word;)
    if (const ParsedNumber number = parse_number(word, Dimension::velocity);
        number.fault == NumberFault::wrong_unit) {
      faults.add(field->place, said + quote(number.unit) + " is not a unit of velocity; expected one of " +
                                   unit_list(Dimension::velocity));
      return std::nullopt;
    }
  return key.vec3("velocity");
}

model::PathKey read_path_key(const Element& script, const Element& element, Faults& faults) {
  model::PathKey key{.t = element.number("t"), .interpolation = interpolation_of(script, element)};
  refuse_given(element, {"value"}, "is for the keys of a joint; give a position, a rotation or both", faults);
  if (element.find("position")) key.position = element.vec3("position");
  key.velocity = read_velocity(element, faults);
  if (const Field* r = element.find("rotate")) {
    const Vec3 axis(r->numbers[0], r->numbers[1], r->numbers[2]);
    key.rotation_vector = r->numbers[3] * (axis / axis.cwiseAbs().maxCoeff()).normalized();
  }
  if (const Field* q = element.find("quaternion"))
    key.quaternion = Quat::from_wxyz(q->numbers[0], q->numbers[1], q->numbers[2], q->numbers[3]).normalized();
  if (element.find("angular-velocity")) key.angular_velocity = element.vec3("angular-velocity");
  for (const auto& [part, name] : {std::pair(&key.position, "position"), std::pair(&key.velocity, "velocity"),
                                   std::pair(&key.angular_velocity, "angular-velocity")})
    if (*part && !((*part)->cwiseAbs().maxCoeff() <= kMaxMagnitude))
      faults.add(element.find(name)->place, std::string(name) + ": is too large; expected numbers up to " +
                                                core::brief_number(kMaxMagnitude));
  return key;
}

/// Reads a table of keys, line by line.
class TableReader {
 public:
  TableReader(const std::string& shown, const std::string& body, core::Diagnostics& diagnostics)
      : shown_(shown), body_(body), faults_(diagnostics) {}

  std::optional<model::PathSpec> run(std::string_view text) {
    model::PathSpec path{.keys = {}, .of_center = true};
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    while (!text.empty() && faults_.count() < kMaxTableFaults) {
      const size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      read_line(text.substr(0, end), path);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (faults_.none() && path.keys.empty())
      faults_.add({.file = shown_},
                  "contains no row of numbers; expected t x y z, or t x y z qw qx qy qz, one row per line");
    if (!faults_.none()) return std::nullopt;
    return path;
  }

 private:
  static constexpr size_t kMaxTableFaults = 20;
  static constexpr std::array kColumns = {"t", "x", "y", "z", "qw", "qx", "qy", "qz"};
  static constexpr size_t kMissing = static_cast<size_t>(-1);

  struct Word {
    std::string_view text;
    size_t at;
  };

  core::Place place_at(size_t at) const {
    return {.file = shown_, .line = line_, .column = static_cast<int>(at) + 1};
  }

  static std::vector<Word> split(std::string_view line) {
    std::vector<Word> words;
    for (size_t at = 0; (at = line.find_first_not_of(", \t\r", at)) != std::string_view::npos;) {
      const size_t end = std::min(line.find_first_of(", \t\r", at), line.size());
      words.push_back({line.substr(at, end - at), at});
      at = end;
    }
    return words;
  }

  void read_line(std::string_view line, model::PathSpec& path) {
    const std::vector<Word> words = split(line.substr(0, line.find('#')));
    if (words.empty()) return;
    const bool is_header =
        columns_.empty() && parse_number(words[0].text, Dimension::time).fault != NumberFault::none;
    if (is_header) return read_header(words);
    if (columns_.empty()) {
      if (words.size() != 4 && words.size() != kColumns.size())
        return faults_.add(place_at(0), "this row has " + std::to_string(words.size()) +
                                            " numbers; expected 4 (t x y z), 8 (t x y z qw qx qy qz), or a "
                                            "first line that names the columns");
      for (size_t k = 0; k < kColumns.size(); ++k) columns_.push_back(k < words.size() ? k : kMissing);
      width_ = words.size();
    }
    read_row(words, path);
  }

  void read_header(const std::vector<Word>& words) {
    width_ = words.size();
    const auto find = [&](const std::string& name) {
      const auto at =
          std::find_if(words.begin(), words.end(), [&](const Word& word) { return word.text == name; });
      return at == words.end() ? kMissing : static_cast<size_t>(at - words.begin());
    };
    const bool named = find(body_ + ".x") != kMissing;
    for (const char* column : kColumns)
      columns_.push_back(find(column == std::string("t") || !named ? column : body_ + "." + column));
    for (size_t k = 0; k < 4; ++k)
      if (columns_[k] == kMissing)
        faults_.add(place_at(0), "no column is called " + quote(kColumns[k]) +
                                     (k == 0 ? std::string() : " or " + quote(body_ + "." + kColumns[k])) +
                                     "; columns=\"NAME\" on the <script> names another body of the table");
  }

  void read_row(const std::vector<Word>& words, model::PathSpec& path) {
    if (words.size() != width_)
      return faults_.add(place_at(0), "this row has " + std::to_string(words.size()) + " numbers, expected " +
                                          std::to_string(width_));
    std::array<double, kColumns.size()> numbers{};
    for (size_t k = 0; k < columns_.size(); ++k) {
      if (columns_[k] == kMissing) continue;
      const Word& word = words[columns_[k]];
      const ParsedNumber number = parse_number(word.text, Dimension::none);
      if (number.fault != NumberFault::none || !(std::abs(number.value) <= kMaxMagnitude))
        return faults_.add(place_at(word.at), quote(word.text) + " is not a finite number in SI units");
      numbers[k] = number.value;
    }
    model::PathKey key{.t = numbers[0], .position = Vec3(numbers[1], numbers[2], numbers[3])};
    if (!path.keys.empty() && !(key.t > path.keys.back().t))
      return faults_.add(place_at(words[columns_[0]].at),
                         "the times of rows must increase; the previous row is at t = " +
                             core::brief_number(path.keys.back().t) + " s");
    if (columns_[4] != kMissing) {
      const Quat q = Quat::from_wxyz(numbers[4], numbers[5], numbers[6], numbers[7]);
      if (!(q.norm() > 0))
        return faults_.add(place_at(words[columns_[4]].at), "a quaternion of length 0 is not an orientation");
      key.quaternion = q.normalized();
    }
    path.keys.push_back(key);
  }

  const std::string& shown_;
  const std::string& body_;
  Faults faults_;
  std::vector<size_t> columns_;  // where each of kColumns is
  size_t width_ = 0;
  int line_ = 0;
};

}  // namespace

std::optional<model::PathSpec> parse_path_table(std::string_view text, const std::string& shown,
                                                const std::string& body, core::Diagnostics& diagnostics) {
  return TableReader(shown, body, diagnostics).run(text);
}

bool read_joint_script(const Element& element, model::JointSpec& spec, core::Diagnostics& diagnostics) {
  const JointKind& kind = model::kind_of(spec.type);
  const bool is_vector = kind.has_rotation_vector();
  Faults faults(diagnostics);
  if (!kind.has_coordinate()) {
    faults.add(element.place, "a script moves a " + list_scripted_types() + " joint; " + quote(spec.name) +
                                  " is a " + kind.name);
    return false;
  }
  refuse_given(element, {"file", "columns", "release"}, "is for the script of a body", faults);
  check_times(element, faults);
  bool good = true;
  for (const Element& child : element.children) {
    refuse_given(child, {"position", "rotate", "quaternion", "angular-velocity"},
                 "is for the keys of a body; the keys of a joint have a value", faults);
    if (!child.find("value"))
      faults.add(child.place,
                 "<key> needs the attribute \"value\": the coordinate of the joint at that time");
    TypedReader reader(child, kind, is_vector, diagnostics);
    model::CurveKey key{.t = child.number("t"), .interpolation = interpolation_of(element, child)};
    double slope = 0;
    Vec3 vector = Vec3::Zero(), slopes = Vec3::Zero();
    reader.read("value", key.value, vector);
    reader.read("velocity", slope, slopes);
    const bool has_slope = child.find("velocity") != nullptr;
    if (has_slope) key.slope = slope;
    if (!is_vector) spec.script.push_back(key);
    for (int k = 0; is_vector && k < 3; ++k) {
      key.value = vector[k];
      if (has_slope) key.slope = slopes[k];
      spec.script_rotation[k].push_back(key);
    }
    good = reader.good() && good;
  }
  return good && faults.none();
}

std::optional<model::PathSpec> read_body_script(const Element& element, const std::string& named_in_key,
                                                Files& files, core::Diagnostics& diagnostics) {
  Faults faults(diagnostics);
  model::PathSpec path;
  if (const Field* file = element.find("file")) {
    if (!element.children.empty())
      faults.add(element.children.front().place, "<script> has both a file and keys; remove one of them");
    const FilePath at = files.resolve(named_in_key, file->text);
    const core::Expected<std::string> bytes = files.read(at);
    if (!bytes) {
      faults.add(file->place, "the table " + quote(at.shown) + " " + bytes.diagnostics().front().message);
      return std::nullopt;
    }
    const std::string& body = element.find("columns") ? element.text("columns") : element.text("body");
    std::optional<model::PathSpec> table = parse_path_table(*bytes, at.shown, body, diagnostics);
    if (!table) {
      faults.add(file->place, "the table " + quote(at.shown) + " has faults; they are listed with its name");
      return std::nullopt;
    }
    path = std::move(*table);
    for (model::PathKey& key : path.keys) key.interpolation = interpolation_of(element, element);
  } else {
    refuse_given(element, {"columns"}, "needs a file", faults);
    check_times(element, faults);
    for (const Element& child : element.children) path.keys.push_back(read_path_key(element, child, faults));
  }
  if (element.find("release")) path.release = element.number("release");
  if (!faults.none()) return std::nullopt;
  return path;
}

}  // namespace tumble::scene::detail
