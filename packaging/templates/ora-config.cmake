# find_package(ora): the installed libora.so and its headers.
#
#   ora::headers   the headers, for tools and collectors, which link nothing
#   ora::ora       libora.so and the headers, for programs and runtimes. It stands before the OpenMP runtime in the list.
get_filename_component(_ora_prefix "${CMAKE_CURRENT_LIST_DIR}/../../@UP@" ABSOLUTE)

if(NOT TARGET ora::headers)
  add_library(ora::headers INTERFACE IMPORTED)
  set_target_properties(ora::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_ora_prefix}/include/ora")
  add_library(ora::ora SHARED IMPORTED)
  set_target_properties(ora::ora PROPERTIES
    IMPORTED_LOCATION "${_ora_prefix}/@LIB@/libora.so"
    INTERFACE_LINK_LIBRARIES ora::headers)
endif()
unset(_ora_prefix)
