// Words of other programs and formats that users try here, and what they are called in a scene file.
#pragma once

#include <string>
#include <string_view>

namespace tumble::scene::detail {

/// What stands where another word was expected.
enum class WordKind { element, attribute, value };

/// What to write instead of `word`, as the end of a message; empty if the word is not in the table. `place`:
/// for an element its parent, for an attribute the element it stands in, for a value its attribute.
std::string find_common_word(WordKind kind, std::string_view place, std::string_view word);

}  // namespace tumble::scene::detail
