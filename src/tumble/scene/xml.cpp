#include "tumble/scene/xml.h"

#include <expat.h>

#include <memory>

#include "tumble/scene/limits.h"

namespace tumble::scene::detail {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Converts byte offsets to lines and columns. Ascending offsets take one pass in total.
class PlaceFinder {
 public:
  PlaceFinder(std::string_view bytes, std::string file) : bytes_(bytes), file_(std::move(file)) { restart(); }

  core::Place at(size_t offset) {
    if (offset < offset_) restart();
    for (; offset_ < offset && offset_ < bytes_.size(); ++offset_) {
      const char c = bytes_[offset_];
      const bool first_of_two = c == '\r' && offset_ + 1 < bytes_.size() && bytes_[offset_ + 1] == '\n';
      if ((c == '\n' || c == '\r') && !first_of_two) {
        ++line_;
        column_ = 1;
      } else if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) {  // not a continuation byte of UTF-8
        ++column_;
      }
    }
    return {file_, line_, column_};
  }

 private:
  void restart() {
    offset_ = bytes_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    line_ = column_ = 1;
  }

  std::string_view bytes_;
  std::string file_;
  size_t offset_ = 0;
  int line_ = 1, column_ = 1;
};

class Parser {
 public:
  Parser(std::string_view bytes, const std::string& file, core::Diagnostics& diagnostics)
      : bytes_(bytes), places_(bytes, file), diagnostics_(diagnostics), expat_(XML_ParserCreate("UTF-8")) {
    XML_SetUserData(expat_.get(), this);
    XML_SetElementHandler(expat_.get(), &on_start, &on_end);
    XML_SetCharacterDataHandler(expat_.get(), &on_text);
    XML_SetXmlDeclHandler(expat_.get(), &on_declaration);
    XML_SetStartDoctypeDeclHandler(expat_.get(), &on_doctype);
    XML_SetProcessingInstructionHandler(expat_.get(), &on_instruction);
  }

  XmlDocument parse() {
    const XML_Status status =
        XML_Parse(expat_.get(), bytes_.data(), static_cast<int>(bytes_.size()), /*isFinal=*/1);
    if (status != XML_STATUS_OK && !stopped_) report(XML_GetErrorCode(expat_.get()));
    document_.complete = status == XML_STATUS_OK && !stopped_;
    while (!open_.empty()) {
      open_.back().complete = false;
      close_element();
    }
    return std::move(document_);
  }

 private:
  static Parser& self(void* user) { return *static_cast<Parser*>(user); }

  size_t here() const {
    const XML_Index index = XML_GetCurrentByteIndex(expat_.get());
    return index < 0 ? bytes_.size() : static_cast<size_t>(index);
  }
  void fail(size_t offset, std::string message) {
    diagnostics_.push_back(core::error_at(places_.at(offset), std::move(message)));
  }
  /// Reports a fault and stops parsing, because the rest of the file has no meaning.
  void stop(std::string message) { stop_at(here(), std::move(message)); }
  void stop_at(size_t offset, std::string message) {
    fail(offset, std::move(message));
    stopped_ = true;
    XML_StopParser(expat_.get(), XML_FALSE);
  }

  static void XMLCALL on_start(void* user, const XML_Char* name, const XML_Char** attributes) {
    Parser& parser = self(user);
    if (parser.stopped_) return;
    if (parser.open_.size() >= kMaxNesting)
      return parser.stop("elements are nested more than " + std::to_string(kMaxNesting) +
                         " deep; a scene needs three levels");
    const size_t start = parser.here();
    XmlElement element{.name = name, .place = parser.places_.at(start), .attributes = {}, .children = {}};
    size_t offset = start + 1 + element.name.size();
    for (; *attributes != nullptr; attributes += 2) {
      offset = parser.bytes_.find_first_not_of(kBlanks, offset);
      element.attributes.push_back({attributes[0], attributes[1], parser.places_.at(offset)});
      offset = parser.end_of_attribute(offset);
    }
    parser.open_.push_back(std::move(element));
    parser.has_text_.push_back(false);
  }

  /// The start tag is well-formed here; otherwise expat would not have called the handler.
  size_t end_of_attribute(size_t offset) const {
    const size_t opening = bytes_.find_first_of("\"'", offset);
    return opening == std::string_view::npos ? bytes_.size() : bytes_.find(bytes_[opening], opening + 1) + 1;
  }

