# Prints what an interactive zsh offers for a command line that is not finished:
#   zsh -f tests/support/zsh_complete.zsh COMPLETIONS_DIR LINE SECONDS
# It waits SECONDS for the list: zsh shows none while more input is waiting.
zmodload zsh/zpty || exit 3
local text='' all=''
zpty shell zsh -f -i
zpty -w shell "PS1= PROMPT_EOL_MARK=; fpath=(${(q)1} \$fpath); autoload -U compinit; compinit -D -u; bindkey '^I' list-choices; LISTMAX=10000 COLUMNS=200; echo REA''DY"
while zpty -r shell text; do [[ $text == *READY* ]] && break; done
zpty -w -n shell "$2"$'\t'
sleep $3
zpty -w -n shell $'\x15'
zpty -w shell "echo DO''NE"
while zpty -r shell text; do
  all+=$text
  [[ $text == *DONE* ]] && break
done
zpty -d shell
print -r -- "$all"
