#include <algorithm>
#include <charconv>
#include <climits>
#include <cmath>

#include "tumble/geometry/detail/mesh_reading.h"

namespace tumble::geometry::detail {

using math::Vec3;

void FaultList::add_line(size_t line, std::string message) {
  if (full()) return;
  ++errors_;
  const int shown = static_cast<int>(std::min<size_t>(line, INT_MAX));
  diagnostics_.push_back(core::error_at({file_, shown}, std::move(message)));
}

void FaultList::add_byte(size_t byte, std::string message) {
  if (full()) return;
  ++errors_;
  diagnostics_.push_back(core::error_at({file_, 0, 0, static_cast<long long>(byte)}, std::move(message)));
}

void FaultList::warn_byte(size_t byte, std::string message) {
  diagnostics_.push_back(core::warning_at({file_, 0, 0, static_cast<long long>(byte)}, std::move(message)));
}

core::Expected<TriangleMesh> FaultList::finish(TriangleMesh mesh, MeshSource source) && {
  if (full())
    diagnostics_.push_back(core::error_at(
        {file_}, "reading stopped after " + std::to_string(kMaxFaults) + " faults; there may be more"));
  if (any()) return std::move(diagnostics_);
  source.file = file_;
  mesh.source = std::make_shared<const MeshSource>(std::move(source));
  return {std::move(mesh), std::move(diagnostics_)};
}

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
bool is_line_end(char c) { return c == '\n' || c == '\r'; }

}  // namespace

size_t TextCursor::line_end_length(size_t at) const {
  if (at >= text_.size() || !is_line_end(text_[at])) return 0;
  return text_[at] == '\r' && at + 1 < text_.size() && text_[at + 1] == '\n' ? 2 : 1;
}

std::optional<std::string_view> TextCursor::word(bool joined) {
  while (at_ < text_.size()) {
    if (is_blank(text_[at_])) {
      ++at_;
    } else if (joined && text_[at_] == '\\' && line_end_length(at_ + 1) > 0) {
      at_ += 1 + line_end_length(at_ + 1);
      ++line_;
    } else {
      break;
    }
  }
  const size_t start = at_;
  while (at_ < text_.size() && !is_blank(text_[at_]) && !is_line_end(text_[at_])) {
    if (joined && (text_[at_] == '#' || (text_[at_] == '\\' && line_end_length(at_ + 1) > 0))) break;
    ++at_;
  }
  if (at_ == start) return std::nullopt;
  return text_.substr(start, at_ - start);
}

std::optional<std::string_view> TextCursor::word_anywhere() {
  while (true) {
    if (const auto found = word()) return found;
    if (at_end()) return std::nullopt;
    next_line();
  }
}

void TextCursor::next_line() { rest_of_line(); }

std::string_view TextCursor::rest_of_line() {
  const size_t start = at_;
  while (at_ < text_.size() && !is_line_end(text_[at_])) ++at_;
  const std::string_view rest = text_.substr(start, at_ - start);
  if (!at_end()) {
    at_ += line_end_length(at_);
    ++line_;
  }
  return rest;
}

std::string quoted(std::string_view text) {
  constexpr size_t kShown = 40;
  std::string shown = "'";
  for (const char c : text.substr(0, kShown)) shown += c >= ' ' && c <= '~' ? c : '?';
  return shown + (text.size() > kShown ? "...'" : "'");
}

