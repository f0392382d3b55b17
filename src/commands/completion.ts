import { exit, UserError } from "../base/exit.ts";
import type { Run } from "./command.ts";

/** `evenkeel completion SHELL`: a script to source. */
export const run: Run<object> = (terminal, _, [shell = ""]) => {
  const script = completionScripts.get(shell);
  if (!script)
    throw new UserError(`expected one of ${[...completionScripts.keys()].join(", ")}, got ${shell}`, exit.usage);
  terminal.emit(script.trimEnd());
  return exit.done;
};

// Zsh runs a file of its $fpath as the function that the file defines, so the first time that has to be called as well.
// Bash splits words at : and = itself, so a candidate is what comes behind the last of them in the word;
// and it puts a candidate into the line as it is, so that it has to be quoted here.
const bash = `_evenkeel() {
  local line=\${COMP_LINE:0:COMP_POINT} words word prefix= candidate
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  word=\${words[\${#words[@]} - 1]}
  [[ $COMP_WORDBREAKS == *=* && $word == *=* ]] && prefix=\${word%"\${word##*=}"}
  [[ $COMP_WORDBREAKS == *:* && $word == *:* ]] && prefix=\${word%"\${word##*:}"}
  COMPREPLY=()
  while IFS= read -r candidate; do
    candidate=\${candidate%%$'\\t'*}
    [[ -n $candidate ]] || continue
    printf -v candidate %q "\${candidate#"$prefix"}"
    COMPREPLY+=("$candidate")
  done < <(evenkeel __complete -- "\${words[@]:1}" 2> /dev/null)
}
complete -o default -F _evenkeel evenkeel
`;

const zsh = `#compdef evenkeel
_evenkeel() {
  local -a found described
  local candidate word meaning
  found=("\${(@f)$(evenkeel __complete -- "\${(@)words[2,CURRENT]}" 2> /dev/null)}")
  for candidate in $found; do
    word=\${candidate%%$'\\t'*}
    meaning=\${\${candidate#$word}#$'\\t'}
    described+=("\${word//:/\\\\:}\${meaning:+:$meaning}")
  done
  if (( \${#described} )); then
    _describe evenkeel described
  else
    _files
  fi
}
compdef _evenkeel evenkeel
[[ $funcstack[1] != _evenkeel ]] || _evenkeel
`;

const fish = `function __evenkeel_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (evenkeel __complete -- $words[2..] 2> /dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c evenkeel -f -a '(__evenkeel_complete)'
`;

/** Scripts that a shell sources, by the shell's name. Where evenkeel has nothing to offer, files are offered. */
export const completionScripts: ReadonlyMap<string, string> = new Map([
  ["bash", bash],
  ["zsh", zsh],
  ["fish", fish],
]);
