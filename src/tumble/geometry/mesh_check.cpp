#include "tumble/geometry/mesh_check.h"

#include <algorithm>
#include <optional>

#include "tumble/geometry/detail/predicates.h"
#include "tumble/geometry/detail/surface.h"

namespace tumble::geometry {

namespace {

using detail::Groups;
using detail::Surface;

// Enough to know that a mesh is unusable. A mesh that overlaps itself everywhere has n^2 pairs.
constexpr size_t kMaxIntersections = 10000;

std::string number(size_t n) { return std::to_string(n); }

// "12 open edges (first between ...)", "1 open edge (between ...)"
std::string describe(size_t count, const std::string& one, const std::string& many,
                     const std::string& where) {
  return number(count) + " " + (count == 1 ? one + " (" : many + " (first ") + where + ")";
}

// Counts one kind of fault and stores its first occurrence.
struct Tally {
  size_t count = 0;
  size_t first = 0;
  size_t partner = 0;
  void add(size_t at, size_t with = 0) {
    if (count++ > 0) return;
    first = at;
    partner = with;
  }
};

class Checker {
 public:
  explicit Checker(const TriangleMesh& mesh) : mesh_(mesh) {}

  MeshReport check(const MeshCheckOptions& options) && {
    if (mesh_.triangles.empty()) report(MeshFault::empty, {1, 0}, "no triangles");
    check_numbers();
    // Without valid coordinates and indices no other check is possible.
    if (!report_.faults.empty()) return finish();

    surface_ = detail::build_surface(mesh_);
    check_triangles();
    check_edges();
    check_vertices();
    check_intersections_and_sides(options);
    std::ranges::stable_sort(report_.faults, {}, &FaultCount::fault);
    return finish();
  }

 private:
  // Only the first description names the file.
  MeshReport finish() {
    if (mesh_.source && !report_.faults.empty())
      report_.faults.front().description = mesh_.source->file + ": " + report_.faults.front().description;
    return std::move(report_);
  }

  void report(MeshFault fault, const Tally& tally, std::string description) {
    if (tally.count > 0) report_.faults.push_back({fault, tally.count, tally.first, std::move(description)});
  }
  void report(MeshFault fault, const Tally& tally, const std::string& one, const std::string& many,
              const std::string& where) {
    report(fault, tally, describe(tally.count, one, many, where));
  }

  void check_numbers() {
    Tally not_finite, out_of_range;
    for (size_t v = 0; v < mesh_.vertices.size(); ++v)
      if (!mesh_.vertices[v].allFinite()) not_finite.add(v);
    for (size_t t = 0; t < mesh_.triangles.size(); ++t) {
      const uint32_t highest = std::ranges::max(mesh_.triangles[t]);
      if (highest >= mesh_.vertices.size()) out_of_range.add(t, highest);
    }
    report(MeshFault::not_finite, not_finite, "vertex with a coordinate that is not finite",
           "vertices with a coordinate that is not finite", vertex(not_finite.first));
    report(MeshFault::index_out_of_range, out_of_range,
           "triangle that refers to a vertex that does not exist",
           "triangles that refer to a vertex that does not exist",
           triangle(out_of_range.first) + ", vertex " + number(out_of_range.partner) + " of " +
               number(mesh_.vertices.size()));
  }

  // Do two triangles with the same corners have the same cyclic order?
  static bool same_orientation(const Triangle& a, Triangle b) {
    std::rotate(b.begin(), std::find(b.begin(), b.end(), a[0]), b.end());
    return a == b;
  }

  // Degenerate triangles, duplicate triangles, and vertices at the same point.
  void check_triangles() {
    Tally degenerate;
    for (size_t t = 0; t < mesh_.triangles.size(); ++t) {
      const Triangle& c = surface_.triangles[t];
      surface_.has_corners[t] = c[0] != c[1] && c[1] != c[2] && c[2] != c[0];
      surface_.has_area[t] = surface_.has_corners[t] &&
                             detail::find_projection_axis(surface_.points[c[0]], surface_.points[c[1]],
                                                          surface_.points[c[2]]) >= 0;
      if (!surface_.has_area[t]) degenerate.add(t);
    }
    report(MeshFault::degenerate_triangle, degenerate, "degenerate triangle", "degenerate triangles",
           triangle(degenerate.first));

    const Tally copies = find_copies();
    report(MeshFault::duplicate_triangle, copies, "duplicate triangle", "duplicate triangles",
           triangle(copies.first) + ", same corners as " + triangle(copies.partner));

    Tally merged;
    for (size_t v = 0; v < surface_.weld.size(); ++v)
      if (surface_.weld[v] != v) merged.add(v, surface_.weld[v]);
    report(MeshFault::duplicate_vertex, merged, "duplicate vertex", "duplicate vertices",
           vertex(merged.first) + ", same point as " + vertex(merged.partner));
  }

