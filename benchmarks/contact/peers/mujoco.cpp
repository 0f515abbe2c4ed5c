// MuJoCo: reduced coordinates, soft contact. Three kinds of contact are tried: the default, one as stiff as
// the step allows, with both kinds of friction cone, and one with a small distance between shapes. Limits of
// ball joints are on the whole angle (with the value of the swing). MuJoCo has no restitution.
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "contact/peers/world.h"

namespace contact_peers {

namespace {

constexpr int kDeepest = 60;  // nested bodies in one file: its reader accepts at most 100

struct Contact {
  const char* name;
  bool stiff, elliptic;
  double apart = 0;  // m
};

std::string numbers(const Vector3d& v) {
  char text[100];
  std::snprintf(text, sizeof text, "%.17g %.17g %.17g", v.x(), v.y(), v.z());
  return text;
}
std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

struct Writer {
  const World& world;
  std::filesystem::path folder;
  std::vector<std::vector<const Link*>> below;

  void body(std::ostream& out, size_t i, const Link* link, int depth) {
    const Thing& thing = world.things[i];
    if (depth > 0 && depth % kDeepest == 0) {
      const std::string name = "part" + std::to_string(i) + ".xml";
      out << "<include file=\"" << name << "\"/>";
      std::ofstream part(folder / name);
      part << "<mujoco>";
      body(part, i, link, 0);
      part << "</mujoco>";
      return;
    }
    const bool nested = link && link->a >= 0;
    const Quaterniond above =
        nested ? world.things[static_cast<size_t>(link->a)].start.rotation : Quaterniond(1, 0, 0, 0);
    const Vector3d at = nested ? world.local(link->a, thing.start.center) : thing.start.center;
    const Quaterniond q = above.conjugate() * thing.start.rotation;
    out << "<body name=\"b" << i << "\" pos=\"" << numbers(at) << "\" quat=\"" << number(q.w()) << ' '
        << numbers(q.vec()) << "\">";
    if (!thing.fixed()) {
      out << "<inertial pos=\"0 0 0\" mass=\"" << number(thing.mass) << "\" diaginertia=\""
          << numbers(thing.moments) << "\"/>";
      if (link)
        joint(out, i, *link);
      else
        out << "<freejoint/>";
    }
    if (world.collide) {
      if (thing.capsule())
        out << "<geom type=\"capsule\" quat=\"" << number(std::sqrt(0.5)) << ' ' << number(-std::sqrt(0.5))
            << " 0 0\" size=\"" << number(thing.radius) << ' ' << number(thing.length / 2) << "\"/>";
      else
        out << "<geom type=\"box\" size=\"" << numbers(thing.half) << "\"/>";
    }
    for (const Link* child : below[i]) body(out, static_cast<size_t>(child->b), child, depth + 1);
    out << "</body>";
  }
  void joint(std::ostream& out, size_t i, const Link& link) const {
    const int b = static_cast<int>(i);
    out << "<joint pos=\"" << numbers(world.local(b, link.at)) << "\" damping=\"" << link.damping
        << "\" type=\"";
    if (link.hinge) {
      out << "hinge\" axis=\"" << numbers(world.local_axis(b, link.axis)) << "\"";
      if (link.lo != link.hi)
        out << " limited=\"true\" range=\"" << number(link.lo) << ' ' << number(link.hi) << "\"";
    } else {
      out << "ball\"";
      if (link.swing > 0) out << " limited=\"true\" range=\"0 " << number(link.swing) << "\"";
    }
    out << "/>";
  }
};

class Mujoco final : public Engine {
 public:
  Mujoco(const World& world, int rate, const Contact& contact, const char* integrator)
      : steps_(rate / kFramesPerSecond) {
    mju_user_warning = [](const char*) {};
    Writer writer{
        world, std::filesystem::temp_directory_path() / ("tumble-bench-" + std::to_string(getpid())), {}};
    writer.below.resize(world.things.size());
    std::vector<const Link*> up(world.things.size(), nullptr);
    for (const Link& link : world.links) {
      up[static_cast<size_t>(link.b)] = &link;
      if (link.a >= 0) writer.below[static_cast<size_t>(link.a)].push_back(&link);
    }
    std::filesystem::create_directories(writer.folder);
    const auto path = writer.folder / "model.xml";
    {
      std::ofstream out(path);
      out << "<mujoco><compiler angle=\"radian\"/><option timestep=\"" << number(1.0 / rate)
          << "\" gravity=\"0 " << -kGravity << " 0\" integrator=\"" << integrator << "\" cone=\""
          << (contact.elliptic ? "elliptic\" impratio=\"10" : "pyramidal") << "\"/>";
      if (world.collide) {
        const size_t rows = std::max<size_t>(500, 40 * world.things.size());
        out << "<size njmax=\"" << rows << "\" nconmax=\"" << rows / 3
            << "\"/><default><geom condim=\"3\" friction=\"" << world.friction << " 0 0\"";
        if (contact.stiff) out << " solref=\"" << number(2.0 / rate) << " 1\" solimp=\"0.99 0.9999 0.0001\"";
        if (contact.apart > 0) out << " margin=\"" << number(contact.apart) << "\"";
        out << "/></default>";
      }
      out << "<worldbody>";
      for (size_t i = 0; i < world.things.size(); ++i)
        if (!up[i] || up[i]->a < 0) writer.body(out, i, up[i], 0);
      out << "</worldbody>";
      if (world.collide && !world.ignored.empty()) {
        out << "<contact>";
        for (const auto& [a, b] : world.ignored)
          out << "<exclude body1=\"b" << a << "\" body2=\"b" << b << "\"/>";
        out << "</contact>";
      }
      out << "</mujoco>";
    }
    char error[500] = "";
    model_ = mj_loadXML(path.c_str(), nullptr, error, sizeof error);
    std::filesystem::remove_all(writer.folder);
    if (!model_) throw std::runtime_error(std::string("MuJoCo: ") + error);
    data_ = mj_makeData(model_);
    for (size_t i = 0; i < world.things.size(); ++i) {
      const std::string name = "b" + std::to_string(i);
      ids_.push_back(mj_name2id(model_, mjOBJ_BODY, name.c_str()));
      if (world.things[i].fixed() || up[i]) continue;
      const Motion& s = world.things[i].start;
      mjtNum* speeds = data_->qvel + model_->body_dofadr[ids_.back()];
      const Vector3d w = s.rotation.conjugate() * s.angular_velocity;
      for (int k = 0; k < 3; ++k) speeds[k] = s.velocity[k], speeds[3 + k] = w[k];
    }
  }
  ~Mujoco() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  bool advance() override {
    for (int i = 0; i < steps_; ++i) mj_step(model_, data_);
    // MuJoCo restarts a diverged simulation with a warning, and drops contacts if its memory is full
    for (const int warning :
         {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC, mjWARN_CONTACTFULL, mjWARN_CNSTRFULL})
      if (data_->warning[warning].number > 0) return false;
    return true;
  }
  std::vector<Motion> read() override {
    mj_kinematics(model_, data_);  // poses in data_ are those of the start of the last step
    mj_comPos(model_, data_);
    mj_comVel(model_, data_);
    std::vector<Motion> motions;
    for (const int id : ids_) {
      const mjtNum *x = data_->xpos + 3 * id, *q = data_->xquat + 4 * id;
      mjtNum v[6];
      mj_objectVelocity(model_, data_, mjOBJ_BODY, id, v, 0);
      motions.push_back({Vector3d(x[0], x[1], x[2]), Quaterniond(q[0], q[1], q[2], q[3]),
                         Vector3d(v[3], v[4], v[5]), Vector3d(v[0], v[1], v[2])});
    }
    return motions;
  }

