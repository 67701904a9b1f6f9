#ifndef CBATON_H
#define CBATON_H

/* A word on which one thread sleeps until another passes it the baton. */

/* Blocks the calling thread until the word is 1, and makes it 0. */
void cbaton_wait(int *word);
/* Makes the word 1, and wakes the thread that sleeps on it. */
void cbaton_pass(int *word);

/* The number of the calling thread, as cbaton_set_number has set it; -1 before. */
int cbaton_number(void);
void cbaton_set_number(int number);

#endif
