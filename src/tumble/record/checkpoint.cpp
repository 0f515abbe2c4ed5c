// Layout, little-endian:  magic (8 bytes), checksum of the rest (8), then the fields in order. Texts and
// arrays begin with their length (8 bytes).
#include "tumble/record/checkpoint.h"

#include <cstring>

#include "tumble/core/files.h"
#include "tumble/record/bytes.h"
#include "tumble/record/whole_file.h"

namespace tumble::record {

namespace {

constexpr std::string_view kMagic = "tumblck6";  // the last character is the version of the layout
constexpr size_t kFieldsAt = 16;                 // bytes: magic and checksum come before

// One list of the fields serves both directions.
template <typename Archive, typename C>
void archive_fields(Archive& archive, C& c) {
  archive.text(c.version);
  archive.number(c.scene_hash);
  archive.text(c.options_json);
  archive.number(c.time);
  archive.count(c.progress.frames);
  archive.count(c.progress.log_rows);
  archive.count(c.progress.warnings);
  archive.count(c.log_offset);
  archive.count(c.contacts_offset);
  archive.text(c.simulation);
}

struct Packer {
  std::string bytes;

  template <typename T>
  void number(const T& value) {
    detail::append_value(bytes, value);
  }
  void count(size_t value) { number(static_cast<uint64_t>(value)); }
  void text(const std::string& value) {
    count(value.size());
    bytes += value;
  }
};

struct Unpacker {
  detail::ByteReader reader;
  bool good = true;

  template <typename T>
  void number(T& value) {
    good = good && reader.read(value);
  }
  void count(size_t& value) {
    uint64_t read = 0;
    number(read);
    value = read;
  }
  void text(std::string& value) {
    size_t length = 0;
    count(length);
    good = good && reader.read_text(length, value);
  }
};

}  // namespace

Failure write_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  Packer packer;
  archive_fields(packer, checkpoint);
  std::string head(kMagic);
  detail::append_value(head, detail::checksum(packer.bytes));

  return write_whole_file(path, head + packer.bytes, Durable::yes);
}

core::Expected<Checkpoint> read_checkpoint(const std::string& path) {
  const auto bytes = core::read_file(path);
  if (!bytes) return bytes.diagnostics();
  const auto fault = [&](size_t byte, const char* message) {
    core::Place place{path};
    place.byte = static_cast<long long>(byte);
    return core::error_at(place, message);
  };
  const std::string_view all = *bytes;
  if (all.substr(0, kMagic.size() - 1) != kMagic.substr(0, kMagic.size() - 1))
    return fault(0, "is not a checkpoint of tumble");
  if (all.substr(0, kMagic.size()) != kMagic)
    return fault(kMagic.size() - 1, "is a checkpoint of another version of tumble");
  if (all.size() < kFieldsAt) return fault(all.size(), "the checkpoint is cut off here");
  uint64_t expected = 0;
  std::memcpy(&expected, all.data() + kMagic.size(), sizeof expected);
  const std::string_view fields = all.substr(kFieldsAt);
  if (detail::checksum(fields) != expected)
    return fault(kMagic.size(), "the checkpoint is cut off or damaged: its checksum is wrong");

  Checkpoint checkpoint;
  Unpacker unpacker{detail::ByteReader(fields)};
  archive_fields(unpacker, checkpoint);
  if (!unpacker.good || unpacker.reader.left() != 0)
    return fault(kFieldsAt + unpacker.reader.position(), "the checkpoint has missing or extra fields");
  return checkpoint;
}

}  // namespace tumble::record
