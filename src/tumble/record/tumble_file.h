// The native format, .tumble (docs/recording.md):
//   file = magic (8 bytes), version (u32), zero (u32), INFO chunk, FILE, SETT and INPT chunks (the head),
//          chunks as the run goes, an INDX and a TAIL chunk
//   chunk = type (4 bytes), length (u64), payload, checksum (u64) of type, length and payload
// Little-endian. A chunk is written whole when its content is known, so the bytes do not depend on flushes.
// The file of a killed run is valid up to its last whole chunk.
//
// The index lists the chunks after the head in blocks: when kIndexBlock chunks have no block yet, the next
// chunk comes after an INDX chunk with their types and offsets and the offset of the INDX chunk before it. So
// the writer needs little memory, and the place of each block follows from the chunks alone. TAIL, of fixed
// size at the end of the file, leads to the last block. A file without it is read chunk by chunk.
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
// 1 has no SETT and INPT, 2 no contacts, reactions and index. The reader takes all three.
inline constexpr uint32_t kTumbleVersion = 3, kOldestTumbleVersion = 1, kVersionWithIndex = 3;
inline constexpr uint64_t kTumbleHeadSize = 16;            // bytes
inline constexpr uint64_t kChunkHeadSize = 12;             // bytes
inline constexpr uint64_t kChunkOverhead = 12 + 8;         // bytes: head and checksum
inline constexpr uint64_t kLogRowSize = uint64_t{16} * 8;  // bytes, before the work of each force
inline constexpr uint64_t kContactHeadSize = 24, kContactSize = 112, kPatchSize = 56;  // bytes, of CONT
inline constexpr uint64_t kTailSize = 8;                                               // bytes, payload
inline constexpr uint64_t kIndexEntrySize = 12;                                        // bytes
/// Chunks in a block of the index: so many that blocks are read at the speed of the disk, so few that they
/// need little memory while a run writes.
inline constexpr size_t kIndexBlock = 4096;

inline constexpr std::string_view kInfoChunk = "INFO", kFileChunk = "FILE", kSettingChunk = "SETT",
                                  kInputsChunk = "INPT", kFrameChunk = "FRAM", kLogChunk = "LOGR",
                                  kWarningChunk = "WARN", kSummaryChunk = "DONE", kContactChunk = "CONT",
                                  kReactionChunk = "REAC", kIndexChunk = "INDX", kTailChunk = "TAIL";

inline bool is_head_chunk(std::string_view type) {
  return type == kFileChunk || type == kSettingChunk || type == kInputsChunk;
}

/// Appends one whole chunk.
void append_chunk(std::string& bytes, std::string_view type, std::string_view payload);

/// The payload of an INFO chunk. `first` is the number of the first frame, log row and warning of the file:
/// zero unless a resumed run began a new file.
struct TumbleInfo {
  RecordingInfo info;
  Progress first;
  std::vector<std::string> bodies, forces, joints;  // names
  uint32_t version = kTumbleVersion;                // of the format
};
std::string to_json(const TumbleInfo& info);
/// Nothing if a field is missing or has a wrong type.
std::optional<TumbleInfo> parse_tumble_info(const std::string& json);

/// An entry of the index: type and offset of a chunk.
struct IndexEntry {
  std::array<char, 4> type = {};
  uint64_t at = 0;
  bool is(std::string_view name) const { return std::string_view(type.data(), type.size()) == name; }
};
/// The payload of an INDX chunk. `previous`: offset of the INDX chunk before it; 0: none.
std::string to_index_block(uint64_t previous, const std::vector<IndexEntry>& entries);

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
  /// Reads `read_ahead` bytes at once: for many small chunks in the order of the file.
  ChunkReader(const InputFile& file, uint64_t read_ahead) : file_(file), read_ahead_(read_ahead) {}
  /// The chunk that begins at a byte. Nothing at the end of the file or if the chunk is cut off.
  std::optional<Chunk> chunk_at(uint64_t byte) const;
  /// Its payload. Verifies the checksum.
  core::Expected<std::string> payload(const Chunk& chunk) const;
  /// The payload of the chunk of this type that begins at a byte.
  core::Expected<std::string> payload_at(uint64_t byte, std::string_view type) const;
  /// All entries of the index, in the order of the file. Nothing if the file does not end with a TAIL chunk.
  /// A damaged index is an error.
  core::Expected<std::optional<std::vector<IndexEntry>>> read_index(uint64_t head_end) const;

 private:
  bool read_at(uint64_t offset, uint64_t size, std::string& to) const;
  const InputFile& file_;
  uint64_t read_ahead_ = 0;
  mutable std::string window_;
  mutable uint64_t window_at_ = 0;  // byte of the file where the window begins
};

/// Checks the magic and the version at the start of a .tumble file.
Failure check_tumble_head(const InputFile& file);

core::Expected<std::unique_ptr<FrameWriter>> open_tumble_writer(const std::string& path,
                                                                const model::Model& model,
                                                                const RecordingInfo& info,
                                                                const Progress& keep);

}  // namespace tumble::record::detail
