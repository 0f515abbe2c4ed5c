// The reader of .tumble files. Checksums would keep nearly every input out, so the input is a list of chunks,
// which are written with their checksums after a good head:
//   type (1 byte, below), length (2 bytes), payload
// An INDX chunk gets entries that lead to the chunks before it, xor the bytes of its payload.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>

#include "tumble/record/bytes.h"
#include "tumble/record/recording.h"
#include "tumble/record/tumble_file.h"

namespace detail = tumble::record::detail;

namespace {

constexpr std::array<std::string_view, 12> kTypes = {
    detail::kFrameChunk,   detail::kContactChunk, detail::kReactionChunk, detail::kLogChunk,
    detail::kWarningChunk, detail::kSummaryChunk, detail::kIndexChunk,    detail::kTailChunk,
    detail::kFileChunk,    detail::kSettingChunk, detail::kInputsChunk,   "NEW!"};

std::string make_head() {
  detail::TumbleInfo info;
  info.info.fps = 60;
  info.info.contacts = info.info.reactions = true;
  info.info.log_bodies = {"a"};
  info.bodies = {"a", "b"};
  info.forces = {"f"};
  info.joints = {"j"};
  std::string bytes(detail::kTumbleMagic);
  detail::append_value(bytes, detail::kTumbleVersion);
  detail::append_value(bytes, uint32_t{0});
  detail::append_chunk(bytes, detail::kInfoChunk, detail::to_json(info));
  return bytes;
}

std::string make_file(std::string_view input) {
  std::string bytes = make_head();
  std::vector<detail::IndexEntry> entries;
  uint64_t index_at = 0;
  while (input.size() >= 3) {
    const size_t kind = static_cast<unsigned char>(input[0]);
    const size_t length = static_cast<unsigned char>(input[1]) + 256u * static_cast<unsigned char>(input[2]);
    input.remove_prefix(3);
    std::string payload(input.substr(0, length));
    input.remove_prefix(std::min(length, input.size()));
    if (kind == 255) {  // no chunk at all
      bytes += payload;
      continue;
    }
    const std::string_view type = kTypes[kind % kTypes.size()];
    std::string index = detail::to_index_block(index_at, entries), tail;
    detail::append_value(tail, index_at);
    const std::string* good = type == detail::kIndexChunk  ? &index
                              : type == detail::kTailChunk ? &tail
                                                           : nullptr;
    if (good) {
      payload.resize(std::max(payload.size() % 64, good->size()));
      for (size_t i = 0; i < good->size(); ++i) payload[i] = static_cast<char>(payload[i] ^ (*good)[i]);
    }
    if (type == detail::kIndexChunk) {
      index_at = bytes.size();
      entries.clear();
    } else if (!detail::is_head_chunk(type) || !entries.empty() || index_at > 0) {
      detail::IndexEntry& entry = entries.emplace_back();
      std::memcpy(entry.type.data(), type.data(), entry.type.size());
      entry.at = bytes.size();
    }
    detail::append_chunk(bytes, type, payload);
  }
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes = make_file({reinterpret_cast<const char*>(data), size});
  const int file = ::memfd_create("recording", 0);
  if (file < 0) return 0;
  if (::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size())) {
    const auto recording = tumble::record::Recording::open("/proc/self/fd/" + std::to_string(file));
    if (recording) {
      for (size_t i = 0; i < recording->frame_count(); ++i) {
        (void)recording->frame(i);
        const auto contacts = recording->contacts(i);
        if (contacts)
          for (const auto& point : contacts->points)
            if (point.a > 1 || point.b > 1 || point.patch >= contacts->patches.size()) __builtin_trap();
        const auto reactions = recording->reactions(i);
        if (reactions && reactions->size() != 7) __builtin_trap();
      }
      const auto rows = recording->log_rows();
      if (rows && rows->size() != recording->log_row_count()) __builtin_trap();
      (void)recording->find_damage();
    }
  }
  ::close(file);
  return 0;
}
