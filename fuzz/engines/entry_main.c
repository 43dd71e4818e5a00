/* Replays files through an entry, without an engine: `entry FILE...`. A finding aborts, as under an
 * engine. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        uint8_t *data = NULL;
        size_t n = 0, room = 0, got = 1;
        while (file && got > 0) {
            if (n == room) {
                room = room ? 2 * room : 1 << 16;
                uint8_t *more = realloc(data, room);
                if (!more) {
                    fprintf(stderr, "%s: no memory\n", argv[i]);
                    return 3;
                }
                data = more;
            }
            got = fread(data + n, 1, room - n, file);
            n += got;
        }
        if (!file || ferror(file)) {
            fprintf(stderr, "%s: cannot be read\n", argv[i]);
            return 2;
        }
        fclose(file);
        LLVMFuzzerTestOneInput(data, n);
        free(data);
    }
    printf("%d files replayed\n", argc - 1);
    return 0;
}