  static void XMLCALL on_end(void* user, const XML_Char*) {
    if (!self(user).stopped_) self(user).close_element();
  }

  void close_element() {
    XmlElement element = std::move(open_.back());
    open_.pop_back();
    has_text_.pop_back();
    if (open_.empty())
      document_.root = std::move(element);
    else
      open_.back().children.push_back(std::move(element));
  }

  static void XMLCALL on_text(void* user, const XML_Char* text, int length) {
    Parser& parser = self(user);
    const std::string_view piece(text, static_cast<size_t>(length));
    const size_t first = piece.find_first_not_of(kBlanks);
    if (parser.stopped_ || first == std::string_view::npos || parser.open_.empty() || parser.has_text_.back())
      return;
    parser.has_text_.back() = true;  // one message per element
    std::string_view shown = piece.substr(first);
    shown = shown.substr(0, shown.find_last_not_of(kBlanks) + 1);
    parser.fail(parser.here() + first, "text " + quote(shown) + " inside " + tag(parser.open_.back().name) +
                                           ": elements cannot contain text; write values as attributes");
  }

  static void XMLCALL on_declaration(void* user, const XML_Char*, const XML_Char* encoding, int) {
    if (encoding == nullptr) return;
    std::string upper;
    for (const char c : std::string_view(encoding))
      upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    if (upper != "UTF-8" && upper != "UTF8" && upper != "US-ASCII" && upper != "ASCII")
      self(user).stop("the encoding " + quote(encoding) + " is not supported; save the file as UTF-8");
  }

  static void XMLCALL on_doctype(void* user, const XML_Char*, const XML_Char*, const XML_Char*, int) {
    Parser& parser = self(user);
    const size_t start = parser.bytes_.rfind("<!DOCTYPE", parser.here());  // expat is already behind it
    parser.stop_at(std::min(start, parser.here()),
                   "<!DOCTYPE> is not allowed: scene files have no DTD and define no entities; remove it");
  }

  static void XMLCALL on_instruction(void* user, const XML_Char* target, const XML_Char*) {
    const std::string_view name = target;
    if (self(user).stopped_ || name == "xml-model" || name == "xml-stylesheet")
      return;  // for editors and browsers
    self(user).fail(self(user).here(), "the processing instruction <?" +
                                           std::string(name.substr(0, kMaxQuotedText)) +
                                           "?> has no meaning in a scene; remove it");
  }

  void report(XML_Error code);
  std::string explain(XML_Error code) const;
  std::string explain_invalid() const;
  size_t unknown_entity() const;
  std::string opened_at(const XmlElement& element) const {
    return tag(element.name) + " opened at line " + std::to_string(element.place.line);
  }
  /// The name at an offset of the raw text, after < or </.
  std::string name_at(size_t offset) const {
    offset = std::min(offset, bytes_.size());
    const size_t start = std::min(bytes_.find_first_not_of("</", offset), bytes_.size());
    const size_t end = std::min(bytes_.find_first_of(" \t\r\n/>='\"<", start), bytes_.size());
    return std::string(bytes_.substr(start, std::min(end - start, kMaxQuotedText)));
  }

  struct FreeParser {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };
  std::string_view bytes_;
  PlaceFinder places_;
  core::Diagnostics& diagnostics_;
  std::unique_ptr<XML_ParserStruct, FreeParser> expat_;
  std::vector<XmlElement> open_;
  std::vector<bool> has_text_;  // same indices as open_: text in the element is already reported
  XmlDocument document_;
  bool stopped_ = false;
};

void Parser::report(XML_Error code) {
  if (code != XML_ERROR_UNDEFINED_ENTITY) return fail(here(), explain(code));
  const size_t at = unknown_entity();
  fail(at, "unknown entity " +
               std::string(bytes_.substr(at, std::min(bytes_.find(';', at) - at + 1, kMaxQuotedText))) +
               "; only &lt; &gt; &amp; &apos; &quot; and numbers like &#176; are known (is an & meant? write "
               "&amp;)");
}

// The offset of the first unknown entity. expat reports only the tag that contains it.
size_t Parser::unknown_entity() const {
  for (size_t at = bytes_.find('&', here()); at != std::string_view::npos; at = bytes_.find('&', at + 1)) {
    const std::string_view rest = bytes_.substr(at);
    const auto begins = [&](std::string_view known) { return rest.starts_with(known); };
    if (!begins("&#") && !begins("&lt;") && !begins("&gt;") && !begins("&amp;") && !begins("&apos;") &&
        !begins("&quot;"))
      return at;
  }
  return here();
}

