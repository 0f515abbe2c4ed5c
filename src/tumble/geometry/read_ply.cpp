// PLY: a text header that lists elements and their properties, then the elements as text (one per line) or as
// binary numbers of either byte order. Reads the element "vertex" (x, y, z) and the element "face" (a list
// "vertex_indices" or "vertex_index"). Skips everything else.
#include <array>
#include <cmath>
#include <limits>

#include "tumble/geometry/detail/byte_order.h"
#include "tumble/geometry/detail/mesh_reading.h"
#include "tumble/geometry/mesh_io.h"

namespace tumble::geometry {

namespace {

using detail::FaultList;
using detail::quoted;

enum class Type { int8, uint8, int16, uint16, int32, uint32, float32, float64 };
enum class Format { ascii, little, big };

struct TypeName {
  const char* name;
  Type type;
};
constexpr std::array<TypeName, 16> kTypeNames = {{{"char", Type::int8},
                                                  {"uchar", Type::uint8},
                                                  {"short", Type::int16},
                                                  {"ushort", Type::uint16},
                                                  {"int", Type::int32},
                                                  {"uint", Type::uint32},
                                                  {"float", Type::float32},
                                                  {"double", Type::float64},
                                                  {"int8", Type::int8},
                                                  {"uint8", Type::uint8},
                                                  {"int16", Type::int16},
                                                  {"uint16", Type::uint16},
                                                  {"int32", Type::int32},
                                                  {"uint32", Type::uint32},
                                                  {"float32", Type::float32},
                                                  {"float64", Type::float64}}};

std::optional<Type> find_type(std::string_view name) {
  for (const TypeName& known : kTypeNames)
    if (name == known.name) return known.type;
  return std::nullopt;
}

bool is_integer(Type type) { return type != Type::float32 && type != Type::float64; }

size_t size_of(Type type) {
  switch (type) {
    case Type::int8:
    case Type::uint8:
      return 1;
    case Type::int16:
    case Type::uint16:
      return 2;
    case Type::int32:
    case Type::uint32:
    case Type::float32:
      return 4;
    case Type::float64:
      return 8;
  }
  return 8;
}

double load_number(std::string_view bytes, size_t at, Type type, std::endian order) {
  switch (type) {
    case Type::int8:
      return detail::load<int8_t>(bytes, at, order);
    case Type::uint8:
      return detail::load<uint8_t>(bytes, at, order);
    case Type::int16:
      return detail::load<int16_t>(bytes, at, order);
    case Type::uint16:
      return detail::load<uint16_t>(bytes, at, order);
    case Type::int32:
      return detail::load<int32_t>(bytes, at, order);
    case Type::uint32:
      return detail::load<uint32_t>(bytes, at, order);
    case Type::float32:
      return detail::load<float>(bytes, at, order);
    case Type::float64:
      return detail::load<double>(bytes, at, order);
  }
  return 0;
}

enum class Role { none, x, y, z, corners };

struct Property {
  std::string name;
  Type type = Type::float32;
  std::optional<Type> count_type;  // set if the property is a list
  Role role = Role::none;
};

struct Element {
  std::string name;
  uint64_t count = 0;
  size_t line = 0;
  std::vector<Property> properties;
  // The minimum size (bytes) of a binary element: fixed properties and the counts of its lists.
  size_t min_size() const {
    size_t size = 0;
    for (const Property& p : properties) size += size_of(p.count_type.value_or(p.type));
    return size;
  }
};

struct Header {
  Format format = Format::ascii;
  std::vector<Element> elements;
  size_t data_offset = 0;
  size_t data_line = 0;

  const Element* find(std::string_view name) const {
    for (const Element& e : elements)
      if (e.name == name) return &e;
    return nullptr;
  }
};

class HeaderReader {
 public:
  HeaderReader(std::string_view bytes, FaultList& faults) : bytes_(bytes), text_(bytes), faults_(faults) {}

