// The reader, the RELAX NG schema and docs/scene.md agree, because all come from one table.
#include <doctest/doctest.h>

#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>

#include "support/files.h"
#include "tumble/model/joints/joint_kind.h"
#include "tumble/scene/check.h"
#include "tumble/scene/schema.h"

namespace fs = std::filesystem;
using namespace tumble;
using namespace tumble::scene;

namespace {

const fs::path kSource = TUMBLE_SOURCE_DIR;

/// The files that are valid for xmllint.
std::set<fs::path> valid_by_schema(const std::vector<fs::path>& files) {
  std::string command = "xmllint --noout --nonet --relaxng '" + (kSource / "scenes/scene.rng").string() + "'";
  for (const fs::path& file : files) command += " '" + file.string() + "'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen((command + " 2>&1").c_str(), "r"), &pclose);
  REQUIRE(pipe);
  std::string output;
  std::array<char, 4096> block;
  while (const size_t got = std::fread(block.data(), 1, block.size(), pipe.get()))
    output.append(block.data(), got);
  REQUIRE_MESSAGE(output.find("validate") != std::string::npos,
                  "xmllint said: " << output.substr(0, 500) << " (Debian has it in libxml2-utils)");
  std::set<fs::path> valid;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    if (line.ends_with(" validates"))
      valid.insert(line.substr(0, line.size() - std::string(" validates").size()));
  return valid;
}

/// Whether the structure of a file is valid for the reader: elements, attributes, literal forms.
bool valid_by_reader(const std::string& text) {
  core::Diagnostics diagnostics;
  const detail::XmlDocument document = detail::parse_xml(text, "test", diagnostics);
  if (!document.root || document.root->name != "scene") return false;
  detail::check_element(*document.root, *find_element("scene"), detail::Depth::structure, diagnostics);
  return diagnostics.empty();
}

// Well-formed XML that the reader rejects and RELAX NG cannot check.
const std::set<std::string> kBeyondTheSchema = {"xml-doctype", "xml-encoding", "xml-instruction",
                                                "xml-utf-16"};

/// Makes scenes at random, most of them slightly wrong.
class SceneMaker {
 public:
  explicit SceneMaker(unsigned seed) : random_(seed) {}

  std::string make() {
    text_.clear();
    fault_rate_ = one_in(3) ? 0 : 150;  // a third of the scenes have no fault
    element(*find_element(one_in(fault_rate_) ? "body" : "scene"), 0);
    return text_;
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool one_in(int n) { return n > 0 && below(n) == 0; }
  bool slip() { return one_in(fault_rate_); }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<size_t>(below(static_cast<int>(from.size())))];
  }

  void element(const ElementRule& rule, int depth) {
    const std::string name = slip() ? "teapot" : std::string(rule.name);
    text_ += "<" + name;
    // Of attributes that exclude each other, one set is chosen.
    std::set<std::string_view> wanted, excluded;
    for (const Alternative& alternative : rule.alternatives) {
      const auto& chosen = pick(alternative.sets);
      for (const auto& set : alternative.sets)
        for (const std::string_view attribute : set) excluded.insert(attribute);
      if (alternative.required || one_in(2)) wanted.insert(chosen.begin(), chosen.end());
    }
    const int rarity =
        rule.attributes.size() > 12 ? 4 : 2;  // xmllint stores a state for every subset of them
    for (const AttributeRule& attribute : rule.attributes) {
      bool give = wanted.contains(attribute.name) || attribute.required ||
                  (!excluded.contains(attribute.name) && one_in(rarity));
      if (slip()) give = !give;
      if (!give) continue;
      text_ += " " + std::string(slip() ? "colour" : attribute.name) + "=\"" + value(attribute) + "\"";
    }
    text_ += ">";
    if (slip()) text_ += "text";
    children(rule, depth);
    text_ += "</" + name + ">";
  }

  void children(const ElementRule& rule, int depth) {
    const std::vector<std::string> names = children_of(rule.name);
    if (depth > 3) return;
    std::set<std::string> once;
    for (int i = names.empty() ? 0 : below(7); i > 0; --i) {
      const ElementRule& child =
          slip() ? elements()[static_cast<size_t>(below(static_cast<int>(elements().size())))]
                 : *find_element(pick(names));
      if (child.once && !once.insert(std::string(child.name)).second && !slip()) continue;
      element(child, depth + 1);
    }
    if (names.empty() && slip()) element(*find_element("world"), depth + 1);
  }

