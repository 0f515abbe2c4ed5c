#include <libqhull_r/libqhull_r.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "tumble/geometry/detail/qhull.h"

namespace tumble::geometry::detail {

namespace {

// A run of qhull with its memory and its error stream. qhull handles errors by longjmp, but never out of
// qh_new_qhull.
class QhullRun {
 public:
  QhullRun() : complaints_(open_memstream(&text_, &length_)) { qh_zero(state_.get(), complaints_); }
  QhullRun(const QhullRun&) = delete;
  QhullRun& operator=(const QhullRun&) = delete;
  ~QhullRun() {
    int long_bytes = 0, long_pieces = 0;
    qh_freeqhull(state_.get(), !qh_ALL);
    qh_memfreeshort(state_.get(), &long_bytes, &long_pieces);
    if (complaints_ != nullptr) std::fclose(complaints_);
    std::free(text_);
  }

  bool run(std::vector<double>& coordinates, std::string command) {
    return complaints_ != nullptr &&
           qh_new_qhull(state_.get(), 3, static_cast<int>(coordinates.size() / 3), coordinates.data(), False,
                        command.data(), nullptr, complaints_) == 0;
  }
  qhT* state() { return state_.get(); }

  /// The first line of qhull's error messages.
  std::string complaint() {
    if (complaints_ == nullptr) return "no memory";
    std::fflush(complaints_);
    const std::string text(text_, length_);
    return text.substr(0, text.find('\n'));
  }

 private:
  std::unique_ptr<qhT> state_ = std::make_unique<qhT>();
  char* text_ = nullptr;
  size_t length_ = 0;
  FILE* complaints_;
};

}  // namespace

core::Expected<std::vector<Triangle>> run_qhull(std::span<const math::Vec3> points, double rounding) {
  std::vector<double> coordinates;
  coordinates.reserve(3 * points.size());
  for (const math::Vec3& p : points) coordinates.insert(coordinates.end(), p.begin(), p.end());
  // Qt triangulates faces, Pp suppresses warnings about narrow faces, E is the rounding of distances. E is
  // written as an integer times 1e-20, which reads the same in every locale.
  constexpr double kUnits = 1e20;  // units of E in 1
  const std::string command = "qhull Qt Pp E" + std::to_string(std::llround(rounding * kUnits)) + "e-20";
  QhullRun run;
  if (!run.run(coordinates, command)) return core::error_at({}, "qhull gave up: " + run.complaint());

  std::vector<Triangle> triangles;
  const qhT* const qh = run.state();  // name used by qhull's macros
  const facetT* facet = nullptr;
  FORALLfacets {
    Triangle triangle{};
    size_t corners = 0;
    vertexT *vertex = nullptr, **vertexp = nullptr;
    FOREACHvertex_(facet->vertices) {
      if (corners < 3) triangle[corners] = static_cast<uint32_t>((vertex->point - coordinates.data()) / 3);
      ++corners;
    }
    if (corners != 3) return core::error_at({}, "qhull left a face that is not a triangle");
    if (facet->toporient ^ qh_ORIENTclock) std::swap(triangle[0], triangle[1]);
    triangles.push_back(triangle);
  }
  return triangles;
}

}  // namespace tumble::geometry::detail
