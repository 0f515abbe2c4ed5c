#include "tumble/scene/reader.h"

#include <algorithm>
#include <filesystem>

#include "tumble/core/files.h"
#include "tumble/scene/limits.h"

namespace tumble::scene {

core::Expected<std::string> DiskFiles::read(const std::string& path) const {
  const std::filesystem::path full = std::filesystem::path(folder_) / path;
  std::error_code error;
  const std::filesystem::file_type type = std::filesystem::status(full, error).type();
  if (type == std::filesystem::file_type::character || type == std::filesystem::file_type::block)
    return core::error_at({full.string()}, "is a device; expected a file");  // its bytes may never end
  return core::read_file(full);
}

core::Expected<std::string> BundleFiles::read(const std::string& path) const {
  for (const SceneFile& file : files_)
    if (file.path == path) return file.bytes;
  return core::error_at({path}, "is not among the stored files of this scene");
}

namespace detail {

namespace {

namespace fs = std::filesystem;

class IncludeReader {
 public:
  IncludeReader(Files& files, Documents& documents, Reading& reading, core::Diagnostics& diagnostics)
      : files_(files), documents_(documents), reading_(reading), diagnostics_(diagnostics) {}

  void read_main() {
    const FilePath& path = files_.main();
    reading_.name = fs::path(path.key).stem().string();
    reading_.file = path.shown;
    const core::Expected<XmlDocument> document = documents_.take(path);
    if (!document) {
      for (core::Diagnostic fault : document.diagnostics()) {
        fault.place = {path.shown};
        diagnostics_.push_back(std::move(fault));
      }
      reading_.complete = false;
      return;
    }
    take(path, *document);
  }

 private:
  void take(const FilePath& path, const XmlDocument& document) {
    chain_.push_back(path.key);
    taken_.insert(path.key);
    if (!document.complete) reading_.complete = false;
    if (document.root) take_root(path, *document.root);
    chain_.pop_back();
  }

  void take_root(const FilePath& path, const XmlElement& root) {
    if (root.name != "scene") {
      reading_.complete = false;
      diagnostics_.push_back(core::error_at(
          root.place, "the file begins with " + tag(root.name) + "; a scene file begins with <scene>"));
      return;
    }
    Element scene = check_element(root, *find_element("scene"), Depth::values, diagnostics_);
    for (const XmlElement& child : root.children)
      if (find_element(child.name) == nullptr)
        for (const XmlAttribute& attribute : child.attributes)
          if (attribute.name == "name") reading_.lost_names.insert(attribute.text);
    const bool is_main = chain_.size() == 1;
    if (const Field* name = scene.find("name"); name != nullptr && is_main) reading_.name = name->text;
    for (Element& child : scene.children) {
      const std::string_view kind = child.rule->name;
      if (kind == "include")
        include(path, child);
      else if (is_main ||
               (kind != "simulation" && kind != "world"))  // of an included scene these are ignored
        reading_.elements.push_back({std::move(child), path.key});
    }
  }

  void include(const FilePath& from, const Element& element) {
    const Field* file = element.find("file");
    if (file == nullptr) {
      reading_.complete = false;
      return;
    }
    const FilePath path = files_.resolve(from.key, file->text);
    const auto fail = [&](const std::string& message) {
      reading_.complete = false;
      diagnostics_.push_back(core::error_at(file->place, message));
    };
    if (std::find(chain_.begin(), chain_.end(), path.key) != chain_.end())
      return fail(quote(file->text) +
                  " includes itself, directly or through other files; remove one <include>");
    if (taken_.contains(path.key)) return;  // several files may include the same file; it is read once
    if (chain_.size() > kMaxIncludeDepth)
      return fail("<include> is nested more than " + std::to_string(kMaxIncludeDepth) +
                  " deep; use fewer levels");
    const core::Expected<XmlDocument> document = documents_.take(path);
    if (!document)
      return fail("the scene file " + quote(path.shown) + " " + document.diagnostics().front().message);
    take(path, *document);
  }

  Files& files_;
  Documents& documents_;
  Reading& reading_;
  core::Diagnostics& diagnostics_;
  std::vector<std::string> chain_;  // keys of the files being read, the main one first
  std::set<std::string> taken_;     // keys of all files read
};

}  // namespace

Files::Files(const std::string& main_path, const FileSource& source) : source_(source) {
  const size_t slash = main_path.find_last_of('/');
  if (slash != std::string::npos) folder_ = main_path.substr(0, slash + 1);
  main_ = {main_path.substr(folder_.size()), main_path};
}

FilePath Files::resolve(const std::string& named_in_key, const std::string& file) const {
  const std::string key = (fs::path(named_in_key).parent_path() / file).lexically_normal().string();
  return {key, key.starts_with('/') ? key : folder_ + key};
}

core::Expected<std::string> Files::read(const FilePath& path) {
  rank_by_shown_.emplace(path.shown, rank_by_shown_.size());
  if (const auto found = index_by_key_.find(path.key); found != index_by_key_.end())
    return files_[found->second].bytes;
  core::Expected<std::string> bytes = source_.read(path.key);
  if (!bytes) return bytes;
  index_by_key_.emplace(path.key, files_.size());
  files_.push_back({path.key, *bytes});
  return bytes;
}

size_t Files::rank(const std::string& shown) const {
  const auto found = rank_by_shown_.find(shown);
  return found == rank_by_shown_.end() ? rank_by_shown_.size() : found->second;
}

XmlDocument* Documents::find(const FilePath& path) {
  if (const auto found = found_.find(path.key); found != found_.end()) return &found->second;
  const core::Expected<std::string> bytes = files_.read(path);
  if (!bytes) return nullptr;
  return &found_.emplace(path.key, parse_xml(*bytes, path.shown, diagnostics_)).first->second;
}

core::Expected<XmlDocument> Documents::take(const FilePath& path) {
  if (const auto found = found_.find(path.key); found != found_.end()) return std::move(found->second);
  const core::Expected<std::string> bytes = files_.read(path);
  if (!bytes) return bytes.diagnostics();
  return parse_xml(*bytes, path.shown, diagnostics_);
}

Reading read_elements(Files& files, Documents& documents, core::Diagnostics& diagnostics) {
  Reading reading;
  IncludeReader(files, documents, reading, diagnostics).read_main();
  return reading;
}

}  // namespace detail
}  // namespace tumble::scene
