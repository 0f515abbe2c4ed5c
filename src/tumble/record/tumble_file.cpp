#include "tumble/record/tumble_file.h"

#include <nlohmann/json.hpp>

#include "tumble/record/bytes.h"

namespace tumble::record::detail {

using Json = nlohmann::ordered_json;

void append_chunk(std::string& bytes, std::string_view type, std::string_view payload) {
  const size_t begin = bytes.size();
  bytes += type;
  append_value(bytes, static_cast<uint64_t>(payload.size()));
  bytes += payload;
  append_value(bytes, checksum(std::string_view(bytes).substr(begin)));
}

std::string to_json(const TumbleInfo& t) {
  const Json json = {
      {"version", t.info.version},
      {"scene", t.info.scene_name},
      {"fps", t.info.fps},
      {"method", t.info.method},
      {"integrator", t.info.integrator},
      {"accuracy", t.info.accuracy},
      {"first", {{"frame", t.first.frames}, {"log_row", t.first.log_rows}, {"warning", t.first.warnings}}},
      {"bodies", t.bodies},
      {"forces", t.forces}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<TumbleInfo> parse_tumble_info(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  TumbleInfo t;
  bool good = json.is_object();
  const auto member = [&](const Json& object, const char* name) -> const Json& {
    static const Json nothing;
    const auto found = object.is_object() ? object.find(name) : object.end();
    return object.is_object() && found != object.end() ? *found : nothing;
  };
  const auto text_of = [&](const Json& value) {
    good = good && value.is_string();
    return good ? value.get<std::string>() : std::string();
  };
  const auto number_of = [&](const Json& value) {
    good = good && value.is_number();
    return good ? value.get<double>() : 0.0;
  };
  const auto count_of = [&](const Json& value) {
    good = good && value.is_number_unsigned();
    return good ? value.get<size_t>() : size_t{0};
  };
  const auto names_of = [&](const Json& value) {
    std::vector<std::string> names;
    good = good && value.is_array();
    if (good)
      for (const Json& name : value) names.push_back(text_of(name));
    return names;
  };
  t.info.version = text_of(member(json, "version"));
  t.info.scene_name = text_of(member(json, "scene"));
  t.info.fps = number_of(member(json, "fps"));
  t.info.method = text_of(member(json, "method"));
  t.info.integrator = text_of(member(json, "integrator"));
  t.info.accuracy = number_of(member(json, "accuracy"));
  const Json& first = member(json, "first");
  t.first = {count_of(member(first, "frame")), count_of(member(first, "log_row")),
             count_of(member(first, "warning"))};
  t.bodies = names_of(member(json, "bodies"));
  t.forces = names_of(member(json, "forces"));
  if (!good || !(t.info.fps > 0)) return std::nullopt;
  return t;
}

std::optional<Chunk> ChunkReader::chunk_at(uint64_t byte) const {
  char head[kChunkHeadSize];
  if (!file_.read_at(byte, head, kChunkHeadSize)) return std::nullopt;
  Chunk chunk{std::string(head, 4), byte};
  std::memcpy(&chunk.length, head + 4, sizeof chunk.length);
  const uint64_t left = file_.size() - byte;
  if (left < kChunkOverhead || chunk.length > left - kChunkOverhead) return std::nullopt;
  return chunk;
}

core::Expected<std::string> ChunkReader::payload(const Chunk& chunk) const {
  std::string bytes;
  if (!file_.read_at(chunk.at, chunk.length + kChunkOverhead, bytes))
    return file_.fault_at(chunk.at, "cannot be read");
  uint64_t expected = 0;
  const size_t sum_at = bytes.size() - sizeof expected;
  std::memcpy(&expected, bytes.data() + sum_at, sizeof expected);
  if (checksum(std::string_view(bytes).substr(0, sum_at)) != expected)
    return file_.fault_at(chunk.at, "the chunk that begins here is damaged: its checksum is wrong");
  return bytes.substr(kChunkHeadSize, chunk.length);
}

Failure check_tumble_head(const InputFile& file) {
  char magic[kTumbleMagic.size()];
  uint32_t version = 0;
  if (!file.read_at(0, magic, sizeof magic) || std::string_view(magic, sizeof magic) != kTumbleMagic)
    return file.fault_at(0, "is not a recording of tumble");
  if (!file.read_at(kTumbleMagic.size(), &version, sizeof version) || version < kTumbleVersion ||
      version > kTumbleVersionWithInputs)
    return file.fault_at(kTumbleMagic.size(), "is a recording of version " + std::to_string(version) +
                                                  "; this program reads versions " +
                                                  std::to_string(kTumbleVersion) + " and " +
                                                  std::to_string(kTumbleVersionWithInputs));
  return {};
}

}  // namespace tumble::record::detail
