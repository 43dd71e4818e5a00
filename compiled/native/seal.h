/* The checksum of a file in the cache of compiled code. */
#ifndef COMPILED_NATIVE_SEAL_H
#define COMPILED_NATIVE_SEAL_H

#include <stdbool.h>

/* Appends the length and the checksum of the file at `path` (after the sections of a shared object,
 * where no loader looks) and waits until all of it is on the disk. False if that fails. */
bool seal_add(const char *path);

/* Is the file whole, as seal_add left it? A truncated object that is loaded ends the process with
 * SIGBUS, at the first access to a page that is not there. */
bool seal_holds(const char *path);

#endif
