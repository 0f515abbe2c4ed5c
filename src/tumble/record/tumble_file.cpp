#include "tumble/record/tumble_file.h"

#include <algorithm>
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
      {"format", t.version},
      {"version", t.info.version},
      {"scene", t.info.scene_name},
      {"fps", t.info.fps},
      {"method", t.info.method},
      {"integrator", t.info.integrator},
      {"accuracy", t.info.accuracy},
      {"step", t.info.fixed_step},
      {"first", {{"frame", t.first.frames}, {"log_row", t.first.log_rows}, {"warning", t.first.warnings}}},
      {"bodies", t.bodies},
      {"forces", t.forces},
      {"joints", t.joints},
      {"contacts", t.info.contacts},
      {"reactions", t.info.reactions},
      {"log_bodies", t.info.log_bodies}};
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
  // Recordings before version 3 do not have these.
  const auto optional_names = [&](const char* name) {
    return member(json, name).is_null() ? std::vector<std::string>{} : names_of(member(json, name));
  };
  const auto flag = [&](const char* name) {
    const Json& value = member(json, name);
    good = good && (value.is_null() || value.is_boolean());
    return good && value.is_boolean() && value.get<bool>();
  };
  const Json& format = member(json, "format");
  t.version = format.is_number_unsigned() ? format.get<uint32_t>() : 0;
  t.joints = optional_names("joints");
  t.info.log_bodies = optional_names("log_bodies");
  t.info.contacts = flag("contacts");
  t.info.reactions = flag("reactions");
  if (const Json& step = member(json, "step"); !step.is_null()) t.info.fixed_step = number_of(step);
  if (!good || !(t.info.fps > 0)) return std::nullopt;
  return t;
}

std::string to_index_block(uint64_t previous, const std::vector<IndexEntry>& entries) {
  std::string payload;
  payload.reserve(sizeof previous + entries.size() * kIndexEntrySize);
  append_value(payload, previous);
  for (const IndexEntry& entry : entries) {
    payload.append(entry.type.data(), entry.type.size());
    append_value(payload, entry.at);
  }
  return payload;
}

bool ChunkReader::read_at(uint64_t offset, uint64_t size, std::string& to) const {
  if (offset > file_.size() || size > file_.size() - offset) return false;
  if (size > read_ahead_) return file_.read_at(offset, size, to);
  if (offset < window_at_ || offset + size > window_at_ + window_.size()) {
    window_at_ = offset;
    if (!file_.read_at(offset, std::min(read_ahead_, file_.size() - offset), window_)) {
      window_.clear();
      return false;
    }
  }
  to.assign(window_, offset - window_at_, size);
  return true;
}

std::optional<Chunk> ChunkReader::chunk_at(uint64_t byte) const {
  std::string head;
  if (!read_at(byte, kChunkHeadSize, head)) return std::nullopt;
  Chunk chunk{head.substr(0, 4), byte};
  std::memcpy(&chunk.length, head.data() + 4, sizeof chunk.length);
  const uint64_t left = file_.size() - byte;
  if (left < kChunkOverhead || chunk.length > left - kChunkOverhead) return std::nullopt;
  return chunk;
}

core::Expected<std::string> ChunkReader::payload(const Chunk& chunk) const {
  std::string bytes;
  if (!read_at(chunk.at, chunk.length + kChunkOverhead, bytes))
    return file_.fault_at(chunk.at, "cannot be read");
  uint64_t expected = 0;
  const size_t sum_at = bytes.size() - sizeof expected;
  std::memcpy(&expected, bytes.data() + sum_at, sizeof expected);
  if (checksum(std::string_view(bytes).substr(0, sum_at)) != expected)
    return file_.fault_at(chunk.at, "the chunk that begins here is damaged: its checksum is wrong");
  return bytes.substr(kChunkHeadSize, chunk.length);
}

core::Expected<std::string> ChunkReader::payload_at(uint64_t byte, std::string_view type) const {
  const auto chunk = chunk_at(byte);
  if (!chunk) return file_.fault_at(byte, "the recording is cut off or damaged here");
  if (chunk->type != type)
    return file_.fault_at(byte, "expected a chunk of type " + std::string(type) + " here");
  return payload(*chunk);
}

core::Expected<std::optional<std::vector<IndexEntry>>> ChunkReader::read_index(uint64_t head_end) const {
  constexpr uint64_t kTail = kTailSize + kChunkOverhead;
  std::optional<std::vector<IndexEntry>> entries;
  if (file_.size() < head_end + kTail) return entries;
  const uint64_t tail_at = file_.size() - kTail;
  const auto tail = chunk_at(tail_at);
  if (!tail || tail->type != kTailChunk || tail->length != kTailSize) return entries;
  const auto tail_payload = payload(*tail);
  if (!tail_payload) return tail_payload.diagnostics();
  // Blocks lead from the last to the first, entries inside a block from the first to the last. So all are
  // collected backwards. Every offset must be below the one before: a loop is not possible.
  uint64_t block_at = 0, below = tail_at;
  ByteReader(*tail_payload).read(block_at);
  entries.emplace();
  std::vector<IndexEntry> block;
  while (block_at != 0) {
    const auto damaged = [&] { return file_.fault_at(block_at, "the index of the recording is damaged"); };
    if (block_at < head_end || block_at >= below) return file_.fault_at(tail_at, "leads to no index");
    const auto bytes = payload_at(block_at, kIndexChunk);
    if (!bytes) return bytes.diagnostics();
    below = block_at;
    ByteReader fields(*bytes);
    uint64_t previous = 0;
    if (!fields.read(previous) || fields.left() % kIndexEntrySize != 0) return damaged();
    block.clear();
    for (IndexEntry entry; fields.left() > 0; block.push_back(entry)) {
      for (char& c : entry.type) fields.read(c);
      fields.read(entry.at);
    }
    for (auto entry = block.rbegin(); entry != block.rend(); ++entry) {
      if (entry->at >= below || entry->at < head_end) return damaged();
      below = entry->at;
      entries->push_back(*entry);
    }
    block_at = previous;
  }
  std::reverse(entries->begin(), entries->end());
  // The head ends with the first chunk that is not of its types. The index begins there, unless that chunk is
  // damaged.
  if (!entries->empty() && entries->front().at != head_end)
    return file_.fault_at(head_end, "the chunk that begins here is not in the index of the recording");
  return entries;
}

Failure check_tumble_head(const InputFile& file) {
  char magic[kTumbleMagic.size()];
  uint32_t version = 0;
  if (!file.read_at(0, magic, sizeof magic) || std::string_view(magic, sizeof magic) != kTumbleMagic)
    return file.fault_at(0, "is not a recording of tumble");
  const bool known = file.read_at(kTumbleMagic.size(), &version, sizeof version) &&
                     version >= kOldestTumbleVersion && version <= kTumbleVersion;
  if (!known)
    return file.fault_at(kTumbleMagic.size(), "is a recording of version " + std::to_string(version) +
                                                  "; this program reads versions " +
                                                  std::to_string(kOldestTumbleVersion) + " to " +
                                                  std::to_string(kTumbleVersion) +
                                                  (version > kTumbleVersion ? ": a newer one wrote it" : ""));
  return {};
}

}  // namespace tumble::record::detail