  std::string number(Dimension dimension) {
    if (slip())
      return pick<std::string>(
          {"x", "nan", "inf", "1,5", "1e", ".", "+", "--1", "1e5.5", "0x1", "1parsec", "1 m"});
    std::string text =
        pick<std::string>({"0", "1", "-2.5", "+3", ".5", "7.", "1e3", "1.5E-2", "1e+0", "1e999", "00"});
    const auto units = units_of(dimension);
    if (!units.empty() && one_in(2))
      text += units[static_cast<size_t>(below(static_cast<int>(units.size())))].name;
    if (slip()) text += pick<std::string>({"m", "kg", "s", "deg", "rpm", "N", "N*m", "m/s2"});
    return text;
  }

  std::string name() {
    if (slip())
      return pick<std::string>(
          {std::string(101, 'n'), "", " ", " a", "a ", "a,b", "a&quot;b", "a&#9;b", "a&#10;", ","});
    return pick<std::string>(
        {std::string(100, 'n'), "a", "b1", "two words", "größe", "a.b-c_d", "a  b", "#1", "a'b", "&lt;"});
  }

  std::string value(const AttributeRule& rule) {
    if (slip()) return pick<std::string>({"", "  ", "?", "#", "1 2 3 4 5 6"});
    const std::string blank = pick<std::string>({" ", "  ", "\t", "\n"});
    switch (rule.form) {
      case Form::numbers:
      case Form::quaternion:
      case Form::axis_angle: {
        int count = !rule.other_counts.empty() && one_in(2) ? pick(rule.other_counts) : rule.count;
        if (slip()) count += one_in(2) ? 1 : -1;
        std::string text = one_in(5) ? blank : "";
        for (int i = 0; i < count; ++i)
          text += (i == 0 ? "" : blank) + number(dimension_of(rule, static_cast<size_t>(i)));
        return text + (one_in(5) ? blank : "");
      }
      case Form::number_list: {
        std::string text = number(rule.dimension);
        for (int i = below(5); i > 0; --i) text += blank + number(rule.dimension);
        return text;
      }
      case Form::integer:
        return slip() ? "-1" : pick<std::string>({"1", " 2 ", "0", "007"});
      case Form::boolean:
        return slip() ? pick<std::string>({"yes", "TRUE", "1"})
                      : pick<std::string>({"true", "false", " true"});
      case Form::choice:
        return slip() ? pick<std::string>({"none", "World", "world body"})
                      : std::string(pick(rule.choices)) + (one_in(5) ? blank : "");
      case Form::color:
        return slip() ? pick<std::string>({"#12345", "123456", "#12345g", "#1234567"})
                      : pick<std::string>({"#00ff7F", " #123456"});
      case Form::name:
      case Form::reference:
        return name();
      case Form::word:
        return slip() ? "two words" : pick<std::string>({"a", "b", "größe"});
      case Form::references:
        return slip() ? pick<std::string>({"a", "a b c", "a, b", std::string(101, 'n') + " b"})
                      : "a" + blank + "b";
      case Form::path:
      case Form::run_path:
      case Form::name_list:
        return slip() ? "a&#10;b" : pick<std::string>({"a.obj", "../a b.xml", " x"});
    }
    return "";
  }

  std::mt19937 random_;
  std::string text_;
  int fault_rate_ = 0;
};

std::string row_of(const AttributeRule& rule) {
  std::string fallback = std::string(rule.fallback_note);
  if (rule.required) fallback = "required";
  if (!rule.fallback.empty()) fallback = "`" + std::string(rule.fallback) + "`";
  const std::string bounds = describe(rule.range);
  return "| `" + std::string(rule.name) + "` | " + describe(rule) + (bounds.empty() ? "" : ", " + bounds) +
         " | " + (fallback.empty() ? "none" : fallback) + " | " + std::string(rule.summary) + " |";
}

}  // namespace

TEST_CASE("the schema that ships is the one the table gives") {
  CHECK(support::text_of(kSource / "scenes/scene.rng") == relax_ng());
}

