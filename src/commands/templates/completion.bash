_evenkeel() {
  local line=${COMP_LINE:0:COMP_POINT} words word prefix= candidate
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  word=${words[${#words[@]} - 1]}
  # Bash splits words at : and = itself, so candidates are the part after the last of them.
  [[ $COMP_WORDBREAKS == *=* && $word == *=* ]] && prefix=${word%"${word##*=}"}
  [[ $COMP_WORDBREAKS == *:* && $word == *:* ]] && prefix=${word%"${word##*:}"}
  COMPREPLY=()
  while IFS= read -r candidate; do
    candidate=${candidate%%$'\t'*}
    [[ -n $candidate ]] || continue
    # Bash inserts candidates unchanged.
    printf -v candidate %q "${candidate#"$prefix"}"
    COMPREPLY+=("$candidate")
  done < <(evenkeel __complete -- "${words[@]:1}" 2> /dev/null)
}
complete -o default -F _evenkeel evenkeel
