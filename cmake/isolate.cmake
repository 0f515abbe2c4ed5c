# Joins object files into one, in which inline functions are local:
#   cmake -DLINKER=ld -DNM=nm -DOBJCOPY=objcopy -DOBJECTS=LIST_FILE -DOUTPUT=tumble.o -P isolate.cmake
# Templates of Eigen and inline functions of our headers are in the library and in the program that uses it,
# often for another instruction set. A linker would keep one copy of each for both. Then the results of the
# library depend on how the program was compiled, and memory that Eigen allocates in one way is freed in
# another.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE error RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    file(REMOVE ${OUTPUT})
    message(FATAL_ERROR "${ARGN}: ${error}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(STRINGS ${OBJECTS} objects)
# Turns section groups into plain sections. Otherwise a linker drops a group that the program has, too, and
# with it our local functions.
run(${LINKER} -r --force-group-allocation -o ${OUTPUT} ${objects})
run(${NM} --defined-only --format=posix ${OUTPUT})
string(REGEX MATCHALL "[^\n]+ [WVu] " weak "${output}")  # symbols of which a linker keeps any one copy
# Type information and virtual tables stay global, because a program may need those of the library.
list(FILTER weak EXCLUDE REGEX "^_ZT[CISTV]")
list(TRANSFORM weak REPLACE " .*" "")
list(JOIN weak "\n" lines)
file(WRITE ${OUTPUT}.local "${lines}\n")
# Weaken first, because unique symbols cannot be made local.
run(${OBJCOPY} --weaken-symbols=${OUTPUT}.local ${OUTPUT})
run(${OBJCOPY} --localize-symbols=${OUTPUT}.local ${OUTPUT})
