#include "harness/targets/processor_time.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEEPEST = 32 /* generations; a compiler under a target has about five */ };

static double own_time(pid_t pid) {
    char path[80], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    const size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) {
        fclose(f);
    }
    text[n] = '\0';
    const char *name_end = strrchr(text, ')'); /* a name may contain anything */
    unsigned long user, kernel;
    long children_user, children_kernel;
    if (!name_end ||
        sscanf(name_end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld", &user,
               &kernel, &children_user, &children_kernel) != 4) {
        return -1;
    }
    return (double)(user + kernel + (unsigned long)(children_user + children_kernel)) /
           (double)sysconf(_SC_CLK_TCK);
}

static double tree_time(pid_t pid, int depth) {
    double sum = own_time(pid);
    char path[300];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *threads = sum >= 0 && depth < DEEPEST ? opendir(path) : NULL;
    const struct dirent *thread;
    while (threads && (thread = readdir(threads)) != NULL) {
        snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)pid, thread->d_name);
        FILE *f = thread->d_name[0] != '.' ? fopen(path, "re") : NULL;
        int child;
        while (f && fscanf(f, "%d", &child) == 1) {
            const double its = tree_time(child, depth + 1); /* it may have ended by now */
            sum += its > 0 ? its : 0;
        }
        if (f) {
            fclose(f);
        }
    }
    if (threads) {
        closedir(threads);
    }
    return sum;
}

double processor_time(pid_t pid) { return tree_time(pid, 0); }
