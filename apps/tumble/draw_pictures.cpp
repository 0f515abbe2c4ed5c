#include "draw_pictures.h"

#include <deque>
#include <future>
#include <utility>

namespace tumble::app {

namespace {

view::Image draw_shot(const Shot& shot) {
  view::Image image = view::render(shot.items, shot.options, shot.lines);
  if (shot.finish) shot.finish(image);
  return image;
}

}  // namespace

void draw_pictures(size_t count, size_t threads, const std::function<Shot(size_t)>& make,
                   const std::function<bool(size_t, view::Image)>& take) {
  std::deque<std::future<view::Image>> drawn;  // of the pictures from `taken` on
  size_t taken = 0;
  for (size_t made = 0; taken < count; ++taken) {
    for (; made < count && drawn.size() < threads; ++made)
      drawn.push_back(std::async(std::launch::async, [shot = make(made)] { return draw_shot(shot); }));
    view::Image image = drawn.front().get();
    drawn.pop_front();
    if (!take(taken, std::move(image))) return;
  }
}

}  // namespace tumble::app
