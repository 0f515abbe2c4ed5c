// DART's settings; the engine itself is in a module of its own.
#include <dlfcn.h>

#include <stdexcept>

#include "contact/peers/world.h"

namespace contact_peers {

namespace {

std::unique_ptr<Engine> make(const World& world, int rate, bool pgs) {
  using Make = Engine* (*)(const World&, int, bool);
  void* module = dlopen(TUMBLE_DART_MODULE, RTLD_NOW | RTLD_LOCAL);
  if (!module) throw std::runtime_error(dlerror());
  const auto function = reinterpret_cast<Make>(dlsym(module, "contact_peers_make_dart"));
  return std::unique_ptr<Engine>(function(world, rate, pgs));
}

}  // namespace

std::vector<Setting> dart_settings(const World& world) {
  std::vector<Setting> settings;
  for (const int rate : {60, 120, 240, 480, 960})
    for (const bool pgs : {false, true}) {
      if (pgs && !world.collide) continue;
      settings.push_back(
          {"dart", pgs ? "pgs" : "dantzig", rate, [=](const World& w) { return make(w, rate, pgs); }});
    }
  return settings;
}

}  // namespace contact_peers