TEST_CASE("schema and reader agree on the structure of every scene of tests/input") {
  std::vector<fs::path> files;
  for (const char* folder : {"tests/input", "tests/input/good"})
    for (const auto& entry : fs::directory_iterator(kSource / folder))
      if (entry.path().extension() == ".xml") files.push_back(entry.path());
  const std::set<fs::path> valid = valid_by_schema(files);
  CHECK(valid.size() > 20);
  for (const fs::path& file : files) {
    const bool agree = valid.contains(file) == valid_by_reader(support::text_of(file));
    CHECK_MESSAGE(agree != kBeyondTheSchema.contains(file.stem().string()), file.filename().string());
  }
}

// Faults that only the reader finds, not the schema. Each has a scene in tests/input.
TEST_CASE("the rules beyond the schema are these and no others") {
  const std::set<std::string> beyond = {
      // numbers: bounds, zeros, magnitude
      "accuracy-too-coarse", "accuracy-too-fine", "accuracy-zero", "contact-bounds", "contact-softness",
      "contact-without-stiffness", "duration-negative", "fps-zero", "mass-overflow", "mass-underflow",
      "inertia-underflow", "magnitude-too-large", "mesh-zero-scale", "more-than-a-hundred",
      "negative-damping", "negative-density", "negative-drag", "negative-friction", "negative-mass",
      "negative-moment", "negative-radius", "negative-spring-length", "negative-stiffness",
      "overflow-by-unit", "quaternion-not-unit", "restitution-above-one", "restitution-below-zero",
      "step-zero", "threads-too-many", "threads-zero", "too-large-number", "zero-axis", "joint-zero-axis",
      "zero-density", "zero-length", "zero-mass", "zero-normal", "zero-quaternion", "zero-size",
      "height-field-one-column", "height-field-too-large", "height-field-zero-scale",
      // names and references
      "hull-unknown-mesh", "contact-twice", "duplicate-body", "duplicate-force", "duplicate-material",
      "duplicate-mesh", "joint-duplicate-name", "joint-unknown-body", "script-unknown-joint", "no-materials",
      "unknown-body", "unknown-contact-material", "unknown-group", "unknown-ignored-body", "unknown-material",
      "unknown-mesh",
      // elements that contradict each other
      "attraction-at-zero-distance", "attraction-to-itself", "body-without-mass", "drag-of-nothing",
      "fixed-body-with-velocity", "force-never-acts", "force-on-fixed-body", "from-after-to", "ignore-itself",
      "inertia-not-positive", "inertia-triangle", "plane-on-moving-body", "quergs-without-cash-karp",
      "spring-to-itself", "spring-without-direction", "spring-without-ends", "spring-world-end",
      "joint-drive-of-nothing", "joint-beyond-its-limits", "joint-nail-with-a", "joint-number-of-numbers",
      "joint-to-itself", "joint-unit-of-wrong-kind", "joint-without-axis", "joint-without-meaning",
      "joint-without-place", "baumgarte-without-cash-karp", "script-key-order", "script-key-without-value",
      "script-of-a-body", "script-of-a-nail", "script-path-both-sides", "script-path-missing-table",
      "script-path-whole-turn", "script-twice", "script-value-of-ball", "script-without-keys",
      "height-field-on-moving-body", "height-field-one-row", "height-field-uneven",
      // other files
      "height-field-file-directory", "height-field-file-faulty", "height-field-file-missing",
      "height-field-file-one-row", "hull-flat", "hull-mesh-missing", "hull-too-few-points", "include-cycle",
      "include-directory", "include-duplicate", "include-itself", "include-missing", "include-not-a-scene",
      "include-too-deep", "mesh-directory", "mesh-duplicate-vertices", "mesh-faulty", "mesh-inside-out",
      "mesh-kind", "mesh-missing", "mesh-non-manifold", "mesh-open", "mesh-truncated",
      // numbers that are allowed and probably not meant
      "body-in-millimetres", "density-of-air", "empty-scene", "limits-in-degrees", "mesh-in-millimetres",
      "script-against-velocity", "swing-in-degrees",
      // limits at the start
      "joint-slightly-beyond-limits", "joint-start",
      // XML itself
      "xml-doctype", "xml-encoding", "xml-instruction", "xml-utf-16"};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kSource / "tests/input"))
    if (entry.path().extension() == ".xml") files.push_back(entry.path());
  std::set<std::string> accepted;
  for (const fs::path& file : valid_by_schema(files)) accepted.insert(file.stem().string());
  for (const std::string& name : accepted)
    CHECK_MESSAGE(beyond.contains(name), name << " is accepted by the schema");
  for (const std::string& name : beyond)
    CHECK_MESSAGE(accepted.contains(name), name << " is refused by the schema");
}

