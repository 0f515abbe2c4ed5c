#include "tumble/model/model_builder.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "tumble/geometry/convex_hull.h"
#include "tumble/model/tolerances.h"

namespace tumble::model {

namespace {

std::string quoted(const std::string& name) { return "\"" + name + "\""; }

bool finite(const Vec3& v) { return v.allFinite(); }

bool is_rotation(const Quat& q) { return std::abs(q.norm() - 1) <= kUnitQuaternionSlack; }

bool positive(double x) { return x > 0 && std::isfinite(x); }

// The axis, with its sign, nearest to a direction. Y if there are several.
Vec3 nearest_axis(const Vec3& direction) {
  int axis = 1;
  for (const int other : {0, 2})
    if (std::abs(direction[other]) > std::abs(direction[axis])) axis = other;
  return direction[axis] < 0 ? Vec3(-Vec3::Unit(axis)) : Vec3(Vec3::Unit(axis));
}

// Whether the dimensions of a shape are valid: positive and finite. The normal of a plane must have unit
// length.
bool has_size(const collision::Shape& shape) {
  return std::visit(
      [](const auto& s) {
        using Kind = std::decay_t<decltype(s)>;
        if constexpr (std::is_same_v<Kind, collision::Sphere>)
          return positive(s.radius);
        else if constexpr (std::is_same_v<Kind, collision::Box>)
          return positive(s.size.minCoeff()) && finite(s.size);
        else if constexpr (std::is_same_v<Kind, collision::Plane>)
          return std::abs(s.normal.norm() - 1) <= kUnitQuaternionSlack;
        else if constexpr (requires { s.triangles; })
          return s.triangles != nullptr;
        else
          return positive(s.radius) &&
                 (positive(s.length) || (s.length == 0 && std::is_same_v<Kind, collision::Capsule>));
      },
      shape);
}

}  // namespace

ModelBuilder::ModelBuilder(std::string name) {
  model_.name_ = std::move(name);
  model_.materials_.push_back(Material{.name = ""});  // the default material, of shapes without a material
}

void ModelBuilder::set_up(int axis) {
  TUMBLE_REQUIRE(axis >= 0 && axis < 3, "up is axis 0, 1 or 2");
  model_.up_ = Vec3::Unit(axis);
  model_.has_up_ = true;
}

void ModelBuilder::fail(const core::Place& place, std::string message) {
  diagnostics_.push_back(core::error_at(place, std::move(message)));
}

MaterialId ModelBuilder::add_material(const Material& material, const core::Place& place) {
  if (!(material.density > 0) || !std::isfinite(material.density))
    fail(place, "material " + quoted(material.name) + ": density must be a positive number");
  if (!(material.friction >= 0) || !std::isfinite(material.friction))
    fail(place, "material " + quoted(material.name) + ": friction must not be negative");
  if (!(material.restitution >= 0 && material.restitution <= 1))
    fail(place, "material " + quoted(material.name) + ": restitution must lie between 0 and 1");
  model_.materials_.push_back(material);
  return MaterialId(model_.materials_.size() - 1);
}

BodyId ModelBuilder::add_body(const BodySpec& spec) {
  const BodyId id(model_.bodies_.size());
  Body body;
  body.name = spec.name;
  body.mobility = spec.fixed ? Mobility::fixed : Mobility::dynamic;
  body.group = spec.group;
  body.place = spec.place;
  body.X_WB = spec.X_WB;
  body.velocity = spec.fixed ? Vec3(Vec3::Zero()) : spec.velocity;
  body.angular_velocity = spec.fixed ? Vec3(Vec3::Zero()) : spec.angular_velocity;
  for (const ShapeSpec& shape : spec.shapes)
    body.shapes.push_back(
        {shape.shape, shape.X_BS, shape.material.valid() ? shape.material : MaterialId(0), shape.collide});

  if (!finite(spec.X_WB.translation) || !finite(spec.velocity) || !finite(spec.angular_velocity))
    fail(spec.place, "body " + quoted(spec.name) + ": position and velocities must be finite numbers");
  if (!is_rotation(spec.X_WB.rotation))
    fail(spec.place, "body " + quoted(spec.name) + ": the orientation must be a unit quaternion");
  else
    body.X_WB.rotation = spec.X_WB.rotation.normalized();

  bool sound = true;
  for (const ShapeSpec& shape : spec.shapes) {
    const auto refuse = [&](const std::string& what) {
      fail(shape.place, "body " + quoted(spec.name) + ": " + what);
      sound = false;
    };
    if (!has_size(shape.shape))
      refuse(std::string("the sizes of its ") + shape_name(shape.shape) + " must be positive numbers");
    if (!finite(shape.X_BS.translation) || !is_rotation(shape.X_BS.rotation))
      refuse("a shape's place must be finite numbers and a unit quaternion");
    if (shape.material.valid() && shape.material.index() >= model_.materials_.size())
      refuse("its material was never added");
    if (!spec.fixed && std::holds_alternative<collision::Plane>(shape.shape))
      refuse("a plane is endless and has no mass; only a body with fixed=\"true\" may have one");
    if (const auto* hull = std::get_if<collision::Hull>(&shape.shape); hull && hull->triangles)
      if (const std::string& fault = hull_fault(*hull->triangles); !fault.empty())
        refuse("its hull is not the surface of a convex solid: " + fault);
    if (!spec.fixed && std::holds_alternative<collision::HeightField>(shape.shape))
      refuse("a height field is a sheet and has no mass; only a body with fixed=\"true\" may have one");
  }
  if (sound) compute_body_mass(spec, body);
  if (!model_.body_by_name_.emplace(spec.name, id).second)
    fail(spec.place,
         "body " + quoted(spec.name) + ": another body has this name already; names must be unique");
  model_.bodies_.push_back(std::move(body));
  return id;
}

void ModelBuilder::compute_body_mass(const BodySpec& spec, Body& body) {
  if (spec.inertia) {
    use_given_inertia(spec, *spec.inertia, body);
  } else if (!spec.fixed && spec.shapes.empty()) {
    fail(spec.place,
         "body " + quoted(spec.name) +
             " has neither shapes nor <inertia>: its mass is not known. Add a shape, an <inertia>, or "
             "fixed=\"true\"");
  } else {
    add_up_shapes(spec, body);
  }

  // The bounding radius about the centre of mass. A body without shapes uses its radius of gyration.
  for (const BodyShape& shape : body.shapes) {
    const double reach = collision::reach_from(shape.shape, shape.X_BS.inverse() * body.center_B);
    if (std::isfinite(reach)) body.radius = std::max(body.radius, reach);
  }
  if (body.radius == 0 && body.mass > 0)
    body.radius = math::sqrt(body.inertia_B.diagonal().maxCoeff() / body.mass);

  if (!spec.fixed && body.mass > 0) {
    body.inverse_mass = 1 / body.mass;
    // Scale the inertia to about 1, so that no intermediate result overflows.
    const double unit = std::ldexp(1.0, std::ilogb(body.inertia_B.cwiseAbs().maxCoeff()));
    const Mat3 I = body.inertia_B / unit;
    // Compute the inverse by cofactors. This commutes exactly with scaling by powers of two.
    Mat3 cofactors;
    cofactors.col(0) = I.col(1).cross(I.col(2));
    cofactors.col(1) = I.col(2).cross(I.col(0));
    cofactors.col(2) = I.col(0).cross(I.col(1));
    const Mat3 inverse = cofactors.transpose() / I.col(0).dot(cofactors.col(0));
    body.inverse_inertia_B = 0.5 * (inverse + inverse.transpose()) / unit;
    if (std::isfinite(body.mass) &&
        !(std::isfinite(body.inverse_mass) && body.inverse_inertia_B.allFinite() &&
          body.inverse_inertia_B.diagonal().minCoeff() > 0))
      fail(spec.place,
           "body " + quoted(spec.name) +
               ": it is too small or too large to compute with; its inertia has no finite inverse");
  }
}

void ModelBuilder::use_given_inertia(const BodySpec& spec, const GivenInertia& given, Body& body) {
  const std::string who = "body " + quoted(spec.name) + ": ";
  if (!(given.mass > 0) || !std::isfinite(given.mass))
    return fail(given.place, who + "mass must be a positive number");
  if (!finite(given.center) || !finite(given.moments) || !finite(given.products))
    return fail(given.place, who + "the numbers of <inertia> must be finite");
  Mat3 I;
  I << given.moments.x(), given.products.x(), given.products.y(),  //
      given.products.x(), given.moments.y(), given.products.z(),   //
      given.products.y(), given.products.z(), given.moments.z();
  const Vec3 moments = geometry::principal_inertia(I).moments;
  const double slack = kInertiaRoundOff * moments.cwiseAbs().maxCoeff();
  if (!(moments[0] > slack))
    return fail(given.place, who + "the inertia matrix is not positive definite (smallest principal moment " +
                                 core::brief_number(moments[0]) + "); check the signs of products");
  if (moments[0] + moments[1] < moments[2] - slack)
    return fail(given.place, who +
                                 "no solid has these moments: the two smaller principal moments together (" +
                                 core::brief_number(moments[0] + moments[1]) + ") must reach the largest (" +
                                 core::brief_number(moments[2]) + ")");
  body.mass = given.mass;
  body.center_B = given.center;
  body.inertia_B = I;
}

const std::string& ModelBuilder::hull_fault(const geometry::TriangleMesh& hull) {
  const auto [at, is_new] = hull_faults_.try_emplace(&hull);
  if (is_new) at->second = geometry::find_hull_fault(hull);
  return at->second;
}

const geometry::MeshReport& ModelBuilder::report_on(const geometry::TriangleMesh& mesh) {
  const auto found = mesh_reports_.find(&mesh);
  if (found != mesh_reports_.end()) return found->second;
  return mesh_reports_.emplace(&mesh, geometry::check_mesh(mesh)).first->second;
}

void ModelBuilder::add_up_shapes(const BodySpec& spec, Body& body) {
  geometry::MassProperties total;
  bool complete = true;
  for (size_t i = 0; i < spec.shapes.size(); ++i) {
    const ShapeSpec& shape = spec.shapes[i];
    if (std::holds_alternative<collision::Plane>(shape.shape) ||
        std::holds_alternative<collision::HeightField>(shape.shape)) {
      complete = false;
      continue;
    }
    if (const auto* mesh = std::get_if<collision::Mesh>(&shape.shape)) {
      const geometry::MeshReport& report = report_on(*mesh->triangles);
      if (!report.is_solid()) {
        complete = false;
        if (spec.fixed) continue;  // a fixed body needs no mass, so an open mesh is allowed
        std::string why;
        for (const geometry::FaultCount& fault : report.faults)
          why += (why.empty() ? "" : "; ") + fault.description;
        fail(shape.place, "body " + quoted(spec.name) + ": the mesh does not bound a solid: " + why +
                              ". Mass needs a closed surface: repair the mesh, or give an <inertia>");
        continue;
      }
    }
    const Material& material = model_.material(body.shapes[i].material);
    total = geometry::combined(
        total, geometry::transformed(collision::compute_mass(shape.shape, material.density), shape.X_BS));
  }
  if (spec.fixed && !complete) return;  // the mass of this fixed body is unknown and stays 0
  body.mass = total.mass;
  body.center_B = total.center;
  body.inertia_B = total.inertia;
  if (!spec.fixed && complete && !(total.mass > 0 && std::isfinite(total.mass)))
    fail(spec.place, "body " + quoted(spec.name) + ": its mass is " + core::brief_number(total.mass) +
                         "; sizes and densities must be positive and finite");
}

Vec3 ModelBuilder::start_center(BodyId id) const {
  const Body& body = model_.body(id);
  return body.X_WB * body.center_B;
}

Vec3 ModelBuilder::arm_of(BodyId id, const Vec3& point_W) const {
  if (!id.valid()) return point_W;
  return model_.body(id).X_WB.rotation.conjugate() * (point_W - start_center(id));
}

void ModelBuilder::add_forces_among(const std::string& group, const MakeLaw& make) {
  std::vector<BodyId> members;
  for (size_t i = 0; i < model_.bodies_.size(); ++i)
    if (model_.bodies_[i].group == group) members.emplace_back(i);
  if (members.size() < 2)
    fail({}, "forces among the group " + quoted(group) + ": it needs two bodies, and has " +
                 std::to_string(members.size()));
  for (size_t i = 0; i < members.size(); ++i)
    for (size_t j = i + 1; j < members.size(); ++j) {
      if (!body(members[i]).becomes_dynamic() && !body(members[j]).becomes_dynamic()) continue;
      if (std::shared_ptr<const ForceLaw> law = make(members[i], members[j])) add_force(std::move(law));
    }
}

void ModelBuilder::ignore_pair(BodyId a, BodyId b) {
  if (a != b) model_.ignored_pairs_.emplace_back(std::min(a, b), std::max(a, b));
}

core::Expected<Model> ModelBuilder::finish() {
  for (const auto& [g, h] : ignored_groups_)
    for (size_t i = 0; i < model_.bodies_.size(); ++i)
      for (size_t j = i + 1; j < model_.bodies_.size(); ++j) {
        const std::string &gi = model_.bodies_[i].group, &gj = model_.bodies_[j].group;
        if ((gi == g && gj == h) || (gi == h && gj == g)) ignore_pair(BodyId(i), BodyId(j));
      }
  auto& pairs = model_.ignored_pairs_;
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());

