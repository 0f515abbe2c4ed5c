// The native format, .tumble (docs/recording.md):
// file = magic (8 bytes), version (u32), zero (u32), INFO chunk, FILE, SETT and INPT chunks, then chunks as
// the run
//           goes
//   chunk = type (4 bytes), length (u64), payload, checksum (u64) of type, length and payload
// Little-endian. A chunk is written whole when its content is known, so the bytes do not depend on flushes.
// The file of a killed run is valid up to its last whole chunk.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tumble/record/frame_writer.h"
#include "tumble/record/input_file.h"

namespace tumble::record::detail {

// The first byte is not text. The line ends reveal a transfer that converted them.
inline constexpr std::string_view kTumbleMagic = "\x89TMB\r\n\x1a\n";
// 2 has SETT or INPT: who does not know them would take another run for it.
inline constexpr uint32_t kTumbleVersion = 1, kTumbleVersionWithInputs = 2;
inline constexpr uint64_t kTumbleHeadSize = 16;            // bytes
inline constexpr uint64_t kChunkHeadSize = 12;             // bytes
inline constexpr uint64_t kChunkOverhead = 12 + 8;         // bytes: head and checksum
inline constexpr uint64_t kLogRowSize = uint64_t{16} * 8;  // bytes, before the work of each force

inline constexpr std::string_view kInfoChunk = "INFO", kFileChunk = "FILE", kSettingChunk = "SETT",
                                  kInputsChunk = "INPT", kFrameChunk = "FRAM", kLogChunk = "LOGR",
                                  kWarningChunk = "WARN", kSummaryChunk = "DONE";

/// Appends one whole chunk.
void append_chunk(std::string& bytes, std::string_view type, std::string_view payload);

/// The payload of an INFO chunk. `first` is the number of the first frame, log row and warning of the file:
/// zero unless a resumed run began a new file.
struct TumbleInfo {
  RecordingInfo info;
  Progress first;
  std::vector<std::string> bodies, forces;  // names
};
std::string to_json(const TumbleInfo& info);
/// Nothing if a field is missing or has a wrong type.
std::optional<TumbleInfo> parse_tumble_info(const std::string& json);

struct Chunk {
  std::string type;
  uint64_t at = 0;      // byte where it begins
  uint64_t length = 0;  // of the payload
  uint64_t end() const { return at + length + kChunkOverhead; }
};

/// Reads chunks of a file.
class ChunkReader {
 public:
  explicit ChunkReader(const InputFile& file) : file_(file) {}
  /// The chunk that begins at a byte. Nothing at the end of the file or if the chunk is cut off.
  std::optional<Chunk> chunk_at(uint64_t byte) const;
  /// Its payload. Verifies the checksum.
  core::Expected<std::string> payload(const Chunk& chunk) const;

 private:
  const InputFile& file_;
};

/// Checks the magic and the version at the start of a .tumble file.
Failure check_tumble_head(const InputFile& file);

core::Expected<std::unique_ptr<FrameWriter>> open_tumble_writer(const std::string& path,
                                                                const model::Model& model,
                                                                const RecordingInfo& info,
                                                                const Progress& keep);

}  // namespace tumble::record::detail