 private:
  int steps_;
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
  std::vector<int> ids_;
};

}  // namespace

std::vector<Setting> mujoco_settings(const World& world) {
  static constexpr Contact kContacts[] = {{"default", false, false},
                                          {"stiff", true, false},
                                          {"stiff-elliptic", true, true},
                                          {"stiff-apart-10mm", true, false, 1e-2},
                                          {"stiff-apart-1mm", true, false, 1e-3},
                                          {"stiff-apart-0.1mm", true, false, 1e-4},
                                          {"stiff-apart-10um", true, false, 1e-5}};
  std::vector<Setting> settings;
  for (const int rate : {60, 120, 240, 480, 960, 1920, 3840}) {
    if (!world.collide) {
      for (const char* integrator : {"Euler", "RK4"})
        settings.push_back({"mujoco", integrator, rate, [=](const World& w) {
                              return std::make_unique<Mujoco>(w, rate, kContacts[0], integrator);
                            }});
      continue;
    }
    for (const Contact& contact : kContacts) {
      if (world.many() && (contact.elliptic || (contact.apart > 0 && contact.apart < 1e-3))) continue;
      settings.push_back({"mujoco", contact.name, rate,
                          [=](const World& w) {
                            return std::make_unique<Mujoco>(w.spread(contact.apart), rate, contact, "Euler");
                          },
                          contact.apart});
    }
  }
  return settings;
}

}  // namespace contact_peers