  Header read() {
    if (text_.word() != "ply") {
      faults_.add_line(1, "not a PLY file: the first line must be 'ply'");
      return {};
    }
    text_.next_line();
    bool ended = false;
    while (!ended && !text_.at_end() && !faults_.full()) {
      line_ = text_.line();
      const std::string_view keyword = text_.word().value_or("");
      if (keyword == "format")
        read_format();
      else if (keyword == "element")
        read_element();
      else if (keyword == "property")
        read_property();
      else if (keyword == "end_header")
        ended = true;
      else if (keyword != "comment" && keyword != "obj_info" && !keyword.empty())
        fault(quoted(keyword) +
              " is not a header keyword (format, element, property, comment, obj_info, end_header)");
      end_line(ended);
    }
    if (!ended && !faults_.full()) fault("the header has no 'end_header'");
    if (!faults_.any()) check();
    header_.data_line = text_.line();
    return std::move(header_);
  }

 private:
  // A lone CR ends the header of binary data only in files that end every line so. Then the byte after it is
  // data.
  void end_line(bool last) {
    text_.next_line();
    header_.data_offset = text_.offset();
    const size_t first_end = bytes_.find_first_of("\r\n");
    const bool lone_cr = bytes_[first_end] == '\r' && bytes_[first_end + 1] != '\n';
    const size_t at = header_.data_offset;
    if (last && lone_cr && at >= 2 && bytes_[at - 2] == '\r' && bytes_[at - 1] == '\n') --header_.data_offset;
  }

  void read_format() {
    const std::string_view name = text_.word().value_or("");
    if (name == "ascii")
      header_.format = Format::ascii;
    else if (name == "binary_little_endian")
      header_.format = Format::little;
    else if (name == "binary_big_endian")
      header_.format = Format::big;
    else
      return fault("format " + quoted(name) + " is not ascii, binary_little_endian or binary_big_endian");
    const std::string_view version = text_.word().value_or("");
    if (version != "1.0") return fault("format version " + quoted(version) + " is not 1.0");
    has_format_ = true;
  }

  void read_element() {
    const std::string_view name = text_.word().value_or("");
    const std::string_view word = text_.word().value_or("");
    const auto count = detail::parse_integer(word);
    if (!count || *count < 0) fault("element " + quoted(name) + ": " + quoted(word) + " is not a count");
    if (header_.find(name)) fault("element " + quoted(name) + " is declared twice");
    header_.elements.push_back(
        {std::string(name), static_cast<uint64_t>(std::max(0LL, count.value_or(0))), line_, {}});
  }

  void read_property() {
    if (header_.elements.empty()) return fault("a property comes before the first element");
    Property property;
    std::string_view word = text_.word().value_or("");
    if (word == "list") {
      word = text_.word().value_or("");
      property.count_type = find_type(word);
      if (!property.count_type || !is_integer(*property.count_type))
        return fault(quoted(word) + " is not an integer type that can count a list");
      word = text_.word().value_or("");
    }
    const auto type = find_type(word);
    if (!type)
      return fault(quoted(word) +
                   " is not a property type (char, uchar, short, ushort, int, uint, float, double)");
    property.type = *type;
    property.name = text_.word().value_or("");
    if (property.name.empty()) return fault("the property has no name");
    header_.elements.back().properties.push_back(std::move(property));
  }

  // Checks that the header declares what a mesh needs. Sets the roles.
  void check() {
    if (!has_format_) return faults_.add_line(2, "the header has no 'format' line");
    assign("vertex", {"x"}, Role::x);
    assign("vertex", {"y"}, Role::y);
    assign("vertex", {"z"}, Role::z);
    assign("face", {"vertex_indices", "vertex_index"}, Role::corners);
    const Element* vertices = header_.find("vertex");
    if (vertices && vertices->count > detail::kMaxVertices)
      faults_.add_line(vertices->line, "too many vertices: a mesh has fewer than 4294967295");
  }

  void assign(std::string_view element, std::initializer_list<std::string_view> names, Role role) {
    for (Element& e : header_.elements) {
      if (e.name != element) continue;
      for (Property& p : e.properties) {
        for (const std::string_view name : names) {
          if (p.name != name) continue;
          const bool wants_list = role == Role::corners;
          if (p.count_type.has_value() != wants_list || (wants_list && !is_integer(p.type)))
            return faults_.add_line(e.line,
                                    "property " + quoted(name) + " of element " + quoted(element) +
                                        (wants_list ? " must be a list of integers" : " must not be a list"));
          p.role = role;
          return;
        }
      }
      return faults_.add_line(e.line,
                              "element " + quoted(element) + " has no property " + quoted(*names.begin()));
    }
    if (!missing_reported_) faults_.add_line(1, "the header declares no element " + quoted(element));
    missing_reported_ = true;
  }

