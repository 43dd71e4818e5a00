/* The last 24 bytes of a sealed file: a magic number, the number of bytes before, their hash. */
#include "compiled/native/seal.h"
#include "tensor/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Seal {
    char magic[8];
    uint64_t length, hash;
} Seal;

static const char MAGIC[8] = {'t', 'w', 'i', 'n', 's', 'e', 'a', 'l'};

/* Reads exactly n bytes. */
static bool take(int fd, void *to, uint64_t n) {
    for (uint64_t done = 0; done < n;) {
        ssize_t got = read(fd, (char *)to + done, n - done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        done += (uint64_t)got;
    }
    return true;
}

/* The hash of the first `length` bytes. */
static bool hash_bytes(int fd, uint64_t length, uint64_t *hash) {
    unsigned char chunk[4096];
    *hash = FNV64_START;
    for (uint64_t left = length; left > 0;) {
        uint64_t n = left < sizeof chunk ? left : sizeof chunk;
        if (!take(fd, chunk, n)) {
            return false;
        }
        for (uint64_t i = 0; i < n; i++) {
            *hash = fnv64_byte(*hash, chunk[i]);
        }
        left -= n;
    }
    return true;
}

bool seal_add(const char *path) {
    int fd = open(path, O_RDWR | O_CLOEXEC);
    struct stat info;
    Seal seal = {.length = 0};
    memcpy(seal.magic, MAGIC, sizeof MAGIC);
    bool ok = fd >= 0 && fstat(fd, &info) == 0;
    if (ok) {
        seal.length = (uint64_t)info.st_size;
        ok = hash_bytes(fd, seal.length, &seal.hash) &&
             write(fd, &seal, sizeof seal) == (ssize_t)sizeof seal && fsync(fd) == 0;
    }
    return fd >= 0 && close(fd) == 0 && ok;
}

bool seal_holds(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    Seal seal;
    uint64_t hash = 0, length = 0;
    bool ok = fd >= 0 && fstat(fd, &info) == 0 && info.st_size >= (off_t)sizeof seal;
    if (ok) {
        length = (uint64_t)info.st_size - sizeof seal;
        ok = hash_bytes(fd, length, &hash) && take(fd, &seal, sizeof seal) &&
             memcmp(seal.magic, MAGIC, sizeof MAGIC) == 0 && seal.length == length &&
             seal.hash == hash;
    }
    if (fd >= 0) {
        close(fd);
    }
    return ok;
}
