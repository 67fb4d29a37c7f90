/* Shared state of the fault injector: copies of data words that the validator has written. */
#ifndef DATA_WORDS_H
#define DATA_WORDS_H

#include "injector.h"

/* The words of the initial task, of the first region, and of the first implicit task. */
extern ompt_data_t initial_task, first_region, first_task;
/* A word that was never written. */
extern ompt_data_t nothing;
/* True if the word is that of a task that `task_create` has reported. */
int explicit_task(const ompt_data_t *task);
/* The injector's function for callbacks about tasks, synchronisation and mutexes. */
ompt_callback_t other_callback(int number);

#endif