  void fault(std::string message) { faults_.add_line(line_, std::move(message)); }

  std::string_view bytes_;
  detail::TextCursor text_;
  FaultList& faults_;
  Header header_;
  size_t line_ = 1;
  bool has_format_ = false;
  bool missing_reported_ = false;
};

// Reads numbers one after another, from text or from bytes. Keeps the position for messages.
class ValueSource {
 public:
  ValueSource(std::string_view bytes, const Header& header, FaultList& faults)
      : ascii_(header.format == Format::ascii),
        order_(header.format == Format::big ? std::endian::big : std::endian::little),
        bytes_(bytes),
        at_(header.data_offset),
        text_(bytes.substr(header.data_offset), header.data_line),
        faults_(faults) {}

  // The largest number of elements of this kind that the rest of the input can hold.
  uint64_t room_for(const Element& element) const {
    if (ascii_) return (text_.bytes_left() + 1) / std::max<size_t>(1, 2 * element.properties.size());
    return (bytes_.size() - at_) / std::max<size_t>(1, element.min_size());
  }

  // The line of the next value; 0 in a binary file.
  size_t line() const { return ascii_ ? text_.line() : 0; }

  bool begin_element() {
    value_offset_ = at_;
    if (!ascii_) return true;
    const std::string_view blank = " \t\v\f";
    while (!text_.at_end()) {  // skip blank lines
      detail::TextCursor line = text_;
      if (line.rest_of_line().find_first_not_of(blank) != std::string_view::npos) return true;
      text_ = line;
    }
    return fault("the file ends before the last element");
  }
  bool end_element() {
    if (!ascii_) return true;
    if (const auto word = text_.word()) return fault(quoted(*word) + " is one value too many on this line");
    text_.next_line();
    return true;
  }
  // After a fault, text continues with the next line. Binary data cannot be read any further.
  bool recover() {
    if (ascii_) text_.next_line();
    return ascii_;
  }

  // Skips a value. False if there is none.
  bool skip(Type type) {
    if (ascii_) return text_.word() ? true : fault("the line ends too early");
    return take(size_of(type));
  }
  bool skip(Type type, uint64_t count) {
    if (!ascii_) return take(count * size_of(type));  // count < 2^32: no overflow
    for (uint64_t i = 0; i < count; ++i)
      if (!skip(type)) return false;
    return true;
  }
  std::optional<double> number(Type type) {
    if (!ascii_) {
      if (!take(size_of(type))) return std::nullopt;
      const double value = load_number(bytes_, value_offset_, type, order_);
      if (std::isfinite(value)) return value;
      fault("a coordinate is not a finite number");
      return std::nullopt;
    }
    const auto word = text_.word();
    std::string why = "is missing";
    const auto value = word ? detail::parse_number(*word, why) : std::nullopt;
    if (!value) fault("coordinate " + why);
    return value;
  }
  std::optional<long long> integer(Type type, const char* what) {
    if (!ascii_) {
      if (!take(size_of(type))) return std::nullopt;
      return static_cast<long long>(load_number(bytes_, value_offset_, type, order_));
    }
    const auto word = text_.word();
    const auto value = word ? detail::parse_integer(*word) : std::nullopt;
    if (!value)
      fault(std::string(what) + (word ? " " + quoted(*word) + " is not an integer" : " is missing"));
    return value;
  }
  // The number of values in a list. Fails if the input cannot hold them.
  std::optional<uint64_t> list_count(const Property& property) {
    const auto count = integer(*property.count_type, "the length of a list");
    if (!count) return std::nullopt;
    const size_t room = ascii_ ? text_.bytes_left() : (bytes_.size() - at_) / size_of(property.type);
    if (*count >= 0 && static_cast<uint64_t>(*count) <= room) return static_cast<uint64_t>(*count);
    fault("a list of " + std::to_string(*count) + " values cannot be in what is left of the file");
    return std::nullopt;
  }
  bool fault(std::string message) {
    if (ascii_)
      faults_.add_line(text_.line(), std::move(message));
    else
      faults_.add_byte(value_offset_, std::move(message));
    return false;
  }

