/* A program that knows neither Swift nor libuv, and loads a library that brings both.
 *
 *   LibraryHost LIBRARY      loads it, runs its dispatcher twice, and leaves by exit
 *   LibraryHost LIBRARY -c   closes it before that
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {
  if (count < 2) return 2;
  void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    printf("it cannot be loaded: %s\n", dlerror());
    return 1;
  }
  int (*run)(void) = (int (*)(void))dlsym(library, "run_loaded_dispatcher");
  if (!run) {
    printf("it has no function: %s\n", dlerror());
    return 1;
  }
  for (int round = 0; round < 2; round++) {
    int completed = run();
    printf("%d completed\n", completed);
    /* A hundred bodies, their hundred replies, and the timer. A reply may be submitted after the
     * shutdown has begun, and is still accepted: it is the dispatcher's own work. */
    if (completed != 201) return 1;
  }
  if (count > 2) printf("dlclose: %d\n", dlclose(library));
  exit(0);
}
