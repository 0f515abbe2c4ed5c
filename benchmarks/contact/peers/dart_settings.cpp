// The settings of DART. The engine is in a separate module.
#include <dlfcn.h>

#include <stdexcept>

#include "contact/peers/world.h"

namespace contact_peers {

namespace {

std::unique_ptr<Engine> make(const World& world, int rate, bool pgs, bool firm) {
  using Make = Engine* (*)(const World&, int, bool, bool);
  void* module = dlopen(TUMBLE_DART_MODULE, RTLD_NOW | RTLD_LOCAL);
  if (!module) throw std::runtime_error(dlerror());
  const auto function = reinterpret_cast<Make>(dlsym(module, "contact_peers_make_dart"));
  return std::unique_ptr<Engine>(function(world, rate, pgs, firm));
}

}  // namespace

std::vector<Setting> dart_settings(const World& world) {
  std::vector<Setting> settings;
  const auto add = [&](const std::string& name, int rate, bool pgs, bool firm) {
    settings.push_back({"dart", name, rate, [=](const World& w) { return make(w, rate, pgs, firm); }});
  };
  if (!world.collide) {
    for (const int rate : {60, 240, 300, 360, 480, 960}) add("euler", rate, false, false);
    return settings;
  }
  for (const int rate : {60, 120, 240, 480, 960, 1920}) {
    add("dantzig", rate, false, false);
    add("pgs", rate, true, false);
    add("dantzig-firm", rate, false, true);
    add("pgs-firm", rate, true, true);
  }
  return settings;
}

}  // namespace contact_peers