 private:
  bool take(uint64_t size) {
    value_offset_ = at_;
    if (bytes_.size() - at_ < size) return fault("the file ends before the last element");
    at_ += size;
    return true;
  }

  bool ascii_;
  std::endian order_;
  std::string_view bytes_;
  size_t at_;                // binary: offset of the next byte
  size_t value_offset_ = 0;  // binary: offset of the last value
  detail::TextCursor text_;
  FaultList& faults_;
};

class BodyReader {
 public:
  BodyReader(std::string_view bytes, const Header& header, FaultList& faults)
      : header_(header), source_(bytes, header, faults), faults_(faults) {}

  TriangleMesh read() {
    for (const Element& element : header_.elements) {
      if (element.properties.empty()) continue;
      if (element.count > source_.room_for(element)) {
        faults_.add_line(element.line, "the header announces " + std::to_string(element.count) +
                                           " elements " + quoted(element.name) +
                                           ", more than the rest of the file can hold");
        return {};
      }
      if (element.name == "vertex") mesh_.vertices.reserve(element.count);
      if (element.name == "face") mesh_.triangles.reserve(element.count);
      for (uint64_t i = 0; i < element.count; ++i) {
        if (faults_.full()) return {};
        if (!source_.begin_element()) return {};
        if (!(read_element(element) && source_.end_element()) && !source_.recover()) return {};
      }
    }
    if (!faults_.any()) polygons_.split_concave(mesh_);
    return std::move(mesh_);
  }

  /// Numbers and lines of the elements that were read.
  MeshSource take_source(const TriangleMesh& mesh) {
    lines_.face_name = "face";
    lines_.face_numbers = polygons_.polygon_of_triangle(mesh);
    return std::move(lines_);
  }

 private:
  bool read_element(const Element& element) {
    const size_t line = source_.line();
    math::Vec3 point = math::Vec3::Zero();
    for (const Property& property : element.properties) {
      if (property.role == Role::corners) {
        if (!read_corners(property)) return false;
      } else if (property.count_type) {
        const auto count = source_.list_count(property);
        if (!count || !source_.skip(property.type, *count)) return false;
      } else if (property.role != Role::none) {
        const auto value = source_.number(property.type);
        if (!value) return false;
        point[static_cast<int>(property.role) - static_cast<int>(Role::x)] = *value;
      } else if (!source_.skip(property.type)) {
        return false;
      }
    }
    if (element.name == "vertex") mesh_.vertices.push_back(point);
    if (element.name == "face") polygons_.add(corners_, mesh_);
    if (line == 0) return true;
    if (element.name == "vertex") lines_.vertex_lines.push_back(detail::line_number(line));
    if (element.name == "face") lines_.face_lines.push_back(detail::line_number(line));
    return true;
  }

  bool read_corners(const Property& property) {
    const uint64_t vertices = header_.find("vertex")->count;
    const auto count = source_.list_count(property);
    if (!count) return false;
    if (*count < 3)
      return source_.fault("a face needs at least three corners, " + std::to_string(*count) + " given");
    corners_.clear();
    for (uint64_t i = 0; i < *count; ++i) {
      const auto index = source_.integer(property.type, "a face corner");
      if (!index) return false;
      if (*index < 0 || static_cast<uint64_t>(*index) >= vertices)
        return source_.fault("face corner " + std::to_string(*index) + " names no vertex (the file has " +
                             std::to_string(vertices) + ", counted from 0)");
      corners_.push_back(static_cast<uint32_t>(*index));
    }
    return true;
  }

  const Header& header_;
  MeshSource lines_;
  ValueSource source_;
  FaultList& faults_;
  TriangleMesh mesh_;
  detail::PolygonList polygons_;
  std::vector<uint32_t> corners_;
};

}  // namespace

core::Expected<TriangleMesh> read_ply(std::string_view bytes, const std::string& name) {
  FaultList faults(name);
  const Header header = HeaderReader(bytes, faults).read();
  if (faults.any()) return std::move(faults).finish({}, {});
  BodyReader body(bytes, header, faults);
  TriangleMesh mesh = body.read();
  MeshSource source = body.take_source(mesh);
  return std::move(faults).finish(std::move(mesh), std::move(source));
}

}  // namespace tumble::geometry
