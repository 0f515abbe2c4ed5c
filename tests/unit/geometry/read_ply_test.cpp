#include <doctest/doctest.h>

#include <limits>

#include "tumble/geometry/mesh_io.h"
#include "unit/geometry/meshes.h"
#include "unit/geometry/reading.h"

using namespace tumble;
using namespace tumble::test;
using geometry::read_ply;

namespace {

std::string header(const std::string& format, int vertices, const std::string& vertex_properties, int faces,
                   const std::string& face_properties = "property list uchar int vertex_indices\n") {
  return "ply\nformat " + format + " 1.0\ncomment hand made\nelement vertex " + std::to_string(vertices) +
         "\n" + vertex_properties + "element face " + std::to_string(faces) + "\n" + face_properties +
         "end_header\n";
}

const std::string kXyz = "property float x\nproperty float y\nproperty float z\n";
const std::string kThreePoints = "0 0 0\n1 0 0\n0 1 0\n";

}  // namespace

TEST_CASE("ascii PLY is read; polygons become triangles") {
  const auto mesh =
      read_ply(header("ascii", 4, kXyz, 1) + "0 0 0\n1 0 0\n1 1 0\n0 1e0 0.5\n4 0 1 2 3\n", "a.ply");
  REQUIRE(mesh);
  CHECK(mesh->vertices[3] == Vec3(0, 1, 0.5));
  CHECK(mesh->triangles == std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}});
}

TEST_CASE("both byte orders are read, with any types, extra properties and extra elements") {
  for (const auto order : {std::endian::little, std::endian::big}) {
    const std::string name = order == std::endian::little ? "binary_little_endian" : "binary_big_endian";
    std::string bytes =
        "ply\nformat " + name +
        " 1.0\nelement camera 1\nproperty list ushort double m\nproperty char c\n"
        "element face 1\nproperty uchar flags\nproperty list uint16 uint32 vertex_index\n"
        "property list uchar float texcoord\nelement vertex 3\nproperty int8 x\nproperty double y\n"
        "property short s\nproperty uint z\nelement tail 2\nproperty list char short l\nend_header\n";
    bytes += bytes_of<uint16_t>(1, order) + bytes_of(2.5, order) + "c";  // camera
    bytes += std::string("\7") + bytes_of<uint16_t>(3, order);           // face
    for (const uint32_t corner : {2u, 0u, 1u}) bytes += bytes_of(corner, order);
    bytes += std::string("\1") + bytes_of(0.5f, order);
    for (int i = 0; i < 3; ++i)  // vertices
      bytes += bytes_of(static_cast<int8_t>(-i), order) + bytes_of(0.1 * i, order) +
               bytes_of<int16_t>(-1, order) + bytes_of<uint32_t>(4000000000u, order);
    bytes += std::string("\0\1", 2) + bytes_of<int16_t>(5, order);  // tail
    const auto mesh = read_ply(bytes, "a.ply");
    INFO(faults_of(mesh));
    REQUIRE(mesh);
    CHECK(mesh->vertices[2] == Vec3(-2, 0.2, 4e9));
    CHECK(mesh->triangles == std::vector<Triangle>{{2, 0, 1}});
  }
}

TEST_CASE("header lines end with LF, CR LF or CR, and a data byte equal to a line end is data") {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    std::string text = header("binary_little_endian", 3, kXyz, 1), bytes;
    for (const char c : text) bytes += c == '\n' ? end : std::string(1, c);
    const float first = std::bit_cast<float>(0x3f80000au);  // its first byte is a line feed
    bytes += bytes_of(first);
    for (int i = 1; i < 9; ++i) bytes += bytes_of(static_cast<float>(i));
    bytes += "\3" + bytes_of(0) + bytes_of(1) + bytes_of(2);
    const auto mesh = read_ply(bytes, "a.ply");
    INFO(faults_of(mesh));
    REQUIRE(mesh);
    CHECK(mesh->vertices[0].x() == first);
  }
}

TEST_CASE("faults of ascii data have their line, and reading continues with the next line") {
  CHECK(faults_of(read_ply(header("ascii", 5, kXyz, 6) + "0 0 0\n1 0\n0 nan 0\n0 1 0 7\n\n0 one 0\n" +
                               "3 0 1\n2 0 1\n3 0 1 5\n3 0 -1 2\nmany 0 1 2\n3 0 1 2.5\n",
                           "a.ply")) ==
        "a.ply:12: coordinate is missing\n"
        "a.ply:13: coordinate 'nan' is not a finite number\n"
        "a.ply:14: '7' is one value too many on this line\n"
        "a.ply:16: coordinate 'one' is not a number\n"
        "a.ply:17: a face corner is missing\n"
        "a.ply:18: a face needs at least three corners, 2 given\n"
        "a.ply:19: face corner 5 names no vertex (the file has 5, counted from 0)\n"
        "a.ply:20: face corner -1 names no vertex (the file has 5, counted from 0)\n"
        "a.ply:21: the length of a list 'many' is not an integer\n"
        "a.ply:22: a face corner '2.5' is not an integer\n");
}

