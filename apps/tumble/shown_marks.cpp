#include "shown_marks.h"

#include <algorithm>
#include <sstream>

#include "tumble/view/marks.h"

namespace tumble::app {

namespace {

// Parts of the radius of what is shown.
constexpr double kAxisPart = 0.12, kNormalPart = 0.06, kCoilPart = 0.05, kLongestPart = 0.5;
// The force that most arrows do not exceed is drawn this long; impacts are cut off at kLongestPart.
constexpr double kUsualPart = 0.25, kUsualShare = 0.9;
constexpr double kFadeUnderSkeleton = 0.55;  // of the bodies

template <typename T>
T read_or_throw(core::Expected<T> result) {
  if (!result) throw InputError{};
  return std::move(result).value();
}

}  // namespace

std::vector<Flag> mark_flags() {
  return {{"--show", "WHAT,...",
           "draw also contacts, forces, joints, springs, names, skeleton, grid (contacts and forces need a "
           ".tumble)"},
          {"--wireframe", "", "draw the edges of the triangles of all shapes"}};
}

MarkRequest read_marks(const Arguments& arguments) {
  MarkRequest request;
  request.wireframe = arguments.is_on("--wireframe").value_or(false);
  const std::vector<std::pair<std::string, bool*>> known = {
      {"contacts", &request.contacts}, {"forces", &request.forces}, {"joints", &request.joints},
      {"springs", &request.springs},   {"names", &request.names},   {"skeleton", &request.skeleton},
      {"grid", &request.grid}};
  std::vector<std::string> names;
  for (const auto& [name, on] : known) names.push_back(name);
  for (const std::string& list : arguments.all("--show")) {
    std::istringstream words(list);
    for (std::string word; std::getline(words, word, ',');) {
      const auto found =
          std::find_if(known.begin(), known.end(), [&](const auto& entry) { return entry.first == word; });
      if (found == known.end()) {
        const std::string near = core::nearest_name(word, names);
        throw UsageError(
            "--show takes contacts, forces, joints, springs, names, skeleton, grid, separated by "
            "commas; not \"" +
            word + "\"" + (near.empty() ? "" : "; did you mean " + near + "?"));
      }
      *found->second = true;
    }
  }
  return request;
}

Marks::Marks(const MarkRequest& request, DrawnMotion& motion, const std::vector<double>& times, double size)
    : request_(request), size_(size) {
  if (!request.any()) return;
  if (!motion.model())
    throw UsageError("--show: a .glb does not hold what to show; render a .tumble or a scene");
  const record::Recording* recording = motion.recording();
  const bool has_contacts = recording && recording->info().contacts;
  const bool has_reactions = recording && recording->info().reactions;
  if (request.contacts && !has_contacts)
    throw UsageError(recording
                         ? "--show contacts: no two bodies of this recording can collide, or it was made "
                           "by an older version"
                         : "--show contacts needs a .tumble: run the scene with -o FILE.tumble first");
  if (!request.forces) return;
  if (!has_contacts && !has_reactions)
    throw UsageError(recording
                         ? "--show forces: the recording has neither contacts nor forces of joints; run "
                           "the scene with --reactions FILE.csv"
                         : "--show forces needs a .tumble: run the scene with -o FILE.tumble first");
  std::vector<double> forces;
  for (const double time : times) {
    motion.show(time);
    const size_t frame = motion.nearest_frame();
    if (has_contacts)
      for (const auto& patch : read_or_throw(recording->contacts(frame)).patches)
        forces.push_back(patch.impulse.norm() * motion.fps);
    if (has_reactions) {
      const std::vector<double> reactions = read_or_throw(recording->reactions(frame));
      for (size_t j = 0; j + model::kReactionSize <= reactions.size(); j += model::kReactionSize)
        forces.push_back(math::Vec3(&reactions[j]).norm());
    }
  }
  std::erase_if(forces, [](double f) { return !(f > 0); });
  if (forces.empty()) return;
  const auto usual =
      forces.begin() + static_cast<ptrdiff_t>(kUsualShare * static_cast<double>(forces.size() - 1));
  std::nth_element(forces.begin(), usual, forces.end());
  scale_ = kUsualPart * size_ / *usual;
}

void Marks::add(const DrawnMotion& motion, Shot& shot) const {
  shot.options.grid = request_.grid && motion.has_up;
  shot.options.wireframe = request_.wireframe;
  if (!request_.any()) return;
  const model::Model& model = *motion.model();
  const model::State& state = *motion.state();
  view::Overlay overlay;
  if (request_.skeleton) {
    view::add_skeleton(model, state, overlay);
    for (view::DrawItem& item : shot.items)
      if (!item.fixed) item.fade = std::max(item.fade, kFadeUnderSkeleton);
  }
  if (request_.joints) view::add_joints(model, state, kAxisPart * size_, overlay);
  if (request_.contacts || (request_.forces && motion.recording()->info().contacts)) {
    const record::FrameContacts contacts =
        read_or_throw(motion.recording()->contacts(motion.nearest_frame()));
    if (request_.contacts) view::add_contacts(model, contacts, kNormalPart * size_, overlay);
    if (request_.forces)
      view::add_contact_forces(model, contacts, 1 / motion.fps, scale_, kLongestPart * size_, overlay);
  }
  if (request_.forces && motion.recording()->info().reactions)
    view::add_joint_forces(model, state, read_or_throw(motion.recording()->reactions(motion.nearest_frame())),
                           scale_, kLongestPart * size_, overlay);
  if (request_.names) view::add_names(model, state, overlay);
  if (request_.springs)
    for (view::Polyline& spring : view::build_springs(model, state, kCoilPart * size_))
      shot.lines.push_back(std::move(spring));
  shot.finish = [overlay = std::move(overlay), camera = *shot.options.camera](view::Image& image) {
    view::draw_overlay(image, camera, overlay);
  };
}

}  // namespace tumble::app
