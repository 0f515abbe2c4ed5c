#include "tumble/scene/words.h"

#include <algorithm>

#include "tumble/scene/xml.h"

namespace tumble::scene::detail {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;
       at = text.find_first_not_of(kBlanks, at)) {
    const size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

std::string first_few(const std::vector<std::string>& names) {
  constexpr size_t kFew = 5;
  std::string list;
  for (size_t i = 0; i < std::min(names.size(), kFew); ++i) list += (i == 0 ? "" : ", ") + quote(names[i]);
  return names.size() > kFew ? list + ", ..." : list;
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& known,
                         const std::string& otherwise) {
  const std::string nearest = core::nearest_name(name, known);
  return nearest.empty() ? otherwise : "did you mean " + quote(nearest) + "?";
}

std::string did_you_mean(WordKind kind, std::string_view element, const std::string& name,
                         const std::vector<std::string>& known, const std::string& otherwise) {
  const std::string common = find_common_word(kind, element, name);
  return common.empty() ? did_you_mean(name, known, otherwise) : common;
}

}  // namespace tumble::scene::detail
