// A full disk is reported as a value, and the data written before stay readable.
#include <signal.h>
#include <sys/resource.h>

#include "fixture.h"
#include "tumble/record/recording.h"
#include "tumble/record/whole_file.h"

using namespace record_test;

namespace {

// Limits the size of files. This imitates a small disk and needs no privileges.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("every format reports a full device, at once or at the flush, and again afterwards") {
  if (!std::filesystem::exists("/dev/full")) return;
  const model::Model model = make_model();
  for (const std::string name : {"a.csv", "a.txt", "a.glb", "a.tumble"}) {
    INFO(name);
    const Folder folder;
    std::filesystem::create_symlink("/dev/full", folder / name);
    auto writer = record::open_frame_writer(folder / name, model, make_info(3));
    if (!writer) {
      CHECK(message_of(writer.diagnostics()).find("No space left on device") != std::string::npos);
      continue;
    }
    REQUIRE_FALSE((*writer)->write_frame(0, state_at(model, 0)));
    const record::Failure failure = (*writer)->flush();
    REQUIRE(failure);
    CHECK(core::to_string(*failure) == folder / name + ": cannot be written: No space left on device");
    CHECK((*writer)->write_frame(1, state_at(model, 1)));
    CHECK((*writer)->finish({}));
  }
  const Folder folder;
  std::filesystem::create_symlink("/dev/full", folder / "s.json");
  CHECK(record::write_summary(folder / "s.json", {}));
}

TEST_CASE("frames written before the disk was full are read back") {
  const model::Model model = make_model();
  for (const std::string name : {"a.csv", "a.tumble"}) {
    INFO(name);
    const Folder folder;
    const auto writer = open_writer(folder / name, model, 1000);
    {
      const SizeLimit limit(20'000);
      size_t k = 0;
      record::Failure failure;
      for (; k < 1000 && !failure; ++k) {
        failure = writer->write_frame(k, state_at(model, k));
        if (!failure && k % 5 == 4) failure = writer->flush();
      }
      REQUIRE(failure);
      CHECK(k > 5);
      CHECK(writer->finish({}));
    }
    if (name == "a.csv") {
      const auto frames = record::read_csv(folder / name, model);
      REQUIRE(frames);
      CHECK(frames->size() >= 5);
      CHECK(writer->written_until() == frames->back().time);
      CHECK(bytes_of(folder / name).back() == '\n');
    } else {
      const auto recording = record::Recording::open(folder / name);
      REQUIRE(recording);
      CHECK(recording->frame_count() >= 5);
      CHECK(recording.diagnostics().empty());
      CHECK(writer->written_until() == recording->frame(recording->frame_count() - 1)->time);
    }
  }
}

TEST_CASE("a file knows up to which time it can be read, not what is in its buffer") {
  const model::Model model = make_model();
  for (const std::string name : {"a.csv", "a.txt", "a.glb", "a.gltf", "a.tumble"}) {
    INFO(name);
    const Folder folder;
    const auto writer = open_writer(folder / name, model, 1000);
    const bool is_gltf = name == "a.glb" || name == "a.gltf";  // they begin with the start state
    CHECK(writer->written_until() == (is_gltf ? std::optional(0.0) : std::nullopt));
    for (size_t k = 0; k < 3; ++k) REQUIRE_FALSE(writer->write_frame(k, state_at(model, k)));
    CHECK(writer->written_until() == (is_gltf ? std::optional(0.0) : std::nullopt));
    REQUIRE_FALSE(writer->flush());
    CHECK(writer->written_until() == state_at(model, 2).time);
  }
}

TEST_CASE("a whole file replaces the old one, or leaves it as it was") {
  const Folder folder;
  const std::string path = folder / "a.bin", link = folder / "link.bin";
  REQUIRE_FALSE(record::write_whole_file(path, "old"));
  std::filesystem::create_symlink(path, link);
  {
    const SizeLimit limit(10);
    CHECK(record::write_whole_file(path, std::string(100, 'x')));
  }
  CHECK(bytes_of(path) == "old");
  CHECK_FALSE(std::filesystem::exists(path + ".new"));
  // A link stays a link, and the permissions of the file stay.
  std::filesystem::permissions(path,
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  REQUIRE_FALSE(record::write_whole_file(link, "new"));
  CHECK(std::filesystem::is_symlink(link));
  CHECK(bytes_of(path) == "new");
  CHECK(std::filesystem::status(path).permissions() ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  CHECK(record::write_whole_file(folder / "no/such/file", "x"));
}

TEST_CASE("a path that cannot be opened is reported before the run") {
  const Folder folder;
  const model::Model model = make_model();
  for (const char* extension : {".csv", ".txt", ".glb", ".gltf", ".tumble"}) {
    const std::string path = folder / (std::string("no/such/folder") + extension);
    const auto writer = record::open_frame_writer(path, model, make_info(2));
    REQUIRE_FALSE(writer);
    CHECK(message_of(writer.diagnostics()).find("cannot be opened for writing: No such file") !=
          std::string::npos);
  }
}

TEST_CASE("memory does not grow with the length of a recording") {
  const model::Model model = make_model();
  const Folder folder;
  const auto peak = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;  // kB
  };
  for (const std::string name : {"a.glb", "a.csv", "a.tumble"}) {
    INFO(name);
    // The files have 33 MB to 54 MB. The buffers of a writer have at most 16 MB.
    const size_t frames = name == "a.glb" ? 800'000 : 150'000;
    const auto writer = open_writer(folder / name, model, frames);
    const long before = peak();
    model::State state = state_at(model, 7);
    bool good = true;
    for (size_t k = 0; k < frames; ++k) {
      state.time = static_cast<double>(k) / kFps;
      good &= !writer->write_frame(k, state);
    }
    REQUIRE(good);
    REQUIRE_FALSE(writer->finish({}));
    CHECK(peak() - before < 24'000);
    CHECK(std::filesystem::file_size(folder / name) > 30'000'000);
    std::filesystem::remove(folder / name);
  }
}
