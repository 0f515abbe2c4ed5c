#include "arguments.h"

#include <charconv>
#include <cmath>
#include <utility>

#include "tumble/core/diagnostic.h"

namespace tumble::app {

Arguments::Arguments(const Verb& verb, const std::vector<std::string>& words) : verb_(&verb) {
  for (size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i];
    if (word.size() < 2 || word[0] != '-') {
      operands_.push_back(word);
      continue;
    }
    std::optional<std::string> value;
    if (const size_t equals = word.find('='); word.starts_with("--") && equals != std::string::npos) {
      value = word.substr(equals + 1);
      word.resize(equals);
    }
    const Flag* flag = nullptr;
    std::vector<std::string> names;
    for (const Flag& known : verb.flags) {
      names.push_back(known.name);
      if (known.name == word) flag = &known;
    }
    if (!flag) {
      const std::string near = core::nearest_name(word, names);
      throw UsageError(verb.name + " does not know the flag " + word +
                       (near.empty() ? "" : "; did you mean " + near + "?"));
    }
    if (flag->value.empty() && value && *value != "true" && *value != "false")
      throw UsageError(word + " takes no value; " + word + "=false switches it off if the scene has it on");
    if (!flag->value.empty() && !value) {
      if (i + 1 >= words.size()) throw UsageError(word + " needs a value: " + word + " " + flag->value);
      value = words[++i];
    }
    values_[word].push_back(value.value_or(""));
  }
}

std::optional<std::string> Arguments::text(const std::string& flag) const {
  const auto found = values_.find(flag);
  if (found == values_.end()) return std::nullopt;
  return found->second.back();
}

std::optional<bool> Arguments::is_on(const std::string& flag) const {
  const std::optional<std::string> word = text(flag);
  return word ? std::optional(*word != "false") : std::nullopt;
}

std::vector<std::string> Arguments::all(const std::string& flag) const {
  const auto found = values_.find(flag);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

std::optional<double> Arguments::number(const std::string& flag) const {
  const std::optional<std::string> word = text(flag);
  if (!word) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(word->data(), word->data() + word->size(), value);
  if (error != std::errc() || end != word->data() + word->size() || !std::isfinite(value))
    throw UsageError(flag + " needs a number, not \"" + *word + "\"");
  return value;
}

std::optional<double> Arguments::positive(const std::string& flag) const {
  const std::optional<double> value = number(flag);
  if (value && !(*value > 0)) throw UsageError(flag + " must be greater than 0, not " + *text(flag));
  return value;
}

std::optional<size_t> Arguments::count(const std::string& flag) const {
  const std::optional<std::string> word = text(flag);
  if (!word) return std::nullopt;
  size_t value = 0;
  const auto [end, error] = std::from_chars(word->data(), word->data() + word->size(), value);
  if (error != std::errc() || end != word->data() + word->size())
    throw UsageError(flag + " needs a whole number, not \"" + *word + "\"");
  return value;
}

std::optional<std::string> Arguments::choice(const std::string& flag,
                                             const std::vector<std::string>& choices) const {
  const std::optional<std::string> word = text(flag);
  if (!word) return std::nullopt;
  std::string list;
  for (const std::string& choice : choices) {
    if (*word == choice) return word;
    list += (list.empty() ? "" : ", ") + choice;
  }
  throw UsageError(flag + " takes one of " + list + ", not \"" + *word + "\"");
}

void Arguments::require_operands(size_t least, size_t most) const {
  for (const std::string& operand : operands_)
    if (operand.empty()) throw UsageError("a file name is empty");
  if (operands_.size() >= least && operands_.size() <= most) return;
  throw UsageError("usage: tumble " + verb_->name + " " + verb_->operands);
}

std::string help_text(const Verb& verb) {
  constexpr size_t kHelpColumn = 28;
  std::string text = "tumble " + verb.name + " " + verb.operands + "\n  " + verb.summary + "\n";
  for (const Flag& flag : verb.flags) {
    std::string left = "  " + flag.name + (flag.value.empty() ? "" : " " + flag.value);
    if (left.size() >= kHelpColumn) text += std::exchange(left, "") + "\n";  // the help is on its own line
    left.resize(kHelpColumn, ' ');
    text += left + flag.help + "\n";
  }
  return text;
}

}  // namespace tumble::app
