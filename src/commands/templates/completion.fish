function __evenkeel_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (evenkeel __complete -- $words[2..] 2> /dev/null)
  if test (count $found) -gt 0
    printf '%s\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c evenkeel -f -a '(__evenkeel_complete)'