std::string Parser::explain_invalid() const {
  const size_t at = here();
  if (at < bytes_.size() && static_cast<unsigned char>(bytes_[at]) < 0x20 &&
      kBlanks.find(bytes_[at]) == std::string_view::npos)
    return "a control character (byte " + std::to_string(static_cast<unsigned char>(bytes_[at])) +
           ") is here; a scene file is plain text";
  if (at > 0 && at < bytes_.size() && static_cast<unsigned char>(bytes_[at]) >= 0x80)
    return "this byte is not valid UTF-8; save the file as UTF-8";
  if (at > 0 && bytes_[at - 1] == '=') return "write the value of an attribute in quotes: name=\"value\"";
  return "not well-formed XML: write attributes as name=\"value\", and < and & in values as &lt; and &amp;";
}

// Explains an error of expat.
std::string Parser::explain(XML_Error code) const {
  switch (code) {
    case XML_ERROR_NO_ELEMENTS:
    case XML_ERROR_UNCLOSED_TOKEN:
      if (code == XML_ERROR_UNCLOSED_TOKEN)
        return "the file ends inside this tag or comment; close it (is a > or a quote missing?)";
      if (!open_.empty())
        return "the file ends, but " + opened_at(open_.back()) + " is not closed; add </" +
               open_.back().name + ">";
      return "the file has no element; expected <scene>";
    case XML_ERROR_TAG_MISMATCH:
      return "</" + name_at(here()) + "> does not close " + opened_at(open_.back()) + "; expected " +
             tag("/" + open_.back().name);
    case XML_ERROR_DUPLICATE_ATTRIBUTE:
      return "the attribute " + quote(name_at(here())) + " is given twice; keep one";
    case XML_ERROR_JUNK_AFTER_DOC_ELEMENT:
      return "nothing may follow the closing tag of the first element; put everything into one <scene>";
    case XML_ERROR_INVALID_TOKEN:
      return explain_invalid();
    case XML_ERROR_PARTIAL_CHAR:
      return "the file ends in the middle of a character; save it as UTF-8";
    case XML_ERROR_BAD_CHAR_REF:
      return "there is no such character; write a Unicode number like &#176;";
    case XML_ERROR_MISPLACED_XML_PI:
      return "<?xml ...?> must be at the very beginning of the file";
    case XML_ERROR_XML_DECL:
      return "the <?xml ...?> line is not well-formed; write <?xml version=\"1.0\" encoding=\"UTF-8\"?>";
    case XML_ERROR_UNCLOSED_CDATA_SECTION:
      return "the file ends inside <![CDATA[; close it with ]]>";
    default:
      return std::string("not well-formed XML: ") + XML_ErrorString(code);
  }
}

}  // namespace

XmlDocument parse_xml(std::string_view bytes, const std::string& file, core::Diagnostics& diagnostics) {
  if (bytes.size() > kMaxSceneBytes) {
    diagnostics.push_back(core::error_at({file}, "the file has " + std::to_string(bytes.size()) +
                                                     " bytes; at most " + std::to_string(kMaxSceneBytes) +
                                                     " are read"));
    return {};
  }
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) {
    diagnostics.push_back(core::error_at({file, 1, 1}, "the file is UTF-16; save it as UTF-8"));
    return {};
  }
  const size_t first =
      bytes.find_first_not_of(kBlanks, bytes.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  if (first != std::string_view::npos && bytes[first] != '<') {
    const bool gltf = bytes.starts_with("glTF") || bytes[first] == '{';
    diagnostics.push_back(core::error_at(
        {file, 1, 1}, gltf
                          ? "the file is glTF, which is no scene; a scene file is XML and begins with <scene>"
                          : "the file is not XML; a scene file begins with <scene>"));
    return {};
  }
  return Parser(bytes, file, diagnostics).parse();
}

std::string shorten(std::string_view text) {
  size_t end = std::min(text.size(), kMaxQuotedText);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  std::string shown;
  for (const char c : text.substr(0, end))
    shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  return end < text.size() ? shown + "..." : shown;
}

std::string quote(std::string_view text) { return "\"" + shorten(text) + "\""; }

std::string tag(std::string_view name) { return "<" + shorten(name) + ">"; }

}  // namespace tumble::scene::detail
