# Public headers are those that tumble/tumble.h includes, directly or indirectly.
#   tumble_public_headers(RESULT ROOT...)   their names, "tumble/...", relative to one of the roots
cmake_policy(VERSION 3.25)  # install scripts do not set a policy

function(tumble_public_headers result)
  set(open tumble/tumble.h)
  set(found "")
  while(open)
    list(POP_FRONT open header)
    if(header IN_LIST found)
      continue()
    endif()
    list(APPEND found ${header})
    foreach(root ${ARGN})
      if(EXISTS ${root}/${header})
        file(STRINGS ${root}/${header} lines REGEX "^#include \"tumble/[^\"]+\"")
        list(TRANSFORM lines REPLACE "^#include \"([^\"]+)\".*" "\\1")
        list(APPEND open ${lines})
      endif()
    endforeach()
  endwhile()
  list(SORT found)
  set(${result} ${found} PARENT_SCOPE)
endfunction()