TEST_CASE("faults of binary data have their byte offset") {
  const std::string head = header("binary_little_endian", 3, kXyz, 1);
  std::string points;
  for (int i = 0; i < 9; ++i) points += bytes_of(static_cast<float>(i));
  const auto at = [&](size_t offset) { return "a.ply: byte " + std::to_string(head.size() + offset) + ": "; };
  const std::string face = "\3" + bytes_of(0) + bytes_of(1) + bytes_of(7);
  CHECK(faults_of(read_ply(head + points + face, "a.ply")) ==
        at(45) + "face corner 7 names no vertex (the file has 3, counted from 0)\n");
  CHECK(faults_of(read_ply(head + points + face.substr(0, 6), "a.ply")) ==
        at(36) + "a list of 3 values cannot be in what is left of the file\n");
  points.replace(4, 4, bytes_of(std::numeric_limits<float>::quiet_NaN()));
  CHECK(faults_of(read_ply(head + points + face, "a.ply")) ==
        at(4) + "a coordinate is not a finite number\n");
}

TEST_CASE("counts that the file cannot hold are rejected before memory is allocated") {
  CHECK(faults_of(read_ply("ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\n" + kXyz +
                               "element face 1\nproperty list uchar int vertex_indices\nend_header\n1234",
                           "a.ply")) ==
        "a.ply:3: the header announces 4000000000 elements 'vertex', more than the rest of the file can "
        "hold\n");
  const std::string lists =
      header("binary_little_endian", 0, kXyz, 1, "property list uint int vertex_indices\n");
  CHECK(faults_of(read_ply(lists + bytes_of(0xffffffffu) + bytes_of(0), "a.ply")) ==
        "a.ply: byte " + std::to_string(lists.size()) +
            ": a list of 4294967295 values cannot be in what is left of the file\n");
  const auto empty_elements =
      read_ply("ply\nformat ascii 1.0\nelement nothing 999999999999999\nelement vertex 0\n" + kXyz +
                   "element face 0\nproperty list uchar int vertex_indices\nend_header\n",
               "a.ply");
  CHECK(static_cast<bool>(empty_elements));
}

TEST_CASE("every faulty line of a header is reported") {
  CHECK(
      faults_of(read_ply("ply\nformat text 1.0\nproperty float x\nelement vertex many\nproperty real x\n"
                         "property list float int y\nproperty int\nelement vertex 3\nwhat\nend_header\n",
                         "a.ply")) ==
      "a.ply:2: format 'text' is not ascii, binary_little_endian or binary_big_endian\n"
      "a.ply:3: a property comes before the first element\n"
      "a.ply:4: element 'vertex': 'many' is not a count\n"
      "a.ply:5: 'real' is not a property type (char, uchar, short, ushort, int, uint, float, double)\n"
      "a.ply:6: 'float' is not an integer type that can count a list\n"
      "a.ply:7: the property has no name\n"
      "a.ply:8: element 'vertex' is declared twice\n"
      "a.ply:9: 'what' is not a header keyword (format, element, property, comment, obj_info, end_header)\n");
  CHECK(faults_of(read_ply("solid\n", "a.ply")) == "a.ply:1: not a PLY file: the first line must be 'ply'\n");
  CHECK(faults_of(read_ply("", "a.ply")) == "a.ply:1: not a PLY file: the first line must be 'ply'\n");
  CHECK(faults_of(read_ply("ply\nformat ascii 1.0\nelement vertex 0\n", "a.ply")) ==
        "a.ply:3: the header has no 'end_header'\n");
  CHECK(faults_of(read_ply("ply\nformat ascii 2.0\nend_header\n", "a.ply")) ==
        "a.ply:2: format version '2.0' is not 1.0\n");
}

TEST_CASE("a header without the elements of a mesh is rejected") {
  const std::string faces = "element face 0\nproperty list uchar int vertex_indices\nend_header\n";
  CHECK(faults_of(
            read_ply("ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\n" + faces,
                     "a.ply")) == "a.ply:3: element 'vertex' has no property 'z'\n");
  CHECK(faults_of(read_ply("ply\nformat ascii 1.0\nelement vertex 0\n" + kXyz + "end_header\n", "a.ply")) ==
        "a.ply:1: the header declares no element 'face'\n");
  CHECK(faults_of(read_ply("ply\nformat ascii 1.0\n" + faces, "a.ply")) ==
        "a.ply:1: the header declares no element 'vertex'\n");
  CHECK(faults_of(read_ply(header("ascii", 0, kXyz, 0, "property int vertex_indices\n"), "a.ply")) ==
        "a.ply:8: property 'vertex_indices' of element 'face' must be a list of integers\n");
}

TEST_CASE("an ascii file that ends too early is reported") {
  CHECK(faults_of(read_ply(header("ascii", 3, kXyz, 2) + kThreePoints + "3 0 1 2            \n", "a.ply")) ==
        "a.ply:15: the file ends before the last element\n");
}
