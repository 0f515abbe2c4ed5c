#include "tumble/scene/common_words.h"

#include <algorithm>

#include "tumble/scene/words.h"

namespace tumble::scene::detail {

namespace {

struct CommonWord {
  std::string_view words;  // separated by blanks
  WordKind kind;
  std::string_view places;  // as in find_common_word; "shape": all shapes, "": everywhere
  std::string_view hint;
};

constexpr std::string_view kShapes = "sphere box capsule cylinder cone plane shape hull height-field";

// The first row that fits is taken.
constexpr CommonWord kTable[] = {
    // types of joints
    {"revolute rotary pin hinge-joint", WordKind::value, "type", "did you mean \"hinge\"?"},
    {"continuous", WordKind::value, "type", "did you mean \"hinge\"? Without limits it turns without end"},
    {"prismatic linear slide", WordKind::value, "type", "did you mean \"slider\"?"},
    {"spherical ball-and-socket socket", WordKind::value, "type", "did you mean \"ball\"?"},
    {"point point-to-point p2p", WordKind::value, "type",
     "did you mean \"ball\", which joins two points, or \"point-on-line\" or \"point-on-plane\"?"},
    {"weld rigid lock", WordKind::value, "type", "did you mean \"fixed\"?"},
    {"floating free", WordKind::value, "type", "a body without a joint is free; remove the joint"},
    {"rope string cable", WordKind::value, "type",
     "did you mean \"distance\"? With range=\"0 LENGTH\" it is a rope"},
    {"rod", WordKind::value, "type", "did you mean \"distance\"?"},
    {"cardan gimbal", WordKind::value, "type", "did you mean \"universal\"?"},
    {"planar", WordKind::value, "type", "did you mean \"point-on-plane\"?"},
    // elements
    {"cube cuboid", WordKind::element, "body", "a box is <box size=\"x y z\"/>"},
    {"ball", WordKind::element, "body", "a ball is <sphere radius=\"r\"/>"},
    {"mesh", WordKind::element, "body",
     "the <mesh> stands in the <scene>, and the body has <shape mesh=\"its name\"/> or <hull mesh=\"its "
     "name\"/>"},
    {"geom geometry collision visual collider", WordKind::element, "body",
     "a shape is an element of its own: <sphere>, <box>, <capsule>, <cylinder>, <cone>, <shape> or <hull>"},
    {"mass inertial", WordKind::element, "body",
     "mass follows from the density of the material, or stands in <inertia mass=\"m\" moments=\"xx yy "
     "zz\"/>"},
    {"joint", WordKind::element, "body", "a <joint> stands in the <scene> and names its two bodies, a and b"},
    {"link rigidbody rigid-body rigid_body object actor", WordKind::element, "scene",
     "did you mean \"body\"?"},
    {"ball sphere box cube cuboid cylinder capsule", WordKind::element, "scene", "put it into a <body>"},
    {"hinge slider revolute prismatic constraint motor", WordKind::element, "scene",
     "a joint is <joint type=\"...\">, and a motor a <drive> in it"},
    {"gravity", WordKind::element, "scene", "gravity is an attribute of <world>"},
    {"ground floor", WordKind::element, "scene",
     "a floor is a body: <body fixed=\"true\"><plane normal=\"0 1 0\"/></body>"},
    // attributes
    {"mass", WordKind::attribute, "body",
     "mass follows from the density of the material of its shapes, or stands in <inertia mass=\"m\" "
     "moments=\"xx yy zz\"/>"},
    {"mass", WordKind::attribute, "shape",
     "mass follows from the density of its material, or stands in <inertia> of the body"},
    {"colour", WordKind::attribute, "material", "did you mean \"color\"?"},
    {"colour color rgba", WordKind::attribute, "", "color is an attribute of the <material> of a shape"},
    {"bounce elasticity restitution-coefficient e", WordKind::attribute, "material contact joint",
     "did you mean \"restitution\"?"},
    {"mu friction-coefficient", WordKind::attribute, "material contact", "did you mean \"friction\"?"},
    {"bounce elasticity restitution mu friction density", WordKind::attribute, "body shape",
     "restitution, friction and density are attributes of the <material> of a shape"},
    {"pos pose origin location translation xyz", WordKind::attribute, "body", "did you mean \"position\"?"},
    {"pos pose position origin location translation xyz center", WordKind::attribute, "shape joint",
     "did you mean \"at\"?"},
    {"euler rotation orientation rpy rot quat angle", WordKind::attribute, "body shape",
     "did you mean rotate=\"x y z ANGLE\", an axis and an angle, or quaternion=\"w x y z\"?"},
    {"static", WordKind::attribute, "body", "did you mean \"fixed\"?"},
    {"kinematic", WordKind::attribute, "body",
     "a body that moves as prescribed has a <script body=\"its name\">"},
    {"material", WordKind::attribute, "body", "material is an attribute of each of its shapes"},
    {"size diameter", WordKind::attribute, "sphere", "did you mean \"radius\"?"},
    {"radius half-size half-extents extents dimensions", WordKind::attribute, "box",
     "did you mean size=\"x y z\", the full extents?"},
    {"size height", WordKind::attribute, "capsule cylinder cone", "did you mean \"radius\" and \"length\"?"},
    {"file", WordKind::attribute, "shape",
     "the file is named by a <mesh> in the <scene>, and the shape has mesh=\"its name\""},
    {"parent body1 bodya", WordKind::attribute, "joint", "did you mean \"a\"?"},
    {"child body2 bodyb", WordKind::attribute, "joint", "did you mean \"b\"?"},
    {"lower upper limit min max", WordKind::attribute, "joint", "did you mean limits=\"lowest highest\"?"},
    {"anchor", WordKind::attribute, "joint", "did you mean \"at\"?"},
    {"linear-velocity", WordKind::attribute, "body", "did you mean \"velocity\"?"},
    {"omega spin", WordKind::attribute, "body", "did you mean \"angular-velocity\"?"},
    {"time duration-seconds", WordKind::attribute, "simulation", "did you mean \"duration\"?"},
    {"timestep dt time-step", WordKind::attribute, "simulation",
     "steps follow from accuracy=\"A\"; a fixed step, for teaching, is step=\"H\""}};

bool has_word(std::string_view list, std::string_view word) {
  const std::vector<std::string_view> words = words_of(list);
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool fits(std::string_view list, std::string_view place) {
  return list.empty() || has_word(list, place) || (has_word(list, "shape") && has_word(kShapes, place));
}

}  // namespace

std::string find_common_word(WordKind kind, std::string_view place, std::string_view word) {
  std::string lower(word);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  for (const CommonWord& row : kTable)
    if (row.kind == kind && fits(row.places, place) && has_word(row.words, lower))
      return std::string(row.hint);
  return "";
}

}  // namespace tumble::scene::detail
