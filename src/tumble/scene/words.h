// Splits the text of an attribute into words, and joins words into lists for messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tumble/scene/common_words.h"

namespace tumble::scene::detail {

/// The words between blanks.
std::vector<std::string_view> words_of(std::string_view text);
/// "a, b, c".
std::string list_of(const std::vector<std::string>& names);
/// The first few of them, in quotes: "a", "b", ...
std::string first_few(const std::vector<std::string>& names);
/// did you mean "NEAREST"? Without a similar name: `otherwise`.
std::string did_you_mean(const std::string& name, const std::vector<std::string>& known,
                         const std::string& otherwise);
/// The same. A word that is common elsewhere (common_words.h) is explained before similar names are searched.
std::string did_you_mean(WordKind kind, std::string_view element, const std::string& name,
                         const std::vector<std::string>& known, const std::string& otherwise);

}  // namespace tumble::scene::detail
