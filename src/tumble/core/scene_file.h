// A file that a scene was made from. Scenes have theirs, and a recording carries them with it.
#pragma once

#include <string>

namespace tumble::core {

/// The path is relative to the folder of the main scene file, as it was looked up.
struct SceneFile {
  std::string path;
  std::string bytes;
};

}  // namespace tumble::core
