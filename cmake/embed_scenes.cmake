# Writes OUTPUT, a C++ file with the content of every file of FOLDER:
#   cmake -DFOLDER=... -DOUTPUT=... -P embed_scenes.cmake
file(GLOB files ${FOLDER}/*.xml ${FOLDER}/*.obj ${FOLDER}/*.stl ${FOLDER}/*.ply ${FOLDER}/*.txt)
list(SORT files)
set(arrays "")
set(table "")
set(index 0)
foreach(path ${files})
  get_filename_component(name ${path} NAME)
  file(READ ${path} hex HEX)
  # A string compiles much faster than an array of numbers.
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${hex}")
  string(APPEND arrays "constexpr char kFile${index}[] = \"${bytes}\";\n")
  string(APPEND table "    {\"${name}\", {kFile${index}, sizeof kFile${index} - 1}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Written by embed_scenes.cmake.\n#include \"examples.h\"\n\n"
  "namespace tumble::app {\n\nnamespace {\n"
  "${arrays}}  // namespace\n\nstd::span<const EmbeddedFile> embedded_scenes() {\n"
  "  static const EmbeddedFile files[] = {\n${table}  };\n  return files;\n}\n\n"
  "}  // namespace tumble::app\n")
