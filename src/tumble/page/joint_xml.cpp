#include "tumble/page/joint_xml.h"

#include <algorithm>

namespace tumble::page::detail {

namespace {

// The byte at a line and column; columns count characters of UTF-8. The size of the text if it is shorter.
size_t find_byte(std::string_view text, int line, int column) {
  size_t at = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  for (int i = 1; i < line; ++i) {
    at = std::min(text.find_first_of("\r\n", at), text.size());
    if (at < text.size()) at += text.substr(at).starts_with("\r\n") ? 2 : 1;
  }
  for (int i = 1; i < column && at < text.size(); ++i) do
      ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80);
  return std::min(at, text.size());
}

// The end of the tag that begins at `at`: after its >. Quotes may hold a >. npos if it does not end.
size_t find_tag_end(std::string_view text, size_t at) {
  char quote = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0 && c == quote)
      quote = 0;
    else if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
    else if (quote == 0 && c == '>')
      return at + 1;
  }
  return std::string_view::npos;
}

}  // namespace

std::string find_element(const std::vector<core::SceneFile>& files, const core::Place& place,
                         std::string_view name) {
  const auto file = std::find_if(files.begin(), files.end(),
                                 [&](const core::SceneFile& f) { return f.path == place.file; });
  if (file == files.end() || place.line < 1) return "";
  const std::string_view text = file->bytes;
  const size_t begin = find_byte(text, place.line, place.column);
  const std::string open = "<" + std::string(name), close = "</" + std::string(name);
  const auto has_tag = [&](size_t at, const std::string& tag) {
    return text.substr(at).starts_with(tag) && at + tag.size() < text.size() &&
           std::string_view(" \t\r\n/>").find(text[at + tag.size()]) != std::string_view::npos;
  };
  if (begin >= text.size() || !has_tag(begin, open)) return "";
  int depth = 0;
  for (size_t at = begin; at < text.size();) {
    at = text.find('<', at);
    if (at == std::string_view::npos) return "";
    if (text.substr(at).starts_with("<!--")) {
      at = text.find("-->", at);
      if (at == std::string_view::npos) return "";
      continue;
    }
    const size_t end = find_tag_end(text, at);
    if (end == std::string_view::npos) return "";
    if (has_tag(at, close)) --depth;
    if (has_tag(at, open) && text[end - 2] != '/') ++depth;
    if (depth == 0) return std::string(text.substr(begin, end - begin));
    at = end;
  }
  return "";
}

}  // namespace tumble::page::detail
