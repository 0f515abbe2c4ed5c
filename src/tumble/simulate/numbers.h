// Values as a row of doubles and back, bit for bit: what a checkpoint keeps.
#pragma once

#include <vector>

#include "tumble/collision/contact.h"

namespace tumble::simulate {

class NumberWriter {
 public:
  void add(double x) { numbers_.push_back(x); }
  void add(const math::Vec3& v) { numbers_.insert(numbers_.end(), v.data(), v.data() + 3); }
  /// 64 bits, as two halves.
  void add(collision::FeatureKey key) {
    add(static_cast<double>(key.value >> 32));
    add(static_cast<double>(key.value & 0xffffffffu));
  }
  void add(const std::vector<double>& list) {
    add(static_cast<double>(list.size()));
    numbers_.insert(numbers_.end(), list.begin(), list.end());
  }
  std::vector<double> take() { return std::move(numbers_); }

 private:
  std::vector<double> numbers_;
};

class NumberReader {
 public:
  explicit NumberReader(const std::vector<double>& numbers) : numbers_(numbers) {}
  bool at_end() const { return at_ == numbers_.size(); }
  double number() { return numbers_.at(at_++); }
  uint32_t index() { return static_cast<uint32_t>(number()); }
  size_t count() { return static_cast<size_t>(number()); }
  math::Vec3 vector() {
    const double x = number(), y = number(), z = number();
    return {x, y, z};
  }
  collision::FeatureKey key() {
    const auto high = static_cast<uint64_t>(number()), low = static_cast<uint64_t>(number());
    return {high << 32 | low};
  }
  std::vector<double> list() {
    std::vector<double> result(count());
    for (double& x : result) x = number();
    return result;
  }

 private:
  const std::vector<double>& numbers_;
  size_t at_ = 0;
};

}  // namespace tumble::simulate
