# SPDX-License-Identifier: Apache-2.0
# The public headers: those that an embedding program names, and all that they include. Sets GRIDSMITH_HEADERS,
# paths from the root. Each may include the standard library and other headers of ours, nothing else: whoever uses the
# library needs no package beside it.
set(GRIDSMITH_HEADERS
  base/error.hpp
  base/version.hpp
  kernels/definition/definition.hpp
  kernels/definition/launch.hpp
  kernels/reading/find_definition.hpp
  kernels/reading/read_definition.hpp
  metrics/catalogue/counter_sets.hpp
  metrics/catalogue/metrics.hpp
  metrics/device/device.hpp
  metrics/device/occupancy.hpp
  metrics/device/roofline.hpp
  results/check/profile_check.hpp
  results/check/reports.hpp
  results/drawing/draw.hpp
  results/formats/formats.hpp
  results/plots/convergence.hpp
  results/plots/importance.hpp
  results/plots/roofline_plot.hpp
  results/plots/tiling.hpp
  results/profiles/profile.hpp
  results/readers/read_recording.hpp
  results/measurement/answer.hpp
  results/measurement/comparison.hpp
  results/judge/evidence.hpp
  results/measurement/recording.hpp
  results/store/holdings.hpp
  results/store/import.hpp
  results/store/store.hpp
  search/space/space.hpp
  search/strategies/strategy.hpp
  tuner/guard/baseline_save.hpp
  tuner/guard/bisect.hpp
  tuner/guard/check.hpp
  tuner/guard/judge.hpp
  tuner/guard/profiler_run.hpp
  tuner/guard/static_check.hpp
  tuner/inspection/exported_inputs.hpp
  tuner/replay/simulation.hpp
  tuner/session/device_peaks.hpp
  tuner/session/session.hpp
  tuner/session/size_list.hpp
  tuner/session/trace.hpp
  tuner/shipping/retune.hpp
  tuner/shipping/tune_all.hpp)

set(queue ${GRIDSMITH_HEADERS})
while(queue)
  list(POP_FRONT queue header)
  file(STRINGS ${header} lines REGEX "^ *# *include ")
  foreach(line IN LISTS lines)
    if(line MATCHES "\"gridsmith/([^\"]+)\"")
      set(included ${CMAKE_MATCH_1})
      if(NOT included IN_LIST GRIDSMITH_HEADERS)
        list(APPEND GRIDSMITH_HEADERS ${included})
        list(APPEND queue ${included})
      endif()
    elseif(NOT line MATCHES "<[a-z_0-9]+>") # the standard library's names have no dot
      message(SEND_ERROR "${header} is installed and has '${line}': public headers include only the standard "
        "library and \"gridsmith/…\"")
    endif()
  endforeach()
endwhile()
list(SORT GRIDSMITH_HEADERS)
list(TRANSFORM GRIDSMITH_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE queue)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${queue})
