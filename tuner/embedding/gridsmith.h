/* SPDX-License-Identifier: Apache-2.0 */
/* Gridsmith for every language that can call C: settings and results are JSON texts, handles are opaque.
 *
 *   gridsmith_session* session = NULL;
 *   gridsmith_outcomes* outcomes = NULL;
 *   if (gridsmith_session_new("{\"kernel\": \"transpose\", \"sizes\": [[8192, 8192]]}", &session) == GRIDSMITH_OK &&
 *       gridsmith_session_run(session, &outcomes) == GRIDSMITH_OK)
 *     ...
 *   gridsmith_outcomes_free(outcomes);
 *   gridsmith_session_free(session);
 *
 * Threads: a handle is used by one thread at a time, but for gridsmith_session_stop(). Callbacks come in the thread
 * that called gridsmith_session_run(), one at a time, and must not call functions of the same session but that one.
 * Errors: a function that can fail returns a gridsmith_status; gridsmith_error() is then one line for people. No
 * exception leaves a function, and nothing is printed. Texts are UTF-8. A text that is handed out belongs to the
 * caller: gridsmith_free(). What is handed out where a function fails is NULL, but for gridsmith_session_run() and
 * gridsmith_command() after a stop. C++ has <gridsmith.hpp> for all of it. */
#ifndef GRIDSMITH_H
#define GRIDSMITH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header; a library of another number has other functions. */
#define GRIDSMITH_INTERFACE 1

/* The same numbers as the exit codes of the program. */
typedef enum gridsmith_status {
  GRIDSMITH_OK = 0,
  GRIDSMITH_FAILED = 1,    /* a helper or a file failed, or the time was over before anything was measured */
  GRIDSMITH_BAD_INPUT = 2, /* settings, a definition, a name: the line says the valid choices */
  GRIDSMITH_NO_DEVICE = 3, /* neither a GPU nor a recording */
  GRIDSMITH_STOPPED = 130  /* what was measured until then is there */
} gridsmith_status;

typedef struct gridsmith_session gridsmith_session;
typedef struct gridsmith_outcomes gridsmith_outcomes;
typedef struct gridsmith_space gridsmith_space;
typedef struct gridsmith_code gridsmith_code;
typedef struct gridsmith_check gridsmith_check;

typedef enum gridsmith_kind {
  GRIDSMITH_NULL, /* or absent */
  GRIDSMITH_BOOLEAN,
  GRIDSMITH_INTEGER,
  GRIDSMITH_REAL, /* or an integer of more than 63 bits */
  GRIDSMITH_TEXT,
  GRIDSMITH_ARRAY,
  GRIDSMITH_OBJECT
} gridsmith_kind;

/* A value in a JSON document. */
typedef struct gridsmith_value {
  gridsmith_kind kind;
  size_t members;  /* elements of an array, members of an object; else 0 */
  int64_t integer; /* of an INTEGER; 1 and 0 of a BOOLEAN; else 0 */
  double number;   /* of an INTEGER and a REAL; else 0 */
  char* text;      /* of a TEXT its bytes, else JSON; NULL of a NULL. For gridsmith_free() */
} gridsmith_value;

int gridsmith_interface(void); /* GRIDSMITH_INTERFACE of the library */
const char* gridsmith_version(void);
/* Of the last function that failed in this thread; valid until the next one does. Never NULL. */
const char* gridsmith_error(void);
void gridsmith_free(char* text);
/* The value at a JSON pointer (RFC 6901), such as "/best/time_ms/median", in any JSON text; "" is the whole. What is
 * absent is a NULL; BAD_INPUT: no JSON, or no pointer. */
gridsmith_status gridsmith_json_at(const char* json, const char* pointer, gridsmith_value* value);

/* ---- a session: one kernel, tuned at its sizes on its devices */

/* Settings are an object whose names are those of docs/python.md; what is absent has its default. Reads the definition. */
gridsmith_status gridsmith_session_new(const char* settings, gridsmith_session** session);
void gridsmith_session_free(gridsmith_session* session); /* NULL is allowed */

/* What a session says while it runs; each may be NULL. A callback that returns anything but 0 stops the session. */
typedef struct gridsmith_listener {
  void* user;                                      /* handed to each callback */
  int (*poll)(void* user);                         /* at least every 100 ms */
  int (*note)(void* user, const char* line);       /* what a person should read */
  int (*progress)(void* user, const char* json);   /* evaluations, best so far, seconds, what is new */
} gridsmith_listener;
void gridsmith_session_listen(gridsmith_session* session, const gridsmith_listener* listener); /* copied */

/* cost: what is to become small, the time in ms; NAN: the configuration failed. */
typedef struct gridsmith_observation {
  uint64_t id;
  double cost;
} gridsmith_observation;

/* A search strategy in place of those that Gridsmith has; configurations are numbers below the size of the space. */
typedef struct gridsmith_strategy {
  void* user;
  int (*begin)(void* user, const gridsmith_space* space); /* before the first question; valid until end() */
  /* Writes at most `most` numbers; returns how many, 0: nothing now, and the end where nothing is unanswered;
   * SIZE_MAX stops. What was asked before is not measured again. */
  size_t (*ask)(void* user, size_t most, uint64_t* ids);
  int (*tell)(void* user, const gridsmith_observation* observations, size_t count);
  void (*end)(void* user); /* may be NULL */
} gridsmith_strategy;
/* `name` is what answers and stores say of it. */
gridsmith_status gridsmith_session_search_by(gridsmith_session* session, const char* name,
                                             const gridsmith_strategy* strategy); /* copied */

