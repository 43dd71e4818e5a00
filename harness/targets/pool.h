/* What the files of a target share: its processes, and the programs that they run (tickets). */
#ifndef HARNESS_TARGET_POOL_H
#define HARNESS_TARGET_POOL_H

#include "harness/targets/deadline.h"
#include "harness/targets/declare.h"
#include "harness/targets/process.h"
#include "harness/targets/settings.h"
#include "harness/targets/target.h"
#include "program/json/json.h"

enum { MAX_TICKETS = 4 * TARGET_MAX_WORKERS, TICKET_MODES = 2 };

typedef enum TicketState { TICKET_FREE, TICKET_QUEUED, TICKET_SENT, TICKET_DONE } TicketState;

/* One program, to be run in one mode or in two. Both are asked for in one request; after the death
 * of a process that ran both, each in a request of its own (`part`). */
typedef struct Ticket {
    TicketState state;
    int64_t id; /* grows: also the order */
    const Program *program;
    RunOptions options;
    Target *by[TICKET_MODES]; /* whose modes they are */
    int nmodes;
    int part;       /* the mode that the request asks for; -1: all of them */
    bool forgotten; /* nobody waits for it: free when it is answered */
    bool died;      /* a process that ran all modes died, or was late */
    Text request;
    Result *result[TICKET_MODES]; /* DONE */
    bool taken[TICKET_MODES];
    Arena arena;
} Ticket;

typedef enum WorkerState { WORKER_OFF, WORKER_STARTING, WORKER_IDLE, WORKER_BUSY } WorkerState;
typedef struct TargetWorker {
    WorkerState state;
    Process process;
    Ticket *ticket;
    Deadline deadline;
    int64_t programs; /* that this process has run */
} TargetWorker;

struct Target {
    Arena arena;
    char *name; /* "torch:aot" */
    char *mode;
    char version[80]; /* what it reports to be: "torch 2.13.0" */
    char modes[1000]; /* and its modes: "eager aot" */
    bool takes_modes; /* a request may name several modes */
    bool takes_alone; /* a request may ask for a process of its own */
    char *hello;      /* what its first process said of itself; NULL: none has started */
    Target *host;     /* the other target of the pair, whose processes run our programs; or NULL */
    TargetSettings settings;
    Declaration declared;
    SettingsTable table; /* of its compiler */
    TargetWorker worker[TARGET_MAX_WORKERS];
    Ticket ticket[MAX_TICKETS];
    int64_t next_id;
    int failed_starts;        /* in a row */
    bool gone;                /* no process is left, and none starts */
    char start_message[1024]; /* why the last start failed */
    TargetCounters counters;
};

/* ---- target.c: the processes ---- */
enum { POOL_WAIT = 1 }; /* seconds */
/* Sends queued tickets to idle processes; starts processes for the rest. */
void pool_send(Target *pool);
/* Goes once through the event loop; waits for at most `wait` seconds. */
void pool_turn(Target *pool, double wait);
void pool_stop(TargetWorker *w);
/* The time of the run is up. */
bool pool_is_late(const Target *t);

/* ---- ticket.c ---- */
/* It is done without an answer, in all of its modes. */
void ticket_cut(Ticket *ticket, const char *why);

/* ---- exchange.c: the lines that are exchanged ---- */
/* Fills ticket->request. */
void exchange_request(const Target *t, Ticket *ticket);
/* Reads the results of an answer to `ticket`; false and why not. One that is longer than
 * JSON_MAX_BYTES is the error `limit`. */
bool exchange_answer(Ticket *ticket, const char *line, size_t length, char *message,
                     size_t message_size);
/* A hello that names our mode? */
bool exchange_hello(Target *t, Arena *scratch, const char *line, size_t length, char *message,
                    size_t message_size);
/* The result of a program that does not run any more, and why: the error `limit`. */
Result *exchange_cut(const Target *t, Arena *arena, const char *why);
/* The result of a program that the target did not answer; FAILURE_NONE: at too great length, the
 * error `limit`. */
Result *exchange_failed(const Target *t, Arena *arena, Failure failure, const char *what,
                        const Process *process);

#endif
