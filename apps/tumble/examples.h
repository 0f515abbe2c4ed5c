// The built-in scenes. embed_scenes.cmake makes them from the files of scenes/.
#pragma once

#include <span>
#include <string_view>

namespace tumble::app {

struct EmbeddedFile {
  std::string_view name;  // "t-handle.xml"
  std::string_view bytes;
};
std::span<const EmbeddedFile> embedded_scenes();

}  // namespace tumble::app
