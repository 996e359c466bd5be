/** `extwire completion`: scripts that ask this program what may follow, so that they are never out of date. */
import { type Application, type ApplicationContext, proposeCompletions } from "@stricli/core";
import { notOneOf } from "../choice.ts";
import type { Cli } from "../context.ts";
import { UsageError } from "../errors.ts";

export function completion(this: Cli, _flags: object, shell: string): void {
  const script = SCRIPTS[shell];
  if (script === undefined) throw new UsageError(notOneOf("completion", shell, SHELLS));
  this.output.write(script);
}

/**
 * What the scripts call: `extwire __complete WORD… LAST` prints what LAST may become, one a line with a tab and
 * what it means. A line `:files` says that file names fit too.
 */
export async function printProposals(
  app: Application<Cli>,
  words: readonly string[],
  cli: Cli & ApplicationContext,
): Promise<void> {
  // What follows a -- is somebody else's command.
  if (words.slice(0, -1).includes("--")) return cli.output.line(":files");
  const proposals = await proposeCompletions(app, words.length === 0 ? [""] : words, cli);
  for (const { completion, brief } of proposals) cli.output.line(`${completion}\t${brief}`);
  if (takesFile(words)) cli.output.line(":files");
}

/** Whether the last word may be the name of a file: a TARGET, or the value of a flag that takes one. */
function takesFile(words: readonly string[]): boolean {
  const before = words.at(-2) ?? "";
  if (words.at(-1)?.startsWith("-")) return false;
  if (before.startsWith("--") && !SWITCHES.includes(before)) return FILE_FLAGS.includes(before);
  return words.length > 1 && TARGET_COMMANDS.includes(words[0]!);
}

/** Flags without a value. */
const SWITCHES = ["--json", "--verbose", "--trace"];
const FILE_FLAGS = ["--save", "--config", "--input"];
const TARGET_COMMANDS = ["tools", "call", "run"];

/** Bash cuts words at `:` and `=`, which stand in TARGETs and arguments: words are taken from the line instead. */
const BASH = `# extwire completion for bash: source <(extwire completion bash)
_extwire() {
  local IFS=$' \\t\\n' line="\${COMP_LINE:0:COMP_POINT}" words last prefix proposal cuts
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  last="\${words[\${#words[@]}-1]}"
  cuts="\${COMP_WORDBREAKS//[^:=]/}"
  [[ -n $cuts ]] && prefix="\${last%"\${last##*[$cuts]}"}"
  COMPREPLY=()
  while IFS=$'\\t' read -r proposal _; do
    if [[ $proposal == :files ]]; then
      while IFS= read -r proposal; do COMPREPLY+=("\${proposal#"$prefix"}"); done < <(compgen -f -- "$last")
      compopt -o filenames 2>/dev/null
    elif [[ $proposal == "$last"* ]]; then
      COMPREPLY+=("\${proposal#"$prefix"}")
    fi
  done < <("\${words[0]}" __complete "\${words[@]:1}" 2>/dev/null)
}
complete -F _extwire extwire
`;

const ZSH = `#compdef extwire
# extwire completion for zsh: source <(extwire completion zsh)
_extwire() {
  local -a proposals
  local line files=
  while IFS=$'\\t' read -r line brief; do
    if [[ $line == :files ]]; then files=1; else proposals+=("\${line//:/\\\\:}:$brief"); fi
  done < <("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe extwire proposals
  [[ -n $files ]] && _files
}
compdef _extwire extwire
`;

const FISH = `# extwire completion for fish: extwire completion fish | source
function __extwire_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l files 0
    for line in ($words[1] __complete $words[2..] 2>/dev/null)
        if test "$line" = ":files"
            set files 1
        else
            echo $line
        end
    end
    test $files = 1; and __fish_complete_path (commandline -ct)
end
complete -c extwire -f -a '(__extwire_complete)'
`;

const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
const SHELLS = Object.keys(SCRIPTS);
