// The warnings of a run: each kind once, handed out in the order of their occurrence.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace tumble::simulate {

class WarningList {
 public:
  WarningList() = default;
  /// The warnings of a saved run; the first `given` were handed out.
  WarningList(std::vector<std::string> texts, size_t given) : texts_(std::move(texts)), given_(given) {}

  /// `kind` is the beginning of the text. Only the first warning of a kind is added.
  void add(const std::string& kind, const std::string& text) {
    if (!has(kind)) texts_.push_back(kind + text);
  }
  bool has(const std::string& kind) const {
    return std::any_of(texts_.begin(), texts_.end(),
                       [&](const std::string& warning) { return warning.starts_with(kind); });
  }
  /// The next one to hand out; null if there is none.
  const std::string* next() { return given_ == texts_.size() ? nullptr : &texts_[given_++]; }

  const std::vector<std::string>& texts() const { return texts_; }
  size_t given() const { return given_; }

 private:
  std::vector<std::string> texts_;
  size_t given_ = 0;
};

}  // namespace tumble::simulate
