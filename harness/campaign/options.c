/* Opening the pair that the settings name. */
#include "harness/campaign/options.h"

int checker_open_options(Checker *c, const CheckerOptions *o, char *message, size_t message_size) {
    int code = checker_open_with(c, o->pair, &o->compile, &o->targets, message, message_size);
    if (code == 0) {
        c->run.poke = o->poke;
        c->run.limits = o->limits;
        if (o->semantics != SEMANTICS_NONE) {
            c->run.semantics = c->given = o->semantics;
        }
        c->stages = true;
        c->off = o->oracles_off;
    }
    return code;
}
