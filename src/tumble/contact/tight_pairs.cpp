#include "tumble/contact/tight_pairs.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "tumble/contact/parameters.h"

namespace tumble::contact {

using core::BodyId;
using model::Body;

const TightPair* TightPairs::find(BodyId a, BodyId b) const {
  if (pairs.empty()) return nullptr;
  const auto key = std::tuple(std::min(a, b), std::max(a, b));
  const auto found =
      std::lower_bound(pairs.begin(), pairs.end(), key,
                       [](const TightPair& pair, const auto& k) { return std::tuple(pair.a, pair.b) < k; });
  return found != pairs.end() && std::tuple(found->a, found->b) == key ? &*found : nullptr;
}

double compute_pair_size(const model::Model& model, BodyId a, BodyId b) {
  const Body &x = model.body(a), &y = model.body(b);
  if (!x.is_dynamic() || !y.is_dynamic()) return x.is_dynamic() ? x.radius : y.radius;
  return std::min(x.radius, y.radius);
}

double compute_contact_offset(const model::Model& model, BodyId a, BodyId b, double accuracy, double extent,
                              const TightPairs& tight) {
  const double usual = std::max(kOffset.accuracy_share * accuracy * compute_pair_size(model, a, b),
                                kOffset.min_roundings * std::numeric_limits<double>::epsilon() * extent);
  const TightPair* pair = tight.find(a, b);
  return pair ? std::min(usual, pair->offset) : usual;
}

}  // namespace tumble::contact