  // Duplicates are excluded from further checks: they would be reported again as edges with too many
  // triangles. If a duplicate has the opposite orientation, the triangle has no orientation: the result must
  // not depend on which one comes first.
  Tally find_copies() {
    const size_t none = surface_.points.size();
    const Groups groups = detail::build_groups(none, surface_.triangles.size(), [&](size_t t) {
      return surface_.has_corners[t] ? size_t{std::ranges::min(surface_.triangles[t])} : none;
    });
    struct Entry {
      uint32_t middle, highest;
      size_t triangle;
      auto operator<=>(const Entry&) const = default;
    };
    std::vector<Entry> entries;
    std::vector<std::pair<size_t, size_t>> copies;
    for (size_t v = 0; v < none; ++v) {
      entries.clear();
      for (size_t i = groups.start[v]; i < groups.start[v + 1]; ++i) {
        Triangle t = surface_.triangles[groups.items[i]];
        std::ranges::sort(t);
        entries.push_back({t[1], t[2], groups.items[i]});
      }
      std::ranges::sort(entries);
      for (size_t i = 1, original = 0; i < entries.size(); ++i) {
        if (entries[i].middle != entries[original].middle || entries[i].highest != entries[original].highest)
          original = i;
        else
          copies.push_back({entries[i].triangle, entries[original].triangle});
      }
    }
    std::ranges::sort(copies);
    Tally tally;
    two_sided_.assign(surface_.triangles.size(), 0);
    for (const auto& [copy, original] : copies) {
      tally.add(copy, original);
      if (!same_orientation(surface_.triangles[copy], surface_.triangles[original])) two_sided_[original] = 1;
      surface_.has_corners[copy] = surface_.has_area[copy] = 0;
    }
    return tally;
  }

  void check_edges() {
    // Half edge 3 t + i runs from corner i to the next one. Half edges are grouped by the lower end of their
    // edge.
    const size_t none = surface_.points.size();
    const auto end_of = [this](size_t half) { return surface_.triangles[half / 3][(half % 3 + 1) % 3]; };
    const auto start_of = [this](size_t half) { return surface_.triangles[half / 3][half % 3]; };
    const Groups groups = detail::build_groups(none, 3 * surface_.triangles.size(), [&](size_t half) {
      return surface_.has_corners[half / 3] ? size_t{std::min(start_of(half), end_of(half))} : none;
    });
    struct Entry {
      uint32_t higher;
      int direction;  // +1 from the lower to the higher end, -1 back, 0 for both
    };
    Tally open, crowded, inconsistent;
    std::vector<Entry> entries;
    for (size_t v = 0; v < none; ++v) {
      entries.clear();
      for (size_t i = groups.start[v]; i < groups.start[v + 1]; ++i) {
        const uint32_t a = start_of(groups.items[i]), b = end_of(groups.items[i]);
        entries.push_back({std::max(a, b), two_sided_[groups.items[i] / 3] ? 0 : a < b ? 1 : -1});
      }
      std::ranges::sort(entries, {}, &Entry::higher);
      for (size_t i = 0, end = 0; i < entries.size(); i = end) {
        while (end < entries.size() && entries[end].higher == entries[i].higher) ++end;
        if (end - i == 1) open.add(v, entries[i].higher);
        if (end - i > 2) crowded.add(v, entries[i].higher);
        if (end - i == 2 && entries[i].direction * entries[i + 1].direction > 0)
          inconsistent.add(v, entries[i].higher);
      }
    }
    const auto between = [this](const Tally& tally) {
      return "between " + vertex(tally.first) + " and " + vertex(tally.partner);
    };
    report(MeshFault::open_edge, open, "open edge", "open edges", between(open));
    report(MeshFault::non_manifold_edge, crowded, "edge with more than two triangles",
           "edges with more than two triangles", between(crowded));
    report(MeshFault::inconsistent_orientation, inconsistent,
           "edge along which its two triangles are oriented inconsistently",
           "edges along which their two triangles are oriented inconsistently", between(inconsistent));
  }

