// Reads the files of a scene, and checks them against the table. The result is one list of elements.
#pragma once

#include <map>
#include <set>

#include "tumble/scene/check.h"
#include "tumble/scene/scene.h"

namespace tumble::scene::detail {

/// The two names of a file: for lookup and for messages.
struct FilePath {
  std::string key;    // relative to the folder of the main scene file
  std::string shown;  // in messages
};

/// Resolves paths inside files, and reads files.
class Files {
 public:
  Files(const std::string& main_path, const FileSource& source);

  const FilePath& main() const { return main_; }
  /// The path of `file`, which is relative to the file `named_in_key`.
  FilePath resolve(const std::string& named_in_key, const std::string& file) const;
  /// The bytes, or the reason why the file cannot be read. Each file is read once.
  core::Expected<std::string> read(const FilePath& path);
  /// All files that were read, the main file first.
  std::vector<SceneFile> take() { return std::move(files_); }
  /// The position of a file in the order of read() calls, by its shown name. Messages are sorted by it.
  size_t rank(const std::string& shown) const;

 private:
  const FileSource& source_;
  std::string folder_;  // of the main file as typed, with a / at its end
  FilePath main_;
  std::vector<SceneFile> files_;
  std::map<std::string, size_t> index_by_key_;   // into files_
  std::map<std::string, size_t> rank_by_shown_;  // order of read() calls
};

/// The files as XML trees. Each is parsed once, when it is first used; its faults are reported then.
class Documents {
 public:
  Documents(Files& files, core::Diagnostics& diagnostics) : files_(files), diagnostics_(diagnostics) {}

  /// The tree, which may be changed until take(); null if the file cannot be read.
  XmlDocument* find(const FilePath& path);
  /// Moves the tree out, or returns the reason why the file cannot be read.
  core::Expected<XmlDocument> take(const FilePath& path);

 private:
  Files& files_;
  core::Diagnostics& diagnostics_;
  std::map<std::string, XmlDocument> found_;  // by key
};

/// An element and its file. Paths in the element are relative to that file.
struct TopElement {
  Element element;
  std::string file_key;
};

struct Reading {
  std::vector<TopElement> elements;  // all except <include>, in the order of the files
  std::string name;                  // of the scene
  std::string file;                  // the main file, as messages show it
  bool complete = true;              // false: a file is missing or incomplete, so names may be missing
  std::set<std::string> lost_names;  // names of unknown elements, which were left out
};

/// Reads the main file and the files it includes.
Reading read_elements(Files& files, Documents& documents, core::Diagnostics& diagnostics);

}  // namespace tumble::scene::detail
