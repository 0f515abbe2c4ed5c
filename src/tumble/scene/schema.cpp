#include "tumble/scene/schema.h"

#include <algorithm>
#include <array>

#include "tumble/scene/joint_types.h"

namespace tumble::scene {

namespace {

using detail::joint_type_names;
using detail::list_axis2_meanings;
using detail::list_limited_coordinates;
using detail::list_scripted_types;
using detail::types_with;
using model::DefaultPoint;
using model::JointKind;

constexpr Range kPositive{.lower = 0, .open = true};
constexpr Range kNotNegative{.lower = 0};
constexpr Range kFraction{.lower = 0, .upper = 1};

constexpr double kMaxColumns = 1e9;  // the columns are numbered with 32 bits
constexpr int kMaxThreads = 1024;    // more is a typing error

AttributeRule name_of(const std::string& summary, bool required) {
  return {.name = "name",
          .form = Form::name,
          .summary = summary,
          .fallback_note = required ? "" : "its kind and number",
          .required = required};
}

AttributeRule body_named(std::string_view attribute, const std::string& summary, bool required = true) {
  return {.name = attribute,
          .form = Form::reference,
          .summary = summary,
          .required = required,
          .refers_to = "body"};
}

AttributeRule size_of(std::string_view attribute, const std::string& summary, int count = 1) {
  return {.name = attribute,
          .summary = summary,
          .required = true,
          .dimension = Dimension::length,
          .count = count,
          .range = kPositive};
}

AttributeRule point(std::string_view attribute, const std::string& summary, std::string_view fallback,
                    const std::string& fallback_note = "") {
  return {.name = attribute,
          .summary = summary,
          .fallback = fallback,
          .fallback_note = fallback_note,
          .dimension = Dimension::length,
          .count = 3};
}

AttributeRule rotate() {
  return {.name = "rotate",
          .form = Form::axis_angle,
          .summary = "rotates it about the axis by the angle",
          .count = 4};
}

AttributeRule quaternion() {
  return {
      .name = "quaternion", .form = Form::quaternion, .summary = "rotates it; excludes `rotate`", .count = 4};
}

const Alternative kOneOrientation{.sets = {{"rotate"}, {"quaternion"}}};

ElementRule shape_rule(std::string_view name, std::string_view summary, std::vector<AttributeRule> own) {
  const AttributeRule common[] = {point("at", "position of the shape's origin in the body's frame", "0 0 0"),
                                  rotate(),
                                  quaternion(),
                                  {.name = "material",
                                   .form = Form::reference,
                                   .summary = "name of its material",
                                   .fallback_note = "density 1000, friction 0.5, restitution 0",
                                   .refers_to = "material"},
                                  {.name = "collide",
                                   .form = Form::boolean,
                                   .summary = "whether it collides with other bodies",
                                   .fallback = "true"}};
  own.insert(own.end(), std::begin(common), std::end(common));
  return {.name = name,
          .parent = "body",
          .summary = summary,
          .attributes = std::move(own),
          .alternatives = {kOneOrientation}};
}

ElementRule height_field_rule() {
  ElementRule rule = shape_rule(
      "height-field", "ground as heights over a rectangle; fixed bodies only",
      {size_of("size", "full extents along x and z", 2),
       {.name = "heights",
        .form = Form::number_list,
        .summary = "row by row from -z to +z, each row from -x to +x; needs `columns`",
        .dimension = Dimension::length},
       {.name = "columns",
        .form = Form::integer,
        .summary = "number of heights in a row",
        .range = {.lower = 2, .upper = kMaxColumns}},
       {.name = "file",
        .form = Form::path,
        .summary = "a text file with the heights, one row per line; excludes `heights`"},
       {.name = "scale", .summary = "factor for the heights", .fallback = "1", .zero = Zero::each_refused}});
  rule.alternatives.push_back({.sets = {{"heights", "columns"}, {"file"}}, .required = true});
  return rule;
}

// Adds the attributes that <force> and <torque> share: axes and times.
std::vector<AttributeRule> applied(std::vector<AttributeRule> own) {
  const AttributeRule common[] = {
      {.name = "frame",
       .form = Form::choice,
       .summary = "the axes in which `value` stays constant",
       .fallback = "world",
       .choices = {"world", "body"}},
      {.name = "from", .summary = "time at which it begins", .fallback = "0", .dimension = Dimension::time},
      {.name = "to",
       .summary = "time at which it ends",
       .fallback_note = "never",
       .dimension = Dimension::time}};
  own.insert(own.end(), std::begin(common), std::end(common));
  return own;
}

// A flag of `tumble run` that names a file, as an attribute.
AttributeRule run_file(std::string_view attribute, const std::string& summary) {
  return {.name = attribute, .form = Form::run_path, .summary = summary};
}

// A flag of `tumble run` without value, as an attribute.
AttributeRule run_switch(std::string_view attribute, const std::string& summary) {
  return {.name = attribute, .form = Form::boolean, .summary = summary, .fallback = "false"};
}

// NOLINTNEXTLINE(readability-function-size): a table
std::vector<ElementRule> run_elements() {
  return {
      {.name = "scene",
       .parent = "",
       .summary = "the whole file",
       .attributes = {{.name = "name",
                       .form = Form::name,
                       .summary = "its name in reports and recordings",
                       .fallback_note = "the file's name"}}},
      {.name = "simulation",
       .parent = "scene",
       .once = true,
       .summary = "options of the run; every flag of `tumble run` except `-o` and `--set` is an attribute, "
                  "and the flag wins",
       .attributes =
           {{.name = "duration",
             .summary = "how long to simulate",
             .fallback = "5",
             .dimension = Dimension::time,
             .range = kNotNegative},
            {.name = "fps",
             .summary = "frames written per simulated second; does not change the step size",
             .fallback = "60",
             .dimension = Dimension::frequency,
             .range = kPositive},
            {.name = "method",
             .form = Form::choice,
             .summary = "the stepper: fast simulates contact, precise only motion without contact; auto "
                        "chooses fast if bodies can collide",
             .fallback = "auto",
             .choices = {"auto", "precise", "fast"}},
            {.name = "accuracy",
             .summary = "allowed error per time scale of the scene, relative to size and speed",
             .fallback_note = "1e-6 for precise, 1e-3 for fast",
             .range = {.lower = 1e-13, .upper = 0.1}},
            {.name = "integrator",
             .form = Form::choice,
             .summary = "the Runge-Kutta method, for teaching and comparison",
             .fallback = "dopri8",
             .choices = {"dopri8", "dopri5", "cash-karp", "rk4", "euler"}},
            {.name = "baumgarte",
             .summary = "k (1/s²) and d (1/s) of a feedback that replaces the closing of joints; needs "
                        "integrator `cash-karp`",
             .fallback_note = "every step closes the joints",
             .count = 2,
             .range = kNotNegative},
            {.name = "orientation",
             .form = Form::choice,
             .summary = "how orientations are integrated; `quergs` needs integrator `cash-karp`",
             .fallback = "quaternion",
             .choices = {"quaternion", "quergs"}},
            {.name = "step",
             .summary = "a fixed step, for teaching and comparison",
             .fallback_note = "chosen from `accuracy`",
             .dimension = Dimension::time,
             .range = kPositive},
            {.name = "settle",
             .form = Form::boolean,
             .summary =
                 "pushes bodies apart that overlap at the start; without it such an overlap is an error",
             .fallback = "false"},
            {.name = "threads",
             .form = Form::integer,
             .summary = "has no effect yet: a run uses one thread",
             .fallback_note = "all cores",
             .range = {.lower = 1, .upper = kMaxThreads}},
            {.name = "verify",
             .form = Form::choice,
             .summary =
                 "when an independent checker measures penetration: never, at every frame, or at every step",
             .fallback = "frames",
             .choices = {"off", "frames", "steps"}},
            {.name = "inputs",
             .form = Form::path,
             .summary = "file of timed events (set, pull, release), one JSON object per line",
             .fallback_note = "none"},
            {.name = "max-cpu",
             .summary = "stops the run after this much CPU time",
             .fallback_note = "no limit",
             .dimension = Dimension::time,
             .range = kPositive},
            run_file("summary", "results of the run, as one JSON object"),
            run_file("log", "energy, momentum and work at every step, as .csv"),
            {.name = "log-bodies",
             .form = Form::name_list,
             .summary = "bodies whose momentum, angular momentum and energies are in the log, too",
             .fallback_note = "none"},
            run_file("checkpoint", "written every 10 s of wall time, at the end and on Ctrl-C"),
            run_file("resume", "a checkpoint from which to continue"),
            run_file("contacts", "every contact point of every frame, as .csv; only with method fast"),
            run_file("reactions", "mean forces in the joints, and efforts of drives and scripts, as .csv"),
            run_switch("estimate-error", "runs again with a tenth of `accuracy` and reports the difference"),
            run_switch("profile", "prints where the time was spent"),
            run_switch("quiet", "prints no progress, results or warnings of the run"),
            run_switch("verbose", "prints scales, method, accuracy and number of frames")}},
      {.name = "world",
       .parent = "scene",
       .once = true,
       .summary = "the surroundings of the bodies",
       .attributes = {{.name = "gravity",
                       .summary = "acceleration of free fall",
                       .fallback = "0 -9.81 0",
                       .dimension = Dimension::acceleration,
                       .count = 3},
                      {.name = "up",
                       .form = Form::choice,
                       .summary = "the axis that is up in pictures and in .glb files",
                       .fallback_note = "the axis nearest to the opposite of gravity; y without gravity",
                       .choices = {"x", "y", "z"}}}},
      {.name = "include",
       .parent = "scene",
       .summary = "inserts the elements of another scene file",
       .attributes = {{.name = "file", .form = Form::path, .summary = "the scene file", .required = true}}},
  };
}

std::vector<ElementRule> material_elements() {
  const auto material_named = [](std::string_view attribute, const std::string& summary) -> AttributeRule {
    return {.name = attribute,
            .form = Form::reference,
            .summary = summary,
            .required = true,
            .refers_to = "material"};
  };
  return {
      {.name = "material",
       .parent = "scene",
       .summary = "a material of shapes",
       .attributes = {name_of("name by which shapes refer to it", true),
                      {.name = "density",
                       .summary = "mass per volume",
                       .fallback = "1000",
                       .dimension = Dimension::density,
                       .range = kPositive},
                      {.name = "friction",
                       .summary = "Coulomb's coefficient",
                       .fallback = "0.5",
                       .range = kNotNegative},
                      {.name = "restitution",
                       .summary = "0: no bounce, 1: bounces back with equal speed",
                       .fallback = "0",
                       .range = kFraction},
                      {.name = "color",
                       .form = Form::color,
                       .summary = "colour in pictures, sRGB",
                       .fallback_note = "a light grey"}}},
      {.name = "contact",
       .parent = "scene",
       .summary = "friction, restitution and softness of two materials; overrides the combination",
       .attributes = {material_named("a", "one material"),
                      material_named("b", "the other; may be the same"),
                      {.name = "friction",
                       .summary = "Coulomb's coefficient of the pair",
                       .fallback_note = "geometric mean of the two",
                       .range = kNotNegative},
                      {.name = "restitution",
                       .summary = "restitution of the pair",
                       .fallback_note = "larger of the two",
                       .range = kFraction},
                      {.name = "stiffness",
                       .summary = "stiffness of a soft layer between them, per contact point; 0 is rigid",
                       .fallback = "0",
                       .dimension = Dimension::stiffness,
                       .range = kNotNegative},
                      {.name = "damping",
                       .summary = "damping of that layer; needs `stiffness`",
                       .fallback = "0",
                       .dimension = Dimension::damping,
                       .range = kNotNegative},
                      {.name = "layer",
                       .summary = "thickness of that layer; needs `stiffness`",
                       .fallback_note = "10 times its compression by the lighter body's weight at one point, "
                                        "at most half the smaller body's radius",
                       .dimension = Dimension::length,
                       .range = kPositive}}},
      {.name = "mesh",
       .parent = "scene",
       .summary = "a triangle mesh from an OBJ, STL or PLY file",
       .attributes = {name_of("name by which `<shape>` and `<hull>` refer to it", true),
                      {.name = "file", .form = Form::path, .summary = "the mesh file", .required = true},
                      {.name = "scale",
                       .summary = "one factor, or one per axis; negative factors mirror",
                       .fallback = "1",
                       .count = 1,
                       .other_counts = {3},
                       .zero = Zero::each_refused}}},
  };
}

AttributeRule mesh_named() {
  return {
      .name = "mesh", .form = Form::reference, .summary = "the mesh", .required = true, .refers_to = "mesh"};
}

ElementRule inertia_rule() {
  return {.name = "inertia",
          .parent = "body",
          .once = true,
          .summary = "mass and inertia; replaces those of shapes and densities",
          .attributes = {{.name = "mass",
                          .summary = "mass of the body",
                          .required = true,
                          .dimension = Dimension::mass,
                          .range = kPositive},
                         point("center", "the centre of mass in the body's frame", "0 0 0"),
                         {.name = "moments",
                          .summary = "xx yy zz of the matrix about the centre of mass, in the body's axes",
                          .required = true,
                          .dimension = Dimension::moment_of_inertia,
                          .count = 3,
                          .range = kPositive},
                         {.name = "products",
                          .summary = "entries xy xz yz of that matrix (xy is minus the integral of x y dm)",
                          .fallback = "0 0 0",
                          .dimension = Dimension::moment_of_inertia,
                          .count = 3}}};
}

std::vector<ElementRule> body_elements() {
  return {
      {.name = "body",
       .parent = "scene",
       .summary = "a rigid body made of shapes",
       .attributes =
           {name_of("its name in recordings and in other elements", false),
            {.name = "fixed", .form = Form::boolean, .summary = "the body never moves", .fallback = "false"},
            point("position", "position of the body's frame in the world", "0 0 0"),
            rotate(),
            quaternion(),
            {.name = "velocity",
             .summary = "velocity of the centre of mass at the start",
             .fallback = "0 0 0",
             .dimension = Dimension::velocity,
             .count = 3},
            {.name = "angular-velocity",
             .summary = "angular velocity at the start, world axes",
             .fallback = "0 0 0",
             .dimension = Dimension::angular_velocity,
             .count = 3},
            {.name = "group",
             .form = Form::word,
             .summary = "group of the body, for `<ignore groups>`",
             .fallback_note = "none"}},
       .alternatives = {kOneOrientation}},
      shape_rule("sphere", "a ball", {size_of("radius", "its radius")}),
      shape_rule("box", "a cuboid along the axes", {size_of("size", "full extents along x, y, z", 3)}),
      shape_rule("capsule", "a cylinder along Y with round ends",
                 {size_of("radius", "radius of the cylinder and its ends"),
                  size_of("length", "distance between the centres of the ends")}),
      shape_rule("cylinder", "a cylinder along Y, its origin at mid-height",
                 {size_of("radius", "its radius"), size_of("length", "its full height")}),
      shape_rule("cone", "a cone along Y, its origin at mid-height, its apex at +Y",
                 {size_of("radius", "radius of its base"), size_of("length", "its full height")}),
      shape_rule("plane", "the half-space below a plane; fixed bodies only",
                 {{.name = "normal",
                   .summary = "points out of the solid side; any length",
                   .required = true,
                   .count = 3,
                   .zero = Zero::all_refused}}),
      shape_rule("shape", "a triangle mesh as it is, not its hull; on a fixed body it may be open",
                 {mesh_named()}),
      shape_rule("hull", "the convex hull of the vertices of a mesh, which may be open", {mesh_named()}),
      height_field_rule(),
      inertia_rule(),
      {.name = "ignore",
       .parent = "scene",
       .summary = "switches off collision for a pair of bodies, or for all pairs of two groups",
       .attributes = {body_named("a", "one body", false),
                      body_named("b", "the other", false),
                      {.name = "groups",
                       .form = Form::references,
                       .summary = "two groups; give the same group twice for all pairs inside it",
                       .refers_to = "group"}},
       .alternatives = {{.sets = {{"a", "b"}, {"groups"}}, .required = true}}},
  };
}

// An attribute of a joint whose numbers are angles or lengths, depending on the type of the joint.
AttributeRule by_type(std::string_view attribute, Dimension dimension, int count, const std::string& summary,
                      const std::string& fallback_note = "") {
  return {.name = attribute,
          .summary = summary,
          .fallback_note = fallback_note,
          .dimension = dimension,
          .count = count};
}

// The same, but types with a rotation vector take three numbers.
AttributeRule by_type_or_vector(std::string_view attribute, Dimension dimension, const std::string& summary,
                                const std::string& fallback_note = "") {
  const std::string zero = "0; for a " + types_with(&JointKind::has_rotation_vector) + " joint 0 0 0";
  AttributeRule rule =
      by_type(attribute, dimension, 1, summary, fallback_note.empty() ? zero : fallback_note);
  rule.other_counts = {3};
  return rule;
}

AttributeRule curve(const std::string& summary, std::string_view fallback) {
  return {.name = "curve",
          .form = Form::choice,
          .summary = summary,
          .fallback = fallback,
          .fallback_note = fallback.empty() ? "that of the script" : "",
          .choices = {"smooth", "linear", "hold"}};
}

AttributeRule amount(std::string_view attribute, Dimension dimension, const std::string& summary) {
  return {
      .name = attribute, .summary = summary, .fallback = "0", .dimension = dimension, .range = kNotNegative};
}

AttributeRule axis(std::string_view attribute, const std::string& summary, const std::string& fallback_note) {
  return {.name = attribute,
          .summary = summary,
          .fallback_note = fallback_note,
          .count = 3,
          .zero = Zero::all_refused};
}

AttributeRule angles(std::string_view attribute, const std::string& summary) {
  return {.name = attribute, .summary = summary, .dimension = Dimension::angle, .count = 2, .or_start = true};
}

AttributeRule limits_by_type(const std::string& summary) {
  AttributeRule rule = by_type("limits", Dimension::angle_or_length, 2, summary);
  rule.or_start = true;
  return rule;
}

ElementRule joint_element() {
  const std::string with_vector = types_with(&JointKind::has_rotation_vector);
  return {.name = "joint",
          .parent = "scene",
          .summary = "connects two bodies, or a body and the world",
          .attributes =
              {name_of("its name in messages and in the log", false),
               {.name = "type",
                .form = Form::choice,
                .summary = "its type, which determines the free directions",
                .required = true,
                .choices = joint_type_names()},
               body_named("a", "the first body; without it, the world", false),
               body_named("b", "the second body"),
               point("at", "its position, world coordinates at the start", "",
                     "required; for " + types_with(DefaultPoint::center_of_b) + ", b's centre of mass"),
               axis("axis", "its axis, world coordinates at the start; any length", "needed by most types"),
               axis("axis2", list_axis2_meanings(), "none; needed by " + types_with(&JointKind::needs_axis2)),
               point("at-a", "the point of a, if it is not `at`", "",
                     "`at`; for " + types_with(DefaultPoint::both_centers) + ", a's centre of mass"),
               point("at-b", "the point of b, if it is not `at`", "",
                     "`at`; for " + types_with(DefaultPoint::both_centers) + ", b's centre of mass"),
               {.name = "length",
                .summary = types_with(&JointKind::takes_length) + ": the distance of the points",
                .fallback_note = "the distance at the start",
                .dimension = Dimension::length,
                .range = kPositive},
               {.name = "range",
                .summary = types_with(&JointKind::takes_length) +
                           ": smallest and largest distance, for a rope or strut; excludes `length`",
                .dimension = Dimension::length,
                .count = 2,
                .range = kNotNegative,
                .or_start = true},
               limits_by_type(list_limited_coordinates() + ": smallest and largest coordinate"),
               angles("twist",
                      types_with(&JointKind::takes_twist) + ": smallest and largest rotation about `axis`"),
               {.name = "swing",
                .summary = types_with(&JointKind::takes_swing) +
                           ": largest swing of `axis`: a cone (1), an ellipse (2), or lo hi lo hi (4)",
                .dimension = Dimension::angle,
                .other_counts = {2, 4},
                .or_start = true},
               angles("limits-x", with_vector + ": bounds of the rotation vector along `axis`"),
               angles("limits-y", with_vector + ": along `axis2`"),
               angles("limits-z", with_vector + ": along `axis` × `axis2`"),
               {.name = "comfort",
                .summary =
                    "where soft resistance begins: inside `limits` or `twist` (2), `swing` (1), `twist` and "
                    "`swing` (3)",
                .dimension = Dimension::angle_or_length,
                .other_counts = {2, 3}},
               {.name = "restitution",
                .summary = "bounce at a limit; 0: no bounce, 1: bounces back with equal speed",
                .fallback = "0",
                .range = kFraction},
               amount("stiffness", Dimension::angular_stiffness_or_stiffness,
                      "stiffness of a spring in the joint"),
               amount("damping", Dimension::angular_damping_or_damping, "effort per speed of the coordinate"),
               by_type_or_vector("rest", Dimension::angle_or_length,
                                 "the coordinate at which the spring has no force"),
               by_type_or_vector("zero", Dimension::angle_or_length,
                                 "displacement from the start pose at which the coordinate is zero"),
               {.name = "collide",
                .form = Form::boolean,
                .summary = "whether the two bodies collide",
                .fallback = "false"}},
          .alternatives = {{.sets = {{"length"}, {"range"}}}}};
}

std::vector<ElementRule> joint_elements() {
  const std::string with_vector = types_with(&JointKind::has_rotation_vector);
  return {
      joint_element(),
      {.name = "drive",
       .parent = "joint",
       .summary = "a motor: effort = stiffness (target - x) + damping (velocity - x')",
       .attributes =
           {by_type_or_vector("target", Dimension::angle_or_length, "the target coordinate"),
            by_type_or_vector("velocity", Dimension::angular_velocity_or_velocity, "the target velocity"),
            amount("stiffness", Dimension::angular_stiffness_or_stiffness,
                   "effort per distance from `target`"),
            amount("damping", Dimension::angular_damping_or_damping, "effort per difference from `velocity`"),
            {.name = "max-force",
             .summary = "the largest effort",
             .fallback_note = "unlimited",
             .dimension = Dimension::torque_or_force,
             .range = kNotNegative},
            axis("axis",
                 with_vector + ": drives only the rotation about this axis, world coordinates at the start",
                 "all three")}},
      {.name = "script",
       .parent = "scene",
       .summary = "moves a joint or a body along a curve through keys, with any force it needs",
       .attributes =
           {{.name = "joint",
             .form = Form::reference,
             .summary = "the joint: a " + list_scripted_types() + " joint",
             .refers_to = "joint"},
            body_named("body", "the body: it follows a path", false),
            curve("interpolation between keys", "smooth"),
            {.name = "file",
             .form = Form::path,
             .summary = "for a body: a table of keys, as in a `.csv` recording, instead of `<key>`s",
             .fallback_note = "none"},
            {.name = "columns",
             .form = Form::word,
             .summary = "the name of the body in that table",
             .fallback_note = "`body`"},
            {.name = "release",
             .summary =
                 "for a body: when the script ends and the body moves freely, with its velocity at that time",
             .fallback_note = "never",
             .dimension = Dimension::time,
             .range = kPositive}},
       .alternatives = {{.sets = {{"joint"}, {"body"}}, .required = true}}},
      {.name = "key",
       .parent = "script",
       .summary = "a point of the curve",
       .attributes =
           {{.name = "t", .summary = "time of the key", .required = true, .dimension = Dimension::time},
            by_type_or_vector(
                "value", Dimension::angle_or_length,
                "the joint's coordinate at that time; for a " + with_vector + " joint, the rotation vector",
                "required for the key of a joint"),
            by_type_or_vector("velocity", Dimension::angular_velocity_or_velocity,
                              "its rate of change; for a body, three numbers",
                              "smooth; no acceleration at the ends"),
            point("position", "for a body: position of its frame", "", "interpolated from other keys"),
            rotate(),
            quaternion(),
            {.name = "angular-velocity",
             .summary = "for a body: its angular velocity, world axes; needs `rotate`; at a whole turn only "
                        "about the axis",
             .fallback_note = "smooth; no acceleration at the ends",
             .dimension = Dimension::angular_velocity,
             .count = 3},
            curve("interpolation from here to the next key", "")},
       .alternatives = {kOneOrientation}},
  };
}

// NOLINTNEXTLINE(readability-function-size): a table
std::vector<ElementRule> force_elements() {
  const AttributeRule name = name_of("its column in the log", false);
  return {
      {.name = "spring",
       .parent = "scene",
       .summary = "pulls and pushes along the line between two points",
       .attributes = {name,
                      body_named("a", "the body at one end; without it, the world", false),
                      body_named("b", "the body at the other end; without it, the world", false),
                      point("at-a", "the point on a, world coordinates at the start", "",
                            "a's centre of mass; needed when the end is the world"),
                      point("at-b", "the point on b, world coordinates at the start", "",
                            "b's centre of mass; needed when the end is the world"),
                      {.name = "length",
                       .summary = "its length without force",
                       .fallback_note = "the distance at the start",
                       .dimension = Dimension::length,
                       .range = kNotNegative},
                      {.name = "stiffness",
                       .summary = "force per length",
                       .required = true,
                       .dimension = Dimension::stiffness,
                       .range = kNotNegative},
                      {.name = "damping",
                       .summary = "force per speed along the line",
                       .fallback = "0",
                       .dimension = Dimension::damping,
                       .range = kNotNegative}}},
      {.name = "force",
       .parent = "scene",
       .summary = "a constant force at a point of a body",
       .attributes = applied(
           {name,
            body_named("body", "the body it acts on"),
            {.name = "value",
             .summary = "the force",
             .required = true,
             .dimension = Dimension::force,
             .count = 3},
            point("at", "the point of the body, world coordinates at the start", "", "the centre of mass")})},
      {.name = "torque",
       .parent = "scene",
       .summary = "a constant torque on a body",
       .attributes = applied({name,
                              body_named("body", "the body it acts on"),
                              {.name = "value",
                               .summary = "the torque",
                               .required = true,
                               .dimension = Dimension::torque,
                               .count = 3}})},
      {.name = "attraction",
       .parent = "scene",
       .summary = "pulls two centres of mass together",
       .attributes = {name,
                      body_named("a", "one body"),
                      body_named("b", "the other"),
                      {.name = "constant",
                       .summary = "force = constant / distance²; negative repels",
                       .required = true,
                       .dimension = Dimension::attraction},
                      {.name = "law",
                       .form = Form::choice,
                       .summary = "dependence on the distance",
                       .fallback = "inverse-square",
                       .choices = {"inverse-square"}}}},
      {.name = "drag",
       .parent = "scene",
       .summary = "resistance of a medium: -(linear + quadratic |u|) u, u = velocity - wind",
       .attributes = {name,
                      body_named("body", "the body it acts on"),
                      {.name = "linear",
                       .summary = "force per speed",
                       .fallback = "0",
                       .dimension = Dimension::damping,
                       .range = kNotNegative},
                      {.name = "quadratic",
                       .summary = "force per speed squared",
                       .fallback = "0",
                       .dimension = Dimension::quadratic_damping,
                       .range = kNotNegative},
                      {.name = "wind",
                       .summary = "velocity of the medium",
                       .fallback = "0 0 0",
                       .dimension = Dimension::velocity,
                       .count = 3}}},
  };
}

std::vector<ElementRule> all_elements() {
  std::vector<ElementRule> table;
  for (std::vector<ElementRule> part :
       {run_elements(), material_elements(), body_elements(), joint_elements(), force_elements()})
    table.insert(table.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
  return table;
}

constexpr std::array kNotSimulatedYet = {"skeleton", "bone", "figure"};

}  // namespace

const AttributeRule* ElementRule::find(std::string_view attribute) const {
  for (const AttributeRule& rule : attributes)
    if (rule.name == attribute) return &rule;
  return nullptr;
}

std::span<const ElementRule> elements() {
  static const std::vector<ElementRule> table = all_elements();
  return table;
}

const ElementRule* find_element(std::string_view name) {
  for (const ElementRule& rule : elements())
    if (rule.name == name) return &rule;
  return nullptr;
}

std::vector<std::string> children_of(std::string_view parent) {
  std::vector<std::string> names;
  for (const ElementRule& rule : elements())
    if (rule.parent == parent) names.emplace_back(rule.name);
  return names;
}

bool is_not_simulated_yet(std::string_view name) {
  return std::find(kNotSimulatedYet.begin(), kNotSimulatedYet.end(), name) != kNotSimulatedYet.end();
}

Dimension dimension_of(const AttributeRule& rule, size_t i) {
  return rule.form == Form::axis_angle && i == 3 ? Dimension::angle : rule.dimension;
}

bool accepts_count(const AttributeRule& rule, size_t n) {
  if (rule.form == Form::number_list) return n > 0;
  const auto is_n = [&](int count) { return static_cast<size_t>(count) == n; };
  return is_n(rule.count) || std::any_of(rule.other_counts.begin(), rule.other_counts.end(), is_n);
}

}  // namespace tumble::scene