TEST_CASE("schema and reader agree on the structure of 600 scenes made at random") {
  const fs::path folder = fs::temp_directory_path() / ("tumble_schema_test_" + std::to_string(getpid()));
  fs::create_directories(folder);
  constexpr unsigned kScenes = 600;
  std::vector<fs::path> files;
  std::vector<std::string> texts;
  for (unsigned i = 0; i < kScenes; ++i) {
    texts.push_back(SceneMaker(i).make());
    files.push_back(folder / (std::to_string(i) + ".xml"));
    std::ofstream(files.back(), std::ios::binary) << texts.back();
  }
  const std::set<fs::path> valid = valid_by_schema(files);
  // Both verdicts must occur often, or nothing is tested.
  CHECK(valid.size() > kScenes / 5);
  CHECK(valid.size() < kScenes * 4 / 5);
  for (unsigned i = 0; i < kScenes; ++i)
    CHECK_MESSAGE(valid.contains(files[i]) == valid_by_reader(texts[i]), texts[i]);
  fs::remove_all(folder);
}

TEST_CASE("docs/scene.md describes every element and every attribute as the table has them") {
  const std::string docs = support::text_of(kSource / "docs/scene.md");
  std::map<std::string, std::string> sections;  // by heading
  std::istringstream lines(docs);
  std::string heading;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) heading = line;
    sections[heading] += line + "\n";
  }
  const std::string shared = sections["### Every shape"];
  for (const ElementRule& rule : elements()) {
    const std::string title = "### `<" + std::string(rule.name) + ">`";
    REQUIRE_MESSAGE(sections.contains(title), title);
    const bool is_shape = rule.parent == "body" && rule.name != "inertia";
    for (const AttributeRule& attribute : rule.attributes) {
      const std::string row = row_of(attribute);
      const bool found = sections[title].find(row) != std::string::npos ||
                         (is_shape && shared.find(row) != std::string::npos);
      CHECK_MESSAGE(found, title << " lacks the row\n" << row);
    }
  }
  for (int i = 1; i < kDimensionCount; ++i)
    for (const Unit& unit : units_of(static_cast<Dimension>(i)))
      CHECK_MESSAGE(docs.find("`" + std::string(unit.name) + "`") != std::string::npos,
                    std::string(unit.name));
}

TEST_CASE("docs/scene.md and the schema have every joint type of the registry") {
  const std::string docs = support::text_of(kSource / "docs/scene.md");
  const std::vector<std::string_view>& choices = find_element("joint")->find("type")->choices;
  REQUIRE(choices.size() == model::joint_kinds().size());
  size_t i = 0;
  for (const model::JointKind* kind : model::joint_kinds()) {
    CHECK(choices[i++] == kind->name);
    const std::string row = "| `" + std::string(kind->name) + "` | " + kind->freedom + " | " +
                            std::to_string(kind->rows) + " |\n";
    CHECK_MESSAGE(docs.find(row) != std::string::npos, row);
  }
}

TEST_CASE("every attribute of the table is well described and every default passes its own check") {
  for (const ElementRule& element : elements()) {
    CHECK((element.parent.empty() || find_element(element.parent) != nullptr));
    for (const AttributeRule& rule : element.attributes) {
      CHECK_MESSAGE(!rule.summary.empty(), std::string(element.name) << " " << std::string(rule.name));
      CHECK_FALSE((rule.required && !rule.fallback.empty()));
      if (rule.fallback.empty()) continue;
      core::Diagnostics diagnostics;
      CHECK(
          detail::check_attribute(rule, std::string(rule.fallback), {}, detail::Depth::values, diagnostics));
    }
  }
}