std::optional<long long> parse_integer(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_number(std::string_view text, std::string& why) {
  std::string_view digits = text;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) {
    why = quoted(text) + " is outside the range of double precision numbers";
  } else if (error != std::errc() || end != digits.data() + digits.size()) {
    why = quoted(text) + " is not a number";
  } else if (!std::isfinite(value)) {
    why = quoted(text) + " is not a finite number";
  } else {
    return value;
  }
  return std::nullopt;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

void PolygonList::add(const std::vector<uint32_t>& corners, TriangleMesh& mesh) {
  if (corners.size() > 3) fans_.push_back({mesh.triangles.size(), corners.size() - 2});
  for (size_t i = 2; i < corners.size(); ++i)
    mesh.triangles.push_back({corners[0], corners[i - 1], corners[i]});
}

std::vector<uint32_t> PolygonList::polygon_of_triangle(const TriangleMesh& mesh) const {
  if (fans_.empty()) return {};
  std::vector<uint32_t> numbers;
  numbers.reserve(mesh.triangles.size());
  auto fan = fans_.begin();
  for (uint32_t polygon = 0; numbers.size() < mesh.triangles.size(); ++polygon) {
    const bool is_fan = fan != fans_.end() && fan->first_triangle == numbers.size();
    numbers.insert(numbers.end(), is_fan ? fan->triangles : 1, polygon);
    if (is_fan) ++fan;
  }
  return numbers;
}

namespace {

// A polygon projected along its area vector n = 1/2 sum p_i x p_(i+1) (Newell).
class PolygonCutter {
 public:
  PolygonCutter(const TriangleMesh& mesh, std::vector<uint32_t> corners)
      : vertices_(mesh.vertices), corners_(std::move(corners)) {
    const Vec3& origin = vertices_[corners_[0]];
    for (size_t i = 2; i < corners_.size(); ++i)
      normal_ += (vertices_[corners_[i - 1]] - origin).cross(vertices_[corners_[i]] - origin);
  }

  // True if every triangle of the fan has the orientation of the polygon: then the fan does not overlap
  // itself.
  bool fan_is_good() const {
    for (size_t i = 2; i < corners_.size(); ++i)
      if (!(orientation(corners_[0], corners_[i - 1], corners_[i]) > 0)) return false;
    return true;
  }

  // Ear clipping. O(n^2), and slower only for polygons that are far from convex.
  std::vector<Triangle> cut() {
    std::vector<Triangle> triangles;
    while (corners_.size() > 3) {
      const size_t ear = find_ear();
      const size_t n = corners_.size();
      triangles.push_back({corners_[(ear + n - 1) % n], corners_[ear], corners_[(ear + 1) % n]});
      corners_.erase(corners_.begin() + static_cast<std::ptrdiff_t>(ear));
    }
    triangles.push_back({corners_[0], corners_[1], corners_[2]});
    return triangles;
  }

 private:
  double orientation(uint32_t a, uint32_t b, uint32_t c) const {
    return normal_.dot((vertices_[b] - vertices_[a]).cross(vertices_[c] - vertices_[a]));
  }
  bool is_ear(size_t i) const {
    const size_t n = corners_.size();
    const uint32_t a = corners_[(i + n - 1) % n], b = corners_[i], c = corners_[(i + 1) % n];
    if (!(orientation(a, b, c) > 0)) return false;
    for (const uint32_t p : corners_) {
      if (p == a || p == b || p == c) continue;
      if (orientation(a, b, p) >= 0 && orientation(b, c, p) >= 0 && orientation(c, a, p) >= 0) return false;
    }
    return true;
  }
  // A polygon that crosses itself may have no ear. Then any corner is cut off, and the mesh checks find the
  // fault.
  size_t find_ear() const {
    for (size_t i = 0; i < corners_.size(); ++i)
      if (is_ear(i)) return i;
    return 1;
  }

  const std::vector<Vec3>& vertices_;
  std::vector<uint32_t> corners_;
  Vec3 normal_ = Vec3::Zero();
};

}  // namespace

void PolygonList::split_concave(TriangleMesh& mesh) const {
  constexpr size_t kMaxCorners = 200;  // ear clipping costs up to n^3: larger polygons stay fans
  for (const Fan& fan : fans_) {
    if (fan.triangles > kMaxCorners) continue;
    std::vector<uint32_t> corners = {mesh.triangles[fan.first_triangle][0],
                                     mesh.triangles[fan.first_triangle][1]};
    for (size_t i = 0; i < fan.triangles; ++i) corners.push_back(mesh.triangles[fan.first_triangle + i][2]);
    PolygonCutter cutter(mesh, std::move(corners));
    if (cutter.fan_is_good()) continue;
    std::ranges::copy(cutter.cut(), mesh.triangles.begin() + static_cast<std::ptrdiff_t>(fan.first_triangle));
  }
}

}  // namespace tumble::geometry::detail
