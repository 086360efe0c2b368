/* SPDX-License-Identifier: Apache-2.0 */
/* The same program in C: settings and answers are JSON. */
#include <gridsmith.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static int notes = 0, asked = 0, answered = 0;

static int note(void* user, const char* line) {
  (void)user;
  ++notes;
  return puts(line) < 0;
}

/* Every third configuration, in order. */
static size_t ask(void* user, size_t most, uint64_t* ids) {
  const int end = *(const int*)user;
  size_t count = 0;
  while (count < most && asked < end)
    ids[count++] = (uint64_t)(3 * asked++);
  return count;
}

static int tell(void* user, const gridsmith_observation* observations, size_t count) {
  size_t i;
  (void)user;
  for (i = 0; i < count; ++i)
    if (isnan(observations[i].cost) || observations[i].cost > 0)
      ++answered;
  return 0;
}

static int tune(const char* settings, const gridsmith_strategy* strategy) {
  const gridsmith_listener listener = {NULL, NULL, note, NULL};
  gridsmith_session* session = NULL;
  gridsmith_outcomes* outcomes = NULL;
  char* answer = NULL;
  gridsmith_status status = gridsmith_session_new(settings, &session);
  if (status == GRIDSMITH_OK && strategy)
    status = gridsmith_session_search_by(session, "thirds", strategy);
  if (status == GRIDSMITH_OK) {
    gridsmith_session_listen(session, &listener);
    status = gridsmith_session_run(session, &outcomes);
  }
  if (status == GRIDSMITH_OK)
    status = gridsmith_outcomes_answer(outcomes, 0, &answer);
  if (status != GRIDSMITH_OK)
    fprintf(stderr, "%s\n", gridsmith_error());
  else
    printf("%.70s...\n", answer);
  gridsmith_free(answer);
  gridsmith_outcomes_free(outcomes);
  gridsmith_session_free(session);
  return (int)status;
}

int main(void) {
  int end = 20;
  const gridsmith_strategy thirds = {&end, NULL, ask, tell, NULL};
  if (gridsmith_interface() != GRIDSMITH_INTERFACE || tune("{\"kernel\": \"transpose\"}", NULL) != 0 || notes == 0)
    return 1;
  if (tune("{\"kernel\": \"transpose\"}", &thirds) != 0 || answered != end)
    return 1;
  return tune("{\"kernel\": \"transpos\"}", NULL) == GRIDSMITH_BAD_INPUT ? 0 : 1;
}
