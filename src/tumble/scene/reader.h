// The files of a scene, read and checked against the table, as one list of elements.
#pragma once

#include <map>
#include <set>

#include "tumble/scene/check.h"
#include "tumble/scene/scene.h"

namespace tumble::scene::detail {

/// A file by both its names: what it is looked up by, and what messages call it.
struct FilePath {
  std::string key;    // relative to the folder of the main scene file
  std::string shown;  // as the user sees it
};

/// Paths of files named inside other files, and their bytes.
class Files {
 public:
  Files(const std::string& main_path, const FileSource& source);

  const FilePath& main() const { return main_; }
  /// The file that `file`, written in `named_in`, means.
  FilePath resolve(const std::string& named_in_key, const std::string& file) const;
  /// The bytes, or why there are none. Each file is read once.
  core::Expected<std::string> read(const FilePath& path);
  /// Everything read so far, the main file first.
  std::vector<SceneFile> take() { return std::move(files_); }
  /// Where a file stands among those asked for, by its shown name; for sorting messages.
  size_t rank(const std::string& shown) const;

 private:
  const FileSource& source_;
  std::string folder_;  // of the main file as typed, with its /
  FilePath main_;
  std::vector<SceneFile> files_;
  std::map<std::string, size_t> index_by_key_;   // into files_
  std::map<std::string, size_t> rank_by_shown_;  // order of asking
};

/// The files as trees. Each is parsed once, when it is first asked for; what is wrong with it is then
/// reported.
class Documents {
 public:
  Documents(Files& files, core::Diagnostics& diagnostics) : files_(files), diagnostics_(diagnostics) {}

  /// The tree, to be changed before it is taken; null if there are no bytes.
  XmlDocument* find(const FilePath& path);
  /// The tree for good, or why there are no bytes.
  core::Expected<XmlDocument> take(const FilePath& path);

 private:
  Files& files_;
  core::Diagnostics& diagnostics_;
  std::map<std::string, XmlDocument> found_;  // by key
};

/// An element together with the file it stands in, which paths in it are relative to.
struct TopElement {
  Element element;
  std::string file_key;
};

struct Reading {
  std::vector<TopElement> elements;  // all but <include>, in the order of the files
  std::string name;                  // of the scene
  bool complete = true;              // false: a file was missing or broke off, so names may be missing
  std::set<std::string> lost_names;  // of elements that are unknown and so were left out
};

/// Reads the main file and what it includes.
Reading read_elements(Files& files, Documents& documents, core::Diagnostics& diagnostics);

}  // namespace tumble::scene::detail
