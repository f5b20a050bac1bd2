import type { Command, Option } from "commander";

type Shell = "bash" | "zsh" | "fish";

interface Known {
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly about: string }[];
  readonly options: readonly { readonly names: readonly string[]; readonly about: string }[];
}

/** A script that knows every command and option; names of services come from `trivium get`. */
export function completionScript(shell: Shell, program: Command): string {
  const known = knownOf(program, "");
  return { bash, zsh, fish }[shell](known);
}

function knownOf(command: Command, path: string): Known[] {
  const visible = command.commands;
  return [
    {
      path,
      commands: visible.map((one) => ({ name: one.name(), about: one.description() })),
      options: command.options.map((one) => ({ names: namesOf(one), about: one.description })),
    },
    ...visible.flatMap((one) => knownOf(one, `${path} ${one.name()}`.trim())),
  ];
}

const namesOf = ({ short, long }: Option): string[] => [short, long].filter((name) => name !== undefined);

/** Commands whose first argument is a service. */
const serviceCommands = [
  "chat",
  "complete",
  "get",
  "ps",
  "explain",
  "logs",
  "events",
  "stop",
  "start",
  "rm",
  "bench",
  "top",
];

const services = `trivium get -A -o json 2>/dev/null | sed -n 's/^ *"name": "\\(.*\\)",$/\\1/p'`;

function bash(known: readonly Known[]): string {
  const cases = known.map(
    ({ path, commands, options }) =>
      `    "${path}") words="${[...commands.map(({ name }) => name), ...options.flatMap(({ names }) => names)].join(" ")}" ;;`,
  );
  return `_trivium() {
  local current="\${COMP_WORDS[COMP_CWORD]}" typed="" words="" at
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "\${COMP_WORDS[at]}" in -*) ;; *) [ "$at" -le 2 ] && typed="\${typed:+$typed }\${COMP_WORDS[at]}" ;; esac
  done
  case "$typed" in ${serviceCommands.join("|")}) words="$(${services})" ;; esac
  local names="$words"
  case "$typed" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$names $words" -- "$current"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _trivium trivium
`;
}

/** In zsh a variable `path` would be the list of folders of commands, and none would be found. */
function zsh(known: readonly Known[]): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bash(known)}`;
}

function fish(known: readonly Known[]): string {
  const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = known.flatMap(({ path, commands, options }) => {
    const seen = path === "" ? "__fish_use_subcommand" : `__fish_seen_subcommand_from ${path.split(" ").at(-1)}`;
    return [
      ...commands.map(({ name, about }) => `complete -c trivium -f -n ${quote(seen)} -a ${name} -d ${quote(about)}`),
      ...options.map(
        ({ names, about }) => `complete -c trivium -n ${quote(seen)} ${fishNames(names)} -d ${quote(about)}`,
      ),
    ];
  });
  const live = `complete -c trivium -f -n '__fish_seen_subcommand_from ${serviceCommands.join(" ")}' -a ${quote(`(${services})`)}`;
  return `${[...lines, live].join("\n")}\n`;
}

const fishNames = (names: readonly string[]): string =>
  names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)).join(" ");