uint64_t gridsmith_space_size(const gridsmith_space* space);
/* A configuration as a JSON object, its parameters in the definition's order. */
gridsmith_status gridsmith_space_at(const gridsmith_space* space, uint64_t id, char** configuration);
/* BAD_INPUT where it is not in the space. */
gridsmith_status gridsmith_space_find(const gridsmith_space* space, const char* configuration,
                                      uint64_t* id);
/* Those that differ in one parameter. Writes at most `most`; `*count` is how many there are. */
gridsmith_status gridsmith_space_neighbours(const gridsmith_space* space, uint64_t id, uint64_t* ids,
                                            size_t most, size_t* count);

/* Tunes. OK, and STOPPED where anything was measured, hand out outcomes. May be called again. */
gridsmith_status gridsmith_session_run(gridsmith_session* session, gridsmith_outcomes** outcomes);
/* From any thread, callback or signal handler: the run returns within a second. Without one no effect. */
void gridsmith_session_stop(gridsmith_session* session);

/* ---- what came of it: an outcome for each size and device */

size_t gridsmith_outcomes_count(const gridsmith_outcomes* outcomes);
/* docs/schema/answer.schema.json */
gridsmith_status gridsmith_outcomes_answer(const gridsmith_outcomes* outcomes, size_t index, char** json);
/* The answer as the program prints it, without colours. */
gridsmith_status gridsmith_outcomes_text(const gridsmith_outcomes* outcomes, size_t index, char** text);
/* In a format of 'gridsmith export', or "report". `index` SIZE_MAX: of all of them, where the format holds several. */
gridsmith_status gridsmith_outcomes_export(const gridsmith_outcomes* outcomes, size_t index,
                                           const char* format, char** text);
/* The same into a file, compressed where its name ends in .gz. BAD_INPUT where the file is a store, a source, a definition or a
   recording: what is there is replaced by the same format alone. */
gridsmith_status gridsmith_outcomes_write(const gridsmith_outcomes* outcomes, size_t index,
                                          const char* format, const char* file);
void gridsmith_outcomes_free(gridsmith_outcomes* outcomes); /* NULL is allowed */

/* ---- a check: kernels against a baseline, as 'gridsmith check' */

/* Settings as gridsmith_settings() lists them. The listener may be NULL; its progress is number, kernels and kernel. OK: it was judged,
 * whatever the verdict; after a stop some kernels are undecided, and the result says so. */
gridsmith_status gridsmith_check_run(const char* settings, const gridsmith_listener* listener, gridsmith_check** check);
/* "json", which has the gate and a verdict for each kernel, "text" as the program prints it, or another format of
 * 'gridsmith check --report'. */
gridsmith_status gridsmith_check_report(const gridsmith_check* check, const char* format, char** text);
void gridsmith_check_free(gridsmith_check* check); /* NULL is allowed */

/* ---- what answers by one JSON document, as the program's command of this name does with --json
 *
 * "tune_all": every kernel of a library at every size in one budget; and "header": what to ship, or null.
 * "retune":   what a header or a store ships, measured again on this driver and toolkit; what moved is tuned again; and
 *             "header": what to ship now, null where nothing moved.
 * "judge":    a kernel of another author against a definition of yours, in the sandbox; whatever it does is a verdict. */

/* Settings as gridsmith_settings() lists them under the same name. The listener may be NULL. OK, and STOPPED, hand out
 * JSON. */
gridsmith_status gridsmith_command(const char* name, const char* settings, const gridsmith_listener* listener, char** json);

/* ---- the code of one configuration, to be launched by the caller */

/* Compiled for a device: an object as gridsmith_devices() gives, at least its compute_capability (90 for 9.0). Needs NVRTC,
 * or nvcc where the definition says so, and no GPU. Of the settings count those that say what is compiled: kernel, the
 * first of sizes, include, nvrtc, nvcc, confined. `configuration`: an object; what it does not name is as in the default. */
gridsmith_status gridsmith_compile(const char* settings, const char* configuration, const char* device,
                                   gridsmith_code** code);
/* An object: kernel (the name in the binary), grid, block, cluster, cooperative, dynamic_shared_bytes, configuration,
 * compiler, facts (registers …), variables and parameters (how many; null: not known) of the binary, and arguments, in the
 * order of the launch: name, type, vector; of a vector elements, output (it is written) and constant (it is copied to the
 * __constant__ variable of this name too, and not passed where the binary has fewer parameters); of a scalar value, and
 * words: its bytes, little-endian, 8 in a number. */
gridsmith_status gridsmith_code_facts(const gridsmith_code* code, char** json);
/* The cubin; as long as the handle. */
const void* gridsmith_code_binary(const gridsmith_code* code, size_t* bytes);
void gridsmith_code_free(gridsmith_code* code); /* NULL is allowed */

/* ---- what there is */

/* The GPUs of this machine, by Gridsmith's names of their facts; NO_DEVICE where there is none. */
gridsmith_status gridsmith_devices(char** json);
/* The names of all settings, with a line on each: {"tune": {…}, "check": {…}, "retune": {…}, …}. */
gridsmith_status gridsmith_settings(char** json);

#ifdef __cplusplus
}
#endif

#endif
