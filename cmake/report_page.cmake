# SPDX-License-Identifier: Apache-2.0
# Bundles the page of the report and makes the source that holds it. Run by the build:
#   cmake -DNPM=… -DNODE=… -DPAGE=<its sources> -DWORK=<folder to build in> -DTESTS=<with packages for tests>
#     -DOUTPUT=<.cpp> -P report_page.cmake
# The packages come from the registry by the lock file's hashes, and no script of theirs is run. Where they
# cannot be had, the build goes on without a page.
function(run_npm result)
  execute_process(COMMAND ${NPM} ${ARGN} --no-audit --no-fund --no-update-notifier WORKING_DIRECTORY ${WORK}
    RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(${result} ${code} PARENT_SCOPE)
  set(said "${text}" PARENT_SCOPE)
endfunction()

file(MAKE_DIRECTORY ${WORK})
file(COPY ${PAGE}/ DESTINATION ${WORK} PATTERN node_modules EXCLUDE PATTERN dist EXCLUDE)
set(installed ${WORK}/node_modules/.package-lock.json)
if(NOT EXISTS ${installed} OR ${PAGE}/package-lock.json IS_NEWER_THAN ${installed}
   OR (TESTS AND NOT EXISTS ${WORK}/node_modules/puppeteer-core))
  set(wanted --omit=dev)
  if(TESTS)
    set(wanted --include=dev)
  endif()
  # Without a network it gives up within a minute.
  run_npm(failed ci --ignore-scripts ${wanted} --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000 --fetch-timeout=60000)
  if(failed)
    message(WARNING "Gridsmith is built without its report page, as npm could not get its packages; remove ${OUTPUT} "
      "to try again:\n${said}")
    file(COPY_FILE ${PAGE}/../no_page.cpp ${OUTPUT})
    return()
  endif()
endif()
run_npm(failed run build)
if(failed)
  message(FATAL_ERROR "The report's page cannot be bundled:\n${said}")
endif()
execute_process(COMMAND ${NODE} ${PAGE}/../embed_page.mjs ${WORK} ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
