// MuJoCo: reduced coordinates, RK4 with a fixed step. All features except gravity and inertia are switched
// off. Ball joints lower the order of its RK4 to 2, hinges do not. So three hinges instead of a ball joint
// are tried as well.
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "joints/peers/chain.h"

namespace peers {

namespace {

std::string text(const Vector3d& v) {
  std::ostringstream out;
  out.precision(17);
  out << v.x() << ' ' << v.y() << ' ' << v.z();
  return out.str();
}

std::string joints_of(const Chain& chain, const Link& link, bool gimbal) {
  const std::string at = " pos=\"" + text(link.above) + "\"";
  if (chain.planar) return "<joint type=\"hinge\" axis=\"0 0 1\"" + at + "/>";
  if (!gimbal) return "<joint type=\"ball\"" + at + "/>";
  std::string joints;
  for (const Vector3d& axis : chain.gimbal)
    joints += "<joint type=\"hinge\" axis=\"" + text(axis) + "\"" + at + "/>";
  return joints;
}

std::string describe(const Chain& chain, double rate, bool gimbal) {
  std::ostringstream out;
  out.precision(17);
  out << "<mujoco><compiler angle=\"radian\"/><option timestep=\"" << 1 / rate << "\" gravity=\"0 "
      << -kGravity
      << " 0\" integrator=\"RK4\"><flag constraint=\"disable\" contact=\"disable\" equality=\"disable\" "
         "frictionloss=\"disable\" limit=\"disable\" passive=\"disable\" actuation=\"disable\" "
         "clampctrl=\"disable\" warmstart=\"disable\"/></option><worldbody>";
  Quaterniond parent = Quaterniond::Identity();
  Vector3d at = Vector3d::Zero();  // the joint above, relative to the centre of the parent, in its axes
  for (const Link& link : chain.links) {
    const Quaterniond q = parent.conjugate() * link.rotation;
    out << "<body pos=\"" << text(at - q * link.above) << "\" quat=\"" << q.w() << ' ' << q.x() << ' '
        << q.y() << ' ' << q.z() << "\"><inertial pos=\"0 0 0\" mass=\"" << link.mass << "\" diaginertia=\""
        << text(link.moments) << "\"/>" << joints_of(chain, link, gimbal);
    parent = link.rotation;
    at = link.below;
  }
  for (size_t i = 0; i < chain.links.size(); ++i) out << "</body>";
  out << "</worldbody></mujoco>";
  return out.str();
}

using Model = std::unique_ptr<mjModel, void (*)(mjModel*)>;
using Data = std::unique_ptr<mjData, void (*)(mjData*)>;

Model load(const std::string& xml) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("tumble-bench-" + std::to_string(getpid()) + ".xml");
  std::ofstream(path) << xml;
  char error[500] = "";
  Model model(mj_loadXML(path.c_str(), nullptr, error, sizeof error), mj_deleteModel);
  std::filesystem::remove(path);
  if (!model) throw std::runtime_error(std::string("MuJoCo: ") + error);
  return model;
}

Outcome run(const Chain& chain, double rate, bool gimbal) {
  const Model model = load(describe(chain, rate, gimbal));
  const Data data(mj_makeData(model.get()), mj_deleteData);
  // angular velocity relative to the link above, in body axes
  Vector3d above = Vector3d::Zero();
  for (size_t i = 0; i < chain.links.size(); ++i) {
    const Link& link = chain.links[i];
    const Vector3d w = link.rotation.conjugate() * (link.angular_velocity - above);
    above = link.angular_velocity;
    mjtNum* speeds = data->qvel + model->body_dofadr[i + 1];
    if (chain.planar)
      speeds[0] = w.z();
    else
      for (int k = 0; k < 3; ++k) speeds[k] = gimbal ? chain.gimbal[k].dot(w) : w[k];
  }
  const long steps = std::lround(chain.duration * rate);
  const double begin = thread_seconds();
  for (long k = 0; k < steps; ++k) mj_step(model.get(), data.get());
  Outcome outcome;
  outcome.cpu = thread_seconds() - begin;
  // MuJoCo restarts a diverged simulation with a warning.
  for (const int warning : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC})
    if (data->warning[warning].number > 0) return {};
  mj_kinematics(model.get(), data.get());  // poses in data are those of the start of the last step
  for (size_t i = 1; i <= chain.links.size(); ++i) {
    const mjtNum *x = data->xpos + 3 * i, *q = data->xquat + 4 * i;
    outcome.places.push_back({Vector3d(x[0], x[1], x[2]), Quaterniond(q[0], q[1], q[2], q[3])});
  }
  return outcome;
}

}  // namespace

std::vector<Setting> mujoco_settings(const Chain& chain) {
  mju_user_warning = [](const char*) {};
  std::vector<Setting> settings;
  for (const bool gimbal : {false, true}) {
    if (gimbal && chain.planar) continue;
    // four rates per octave, with an integer number of steps in whole seconds
    for (int quarter = 0; quarter <= 48; ++quarter) {
      const double rate = std::round(15 * std::pow(2, quarter / 4.0));
      settings.push_back({"mujoco",
                          chain.planar ? "RK4 hinge"
                          : gimbal     ? "RK4 gimbal"
                                       : "RK4 ball",
                          rate, [&chain, rate, gimbal] { return run(chain, rate, gimbal); }});
    }
  }
  return settings;
}

}  // namespace peers
