// Exact arithmetic on sums of doubles ("expansions"). The terms do not overlap and increase in magnitude, so
// that the last one has the sign of the sum.
//   x + y = s + e exactly (two_sum),  x y = p + e exactly (fma)          [Dekker 1971, Knuth, Shewchuk 1997]
#include "tumble/geometry/detail/predicates.h"

#include <algorithm>
#include <cmath>

namespace tumble::geometry::detail {

using math::Vec3;

namespace {

class Expansion {
 public:
  Expansion() = default;
  // Copies only the terms in use, since most expansions are short.
  Expansion(const Expansion& o) : size_(o.size_) { std::copy_n(o.terms_, size_, terms_); }
  Expansion& operator=(const Expansion& o) {
    if (this == &o) return *this;
    size_ = o.size_;
    std::copy_n(o.terms_, size_, terms_);
    return *this;
  }
  static Expansion difference(double x, double y) {
    const double s = x - y;
    const double back = s - x;
    Expansion e;
    e.push((x - (s - back)) + (-y - back));
    e.push(s);
    return e;
  }

  Expansion operator+(const Expansion& o) const {
    Expansion sum = *this;
    for (int i = 0; i < o.size_; ++i) sum.add(o.terms_[i]);
    return sum;
  }
  Expansion operator-() const {
    Expansion e = *this;
    for (int i = 0; i < size_; ++i) e.terms_[i] = -e.terms_[i];
    return e;
  }
  Expansion operator*(const Expansion& o) const {
    Expansion product;
    for (int i = 0; i < size_; ++i) {
      for (int j = 0; j < o.size_; ++j) {
        const double p = terms_[i] * o.terms_[j];
        product.add(std::fma(terms_[i], o.terms_[j], -p));
        product.add(p);
      }
    }
    return product;
  }
  int sign() const { return size_ == 0 ? 0 : terms_[size_ - 1] > 0 ? 1 : -1; }

 private:
  void push(double term) {
    if (term != 0) terms_[size_++] = term;
  }
  // Adds one number, dropping zero terms.
  void add(double x) {
    const int old_size = size_;
    size_ = 0;
    for (int i = 0; i < old_size; ++i) {
      const double y = terms_[i];
      const double s = x + y;
      const double part = s - x;
      push((x - (s - part)) + (y - part));
      x = s;
    }
    push(x);
  }

  // A determinant of three vectors of two-term differences has at most 3 * 2 * (2 * 2 * 2) * 2 * 2 = 192
  // terms.
  double terms_[192];
  int size_ = 0;
};

int exact_orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const auto edge = [&a](const Vec3& p, int i) { return Expansion::difference(p[i], a[i]); };
  Expansion det;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    det = det + (edge(b, j) * edge(c, k) + -(edge(b, k) * edge(c, j))) * edge(d, i);
  }
  return det.sign();
}

int exact_orient2d(int j, int k, const Vec3& a, const Vec3& b, const Vec3& c) {
  const auto edge = [&a](const Vec3& p, int i) { return Expansion::difference(p[i], a[i]); };
  return (edge(b, j) * edge(c, k) + -(edge(b, k) * edge(c, j))).sign();
}

}  // namespace

int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const int sign = filtered_sign(b - a, c - a, d - a);
  return sign != 0 ? sign : exact_orient3d(a, b, c, d);
}

int orient2d(int axis, const Vec3& a, const Vec3& b, const Vec3& c) {
  constexpr double kOrient2dBound = 3.3306690738754716e-16;  // (3 + 16 e) e for orient2d [Shewchuk 1997]
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  const double left = (b[j] - a[j]) * (c[k] - a[k]), right = (b[k] - a[k]) * (c[j] - a[j]);
  const double det = left - right, bound = kOrient2dBound * (std::abs(left) + std::abs(right));
  return det > bound ? 1 : det < -bound ? -1 : exact_orient2d(j, k, a, b, c);
}

int find_projection_axis(const Vec3& a, const Vec3& b, const Vec3& c) {
  for (int axis = 0; axis < 3; ++axis)
    if (orient2d(axis, a, b, c) != 0) return axis;
  return -1;
}

}  // namespace tumble::geometry::detail
