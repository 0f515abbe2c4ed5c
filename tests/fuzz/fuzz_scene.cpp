// Arbitrary bytes as a scene, with a few small files that it can include. The result is a model or faults,
// and the files of a model load again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tumble/scene/scene.h"

namespace {

constexpr size_t kMaxBytes = size_t{1} << 16;  // larger inputs find the same faults, but more slowly

const char* const kTetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
const char* const kOpen = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
const char* const kFaulty = "v 0 0\nf 1 2 3\n";
const char* const kPart =
    "<scene name='part'><include file='main.xml'/><material name='part'/>"
    "<mesh name='part' file='cube.obj' scale='-1'/></scene>";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tumble;
  if (size > kMaxBytes) return 0;
  const scene::BundleFiles files({{"main.xml", std::string(reinterpret_cast<const char*>(data), size)},
                                  {"cube.obj", kTetrahedron},
                                  {"open.obj", kOpen},
                                  {"faulty.obj", kFaulty},
                                  {"heights.txt", "0 1 2\n3 4 5\n"},
                                  {"part.xml", kPart}});
  const core::Expected<scene::Scene> loaded = scene::load_scene("main.xml", files);
  if (!loaded) {
    for (const core::Diagnostic& diagnostic : loaded.diagnostics())
      if (to_string(diagnostic).find('\n') != std::string::npos) std::abort();  // one line per fault
    return 0;
  }
  if (!scene::load_scene(loaded->files[0].path, scene::BundleFiles(loaded->files))) std::abort();
  return 0;
}