  // The triangles at a vertex must be connected by edges at that vertex.
  void check_vertices() {
    const size_t none = surface_.points.size();
    const Groups groups = detail::build_groups(none, 3 * surface_.triangles.size(), [&](size_t corner) {
      return surface_.has_corners[corner / 3] ? size_t{surface_.triangles[corner / 3][corner % 3]} : none;
    });
    Tally torn;
    for (size_t v = 0; v < none; ++v)
      if (count_fans(groups, v) > 1) torn.add(v);
    report(MeshFault::non_manifold_vertex, torn, "vertex where separate parts of the surface touch",
           "vertices where separate parts of the surface touch", vertex(torn.first));
  }

  size_t count_fans(const Groups& groups, size_t vertex) {
    const size_t triangles = groups.start[vertex + 1] - groups.start[vertex];
    spokes_.clear();
    parent_.resize(triangles);
    for (size_t i = 0; i < triangles; ++i) {
      const size_t corner = groups.items[groups.start[vertex] + i];
      const Triangle& t = surface_.triangles[corner / 3];
      spokes_.push_back({t[(corner % 3 + 1) % 3], i});
      spokes_.push_back({t[(corner % 3 + 2) % 3], i});
      parent_[i] = i;
    }
    const auto root = [this](size_t i) {
      while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
      return i;
    };
    std::ranges::sort(spokes_);
    size_t fans = triangles;
    for (size_t i = 1; i < spokes_.size(); ++i) {
      if (spokes_[i].first != spokes_[i - 1].first) continue;
      const size_t a = root(spokes_[i].second), b = root(spokes_[i - 1].second);
      if (a != b) --fans;
      parent_[a] = b;
    }
    return fans;
  }

  void check_intersections_and_sides(const MeshCheckOptions& options) {
    const bool is_closed = !std::ranges::any_of(
        report_.faults, [](const FaultCount& f) { return f.fault != MeshFault::duplicate_vertex; });
    if (options.self_intersection) {
      const auto found = detail::find_intersections(surface_, kMaxIntersections);
      const Tally tally{found.pairs, found.first.first, found.first.second};
      const std::string where =
          tally.count > 0 ? triangle(tally.first) + " and " + triangle(tally.partner) : "";
      if (tally.count >= kMaxIntersections)
        report(MeshFault::self_intersection, tally,
               "at least " + number(tally.count) + " self-intersections (" + where + ")");
      else
        report(MeshFault::self_intersection, tally, "self-intersection", "self-intersections", where);
    }
    if (!is_closed) return;
    // Where shells cross, nesting is undefined. Then only the total volume has a sign.
    const bool nested = options.self_intersection && !report_.has(MeshFault::self_intersection);
    const auto shells = detail::find_misoriented_shells(surface_, nested);
    const std::string all = "the surface is inside-out (it encloses a negative volume)";
    const std::string some =
        number(shells.wrong) + " of " + number(shells.shells) +
        (shells.wrong == 1 ? " shells faces the wrong way for where it is nested ("
                           : " shells face the wrong way for where they are nested (first ") +
        triangle(shells.first_wrong_triangle) + ")";
    report(MeshFault::inside_out, {shells.wrong, shells.first_wrong_triangle},
           shells.wrong == shells.shells ? all : some);
  }

  std::string vertex(size_t v) const { return v < mesh_.vertices.size() ? describe_vertex(mesh_, v) : ""; }
  std::string triangle(size_t t) const {
    return t < mesh_.triangles.size() ? describe_triangle(mesh_, t) : "";
  }

  const TriangleMesh& mesh_;
  MeshReport report_;
  Surface surface_;
  std::vector<uint8_t> two_sided_;                   // per triangle: a duplicate has the opposite orientation
  std::vector<std::pair<uint32_t, size_t>> spokes_;  // scratch of count_fans
  std::vector<size_t> parent_;                       // scratch of count_fans
};

}  // namespace

const FaultCount* MeshReport::find(MeshFault fault) const {
  const auto found = std::ranges::find(faults, fault, &FaultCount::fault);
  return found == faults.end() ? nullptr : &*found;
}

bool MeshReport::has(MeshFault fault) const { return find(fault) != nullptr; }

MeshReport check_mesh(const TriangleMesh& mesh, const MeshCheckOptions& options) {
  return Checker(mesh).check(options);
}

}  // namespace tumble::geometry
