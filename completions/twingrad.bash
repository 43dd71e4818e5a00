# Bash completion for twingrad. Commands, options, faults, passes, profiles and ops come from the program that is being
# completed, so this file names none of them. Values of a few options are listed in _twingrad_value.
# shellcheck shell=bash

# The distinct values of a key in the JSON lines that a table command prints.
_twingrad_table() {
    local key=$2
    "$1" "$3" --json 2>/dev/null | sed -n 's/.*"'"$key"'":"\([^"]*\)".*/\1/p' | sort -u
}

# The executors: those of twingrad, and those of its own targets.json.
_twingrad_executors() {
    echo reference compiled compiled:native
    echo torch{,2.8,2.13,2.15}:{eager{,_cuda},fake,aot,{dynamo,aot_eager,aot_decomp,inductor_passes,inductor}{,_dynamic,_fullgraph,_cuda},inductor_lite{,_dynamic,_cuda}} torch1.13:{eager,aot}
}

# _twingrad_value PROGRAM COMMAND OPTION CURRENT: the words that may follow the option; for lists separated by commas, with what
# is already there.
_twingrad_value() {
    local done="" last=$4
    case $3 in
    --pair | --on | --disable | --only | --profile | --ops | --modes | --no-oracle | --faults)
        last=${4##*,}
        done=${4%"$last"}
        ;;
    esac
    local words
    case $3 in
    --on) case $2 in
        hunt | upstream) words=$(_twingrad_executors | grep -o 'torch[0-9.]*' | sort -u) ;;
        *) words=$(_twingrad_executors) ;;
        esac ;;
    --pair)
        words=$(_twingrad_executors)
        [ -n "$done" ] || words=${words//[[:space:]]/, },
        ;;
    --fault | --faults) words=$(_twingrad_table "$1" id faults; _twingrad_table "$1" name faults) ;;
    --disable | --only) words=$("$1" passes --json 2>/dev/null | grep -v '"kind":"required"' | sed -n 's/.*"name":"\([^"]*\)".*/\1/p') ;;
    --after) words=$(_twingrad_table "$1" name passes) ;;
    --profile) words=$(_twingrad_table "$1" profile profiles) ;;
    --ops) words=$(_twingrad_table "$1" name ops | grep -v '^_') ;;
    --oracle) words=stages ;;
    --no-oracle) words=$(_twingrad_table "$1" name oracles) ;;
    --engine) words="builtin libfuzzer afl" ;;
    --modes) words=$(echo fake aot {dynamo,aot_eager,aot_decomp,inductor_passes,inductor}{,_dynamic,_fullgraph,_cuda} inductor_lite{,_dynamic,_cuda}) ;;
    --native-cache) words=none ;;
    --semantics) words="1.13 2.8 2.13 2.15" ;;
    --as) [ "$2" = convert ] && words="json bytes" || words="text json dot python torch ir loops c issue unittest" ;;
    *) return ;;
    esac
    compgen -P "$done" -W "$words" -- "$last"
}

_twingrad() {
    COMPREPLY=()
    # Bash splits words at ':' and '=' (COMP_WORDBREAKS); ours contain both, so split the line at spaces only.
    local line=${COMP_LINE:0:COMP_POINT} words current=""
    read -ra words <<<"$line"
    if [[ $line == *[![:space:]] ]]; then
        current=${words[-1]}
        unset 'words[-1]'
    fi
    local program=${words[0]/#\~/$HOME} command=${words[1]-} previous=${words[-1]} option="" value="" help replies=""
    if [ ${#words[@]} -eq 1 ] || { [ "$command" = help ] && [ ${#words[@]} -eq 2 ]; }; then
        replies=$("$program" --help 2>/dev/null | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
        [ "$command" = help ] || replies+=$'\n--help\n--version'
        mapfile -t COMPREPLY < <(compgen -W "$replies" -- "$current")
        return
    fi
    help=$("$program" "$command" --help 2>/dev/null) || return
    if [[ $current == --*=* ]]; then
        option=${current%%=*} value=${current#*=}
    elif [[ $previous == --* && $previous != *=* ]]; then
        option=$previous value=$current
    fi
    # The word that stands for the option's value in the help text; empty for a flag.
    local metavariable=""
    [ -z "$option" ] || metavariable=$(sed -nE "s/^  $option ([^ ]+)  .*/\1/p" <<<"$help")
    if [ -n "$metavariable" ]; then
        mapfile -t COMPREPLY < <(_twingrad_value "$program" "$command" "$option" "$value")
        case $metavariable in
        DIR) compopt -o dirnames 2>/dev/null ;;
        FILE) compopt -o default 2>/dev/null ;;
        esac
        [[ ${COMPREPLY[0]-} != *, ]] || compopt -o nospace 2>/dev/null
        # Readline replaces only what follows the last ':' or '=' of the current word.
        local kept=$value i
        if [[ $COMP_WORDBREAKS == *:* && $kept == *:* ]]; then
            kept=${kept%"${kept##*:}"}
            for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=${COMPREPLY[i]#"$kept"}; done
        fi
    elif [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(sed -nE 's/^  (--[a-z-]+) .*/\1/p' <<<"$help")" -- "$current")
    elif grep -qE '^usage: .*(FILE|DIRECTORY|FINDING|RESULTS)' <<<"$help"; then
        compopt -o default 2>/dev/null
    fi
}

complete -F _twingrad twingrad
