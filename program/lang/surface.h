/* What a program says about how targets run it: the Python surface (`shell` in the format) and the
 * settings of a compiler (`compile`). Neither changes what is computed. */
#ifndef PROGRAM_LANG_SURFACE_H
#define PROGRAM_LANG_SURFACE_H

#include <stdbool.h>
#include <stdint.h>

typedef int32_t NameId; /* an index of Program.names */

/* How the exported Python code is written (`shell` in the format): call styles of statements and
 * binding kinds of inputs. Used by the Python exporter and one fault. */
typedef struct PythonSurface PythonSurface;
typedef enum CallStyle {
    STYLE_method,
    STYLE_function,
    STYLE_operator,
    STYLE_kwargs,
    STYLE_torch_ops,
    STYLE_COUNT
} CallStyle;
typedef enum BindingKind {
    BINDING_arg,
    BINDING_closure,
    BINDING_global,
    BINDING_attr,
    BINDING_buffer,
    BINDING_parameter,
    BINDING_constant,
    BINDING_COUNT
} BindingKind;
typedef enum Wrap { WRAP_function, WRAP_method, WRAP_module, WRAP_COUNT } Wrap;
/* Python around the call of a statement, and where the function leaves its results. */
typedef enum PythonForm {
#define FORM(name, needs, lines) FORM_##name,
#define LEAVE(name, before, each, between, after, results)
#include "program/lang/python_forms.def"
    FORM_COUNT
} PythonForm;
typedef enum Leave {
#define FORM(name, needs, lines)
#define LEAVE(name, before, each, between, after, results) LEAVE_##name,
#include "program/lang/python_forms.def"
    LEAVE_COUNT
} Leave;
/* One choice for each of some statements, which are named by their paths. */
typedef struct PathChoices {
    bool given;
    struct {
        const char *path;
        int choice;
    } * v;
    int n;
} PathChoices;
/* The choice for the statement at `path`; -1: none. */
int choice_at(const PathChoices *choices, const char *path);
struct PythonSurface {
    bool wrap_given;
    Wrap wrap;
    struct {
        NameId name;
        BindingKind binding;
    } * bindings;
    int nbindings;
    bool bindings_given;
    PathChoices call_styles; /* CallStyle */
    PathChoices forms;       /* PythonForm */
    bool leave_given;
    Leave leave;
    struct {
        int64_t from, to;
    } * outline;
    int noutline;
    bool outline_given;
    bool instances_given;
    int64_t instances;
    const char *extra;
};

/* How a compiling target compiles the program (`compile` in the format). Our own executors ignore
 * it. */
typedef struct CompileSettings {
    struct {
        const char *name;  /* "inductor.cpp.simdlen" */
        const char *value; /* canonical JSON: null, a boolean or a number */
    } * config;
    int nconfig;
    bool config_given;
    struct {
        const char *name; /* of an argument */
        uint32_t dims;    /* bit d: the size of dim d is marked as dynamic */
    } * marks;
    int nmarks;
    bool marks_given;
    bool dynamic, dynamic_given;
    bool fullgraph, fullgraph_given;
    const char *extra;
} CompileSettings;
/* Is it a name of a setting: words of [a-z0-9_] joined by dots, at most 64 characters? */
bool setting_valid(const char *name);

#endif