  if (!finite(model_.gravity_)) fail({}, "gravity must be finite numbers");
  if (!model_.has_up_ && !model_.gravity_.isZero(0)) {
    model_.up_ = nearest_axis(-model_.gravity_);
    model_.has_up_ = true;
  }
  for (const auto& law : model_.forces_) {
    if (!law) {
      fail({}, "a force law is missing (null)");
      continue;
    }
    const size_t n = model_.bodies_.size();
    if (!law->a().valid() || law->a().index() >= n || (law->b().valid() && law->b().index() >= n))
      fail({}, "force " + quoted(law->name()) + " acts on a body that is not in the model");
  }
  const auto check_ends = [&](const auto& all) {
    for (const auto& constraint : all) {
      const size_t n = model_.bodies_.size();
      if (!constraint)
        fail({}, "a constraint is missing (null)");
      else if (!constraint->b().valid() || constraint->b().index() >= n ||
               (constraint->a().valid() && constraint->a().index() >= n))
        fail({}, "constraint " + quoted(constraint->name()) + " ties a body that is not in the model");
      else if (model_.body(constraint->b()).is_fixed() &&
               (!constraint->a().valid() || model_.body(constraint->a()).is_fixed()))
        fail({}, "constraint " + quoted(constraint->name()) + " ties nothing that can move");
    }
  };
  check_ends(model_.constraints_);
  check_ends(model_.limits_);
  if (core::has_errors(diagnostics_)) return diagnostics_;
  return {std::move(model_), diagnostics_};
}

}  // namespace tumble::model
