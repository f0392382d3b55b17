#compdef evenkeel
_evenkeel() {
  local -a found described
  local candidate word meaning
  found=("${(@f)$(evenkeel __complete -- "${(@)words[2,CURRENT]}" 2> /dev/null)}")
  for candidate in $found; do
    word=${candidate%%$'\t'*}
    meaning=${${candidate#$word}#$'\t'}
    described+=("${word//:/\\:}${meaning:+:$meaning}")
  done
  if (( ${#described} )); then
    _describe evenkeel described
  else
    _files
  fi
}
compdef _evenkeel evenkeel
# Zsh runs a file of its $fpath as the function that the file defines, so the first call must also call the function.
[[ $funcstack[1] != _evenkeel ]] || _evenkeel
