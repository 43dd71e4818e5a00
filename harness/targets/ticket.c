/* Tickets: the programs that are queued on a target, run by its processes (target.c), and collected
 * by whoever submitted them. */
#include "harness/targets/pool.h"

#include "harness/util/clock.h"
#include "harness/util/status.h"

/* The place of `t` among the modes of a ticket, if its result has not been taken; else -1. */
static int place_of(const Ticket *ticket, const Target *t) {
    for (int i = 0; i < ticket->nmodes; i++) {
        if (ticket->by[i] == t && !ticket->taken[i]) {
            return i;
        }
    }
    return -1;
}

static Ticket *find_ticket(Target *pool, const Target *t, const Program *p) {
    for (int i = 0; i < MAX_TICKETS; i++) {
        Ticket *k = &pool->ticket[i];
        if (k->state != TICKET_FREE && !k->forgotten && k->program == p && place_of(k, t) >= 0) {
            return k;
        }
    }
    return NULL;
}

/* `second` may be NULL. */
static Ticket *new_ticket(Target *pool, const Program *p, const RunOptions *options, Target *first,
                          Target *second) {
    for (int i = 0; i < MAX_TICKETS; i++) {
        Ticket *k = &pool->ticket[i];
        if (k->state == TICKET_FREE) {
            Arena arena = k->arena;
            arena_reset(&arena);
            *k = (Ticket){.state = TICKET_QUEUED,
                          .id = pool->next_id++,
                          .program = p,
                          .options = *options,
                          .by = {first, second},
                          .nmodes = second ? 2 : 1,
                          .part = -1,
                          .arena = arena};
            exchange_request(pool, k);
            first->counters.programs++;
            if (second) {
                second->counters.programs++;
            }
            return k;
        }
    }
    return NULL;
}

static bool submit(Target *pool, const Program *p, const RunOptions *options, Target *first,
                   Target *second) {
    if (find_ticket(pool, first, p)) {
        return true;
    }
    int open = 0;
    for (int i = 0; i < MAX_TICKETS; i++) {
        open += pool->ticket[i].state != TICKET_FREE;
    }
    if (open >= MAX_TICKETS - 1 ||
        !new_ticket(pool, p, options, first, second)) { /* one is kept for target_run */
        return false;
    }
    pool_send(pool);
    for (int i = 0; i < pool->settings.workers; i++) {
        process_pump(&pool->worker[i].process);
    }
    return true;
}

static Target *pool_of(Target *t) { return t->host ? t->host : t; }

bool target_submit(Target *t, const Program *p, const RunOptions *options) {
    return submit(pool_of(t), p, options, t, NULL);
}

bool target_submit_pair(Target *a, Target *b, const Program *p, const RunOptions *options) {
    if (b->host == a) {
        return submit(a, p, options, a, b);
    }
    bool first = target_submit(a, p, options);
    return target_submit(b, p, options) && first;
}

bool pool_is_late(const Target *t) {
    return t->settings.until > 0 && now_seconds() >= t->settings.until;
}

void ticket_cut(Ticket *ticket, const char *why) {
    for (int i = 0; i < ticket->nmodes; i++) {
        ticket->result[i] = exchange_cut(ticket->by[i], &ticket->arena, why);
    }
    ticket->state = TICKET_DONE;
}

/* Its process is stopped, if it runs. */
static void stop_ticket(Target *pool, Ticket *ticket) {
    for (int i = 0; i < pool->settings.workers; i++) {
        if (pool->worker[i].ticket == ticket) {
            pool_stop(&pool->worker[i]);
        }
    }
}

void target_forget(Target *t) {
    Target *pool = pool_of(t);
    for (int i = 0; i < MAX_TICKETS; i++) {
        Ticket *k = &pool->ticket[i];
        k->forgotten = true;
        k->state = k->state == TICKET_SENT ? TICKET_SENT : TICKET_FREE;
    }
}

void target_turn(Target *t) { pool_turn(pool_of(t), 0); }

bool target_is_done(Target *t, const Program *p) {
    const Ticket *ticket = find_ticket(pool_of(t), t, p);
    return ticket && ticket->state == TICKET_DONE;
}

Result *target_run(Target *t, const Program *p, const RunOptions *options, Arena *arena) {
    Target *pool = pool_of(t);
    Ticket *ticket = find_ticket(pool, t, p);
    if (!ticket) {
        ticket = new_ticket(pool, p, options, t, NULL);
    }
    CHECK(ticket);
    while (ticket->state != TICKET_DONE) {
        if (pool_is_late(pool)) {
            stop_ticket(pool, ticket);
            ticket_cut(ticket, "the time of the run was up");
        } else {
            pool_turn(pool, POOL_WAIT);
        }
    }
    int place = place_of(ticket, t);
    Result *r = result_clone(arena, ticket->result[place]);
    ticket->taken[place] = true;
    if (ticket->nmodes == 1 || (ticket->taken[0] && ticket->taken[1])) {
        ticket->state = TICKET_FREE;
    }
    return r;
}
