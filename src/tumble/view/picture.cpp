#include "tumble/view/picture.h"

#include <algorithm>

#include "tumble/view/framing.h"

namespace tumble::view {

namespace {

constexpr size_t kFramedStates = 64;                  // states of a motion that the camera is fitted to
constexpr double kGhostFade = 0.7, kPathFade = 0.25;  // fade of other positions and of paths; 1 is invisible

// `count` evenly spaced indices below n, including the first and the last.
std::vector<size_t> spread(size_t n, size_t count) {
  std::vector<size_t> chosen;
  count = std::min(n, count);
  for (size_t k = 0; k < count; ++k) chosen.push_back(count > 1 ? k * (n - 1) / (count - 1) : 0);
  return chosen;
}

// Items of several states. Fixed bodies are included once.
void append_moving(const model::Model& model, const model::State& state, std::vector<DrawItem> items,
                   double fade, std::vector<DrawItem>& all) {
  update_poses(model, state, items);
  for (DrawItem& item : items) {
    if (item.fixed) continue;
    item.fade = fade;
    all.push_back(std::move(item));
  }
}

}  // namespace

Image draw_picture(const model::Model& model, const model::State& shown, std::span<const model::State> motion,
                   const PictureOptions& options) {
  const std::vector<DrawItem> items = build_draw_list(model, shown);
  Framing framing(model.up());
  framing.add_frame(items);
  for (const size_t k : spread(motion.size(), kFramedStates)) {
    std::vector<DrawItem> framed = items;
    update_poses(model, motion[k], framed);
    framing.add_frame(framed);
  }

  RenderOptions render_options;
  render_options.width = options.width;
  render_options.height = options.height;
  render_options.up = model.up();
  render_options.grid = options.grid && model.has_up();
  render_options.camera = options.camera;
  if (!options.camera && options.width > 0 && options.height > 0)
    render_options.camera = framing.camera(static_cast<double>(options.width) / options.height);
  render_options.subject = framing.subject();

  std::vector<DrawItem> drawn = items;
  if (options.width > 0 && options.height > 0)
    for (const size_t i :
         framing.find_veils(*render_options.camera, static_cast<double>(options.width) / options.height))
      drawn[i].veil = true;
  for (const size_t k : spread(motion.size(), static_cast<size_t>(std::max(0, options.ghosts))))
    append_moving(model, motion[k], items, kGhostFade, drawn);
  std::vector<Polyline> paths;
  if (options.paths) paths = build_paths(model, motion);
  for (Polyline& path : paths) path.fade = kPathFade;
  return render(drawn, render_options, paths);
}

}  // namespace tumble::view
