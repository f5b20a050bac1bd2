import type { Command, Option } from "commander";

type Shell = "bash" | "zsh" | "fish";

interface Known {
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly about: string }[];
  readonly options: readonly KnownOption[];
}

interface KnownOption {
  readonly names: readonly string[];
  readonly about: string;
  /** It is followed by a value. */
  readonly takesValue: boolean;
  /** The values there are; none where any text, or a file, is one. */
  readonly values: readonly string[];
}

/** A script that knows every command and option; names of services come from `trivium get`. */
export function completionScript(shell: Shell, program: Command): string {
  const known = knownOf(program, "");
  return { bash, zsh, fish }[shell](known);
}

function knownOf(command: Command, path: string): Known[] {
  const visible = command.createHelp().visibleCommands(command);
  return [
    {
      path,
      commands: visible.map((one) => ({ name: one.name(), about: one.description() })),
      options: command.options.map(optionOf),
    },
    ...visible.flatMap((one) => knownOf(one, `${path} ${one.name()}`.trim())),
  ];
}

const optionOf = (option: Option): KnownOption => ({
  names: namesOf(option),
  about: option.description,
  takesValue: option.required || option.optional,
  values: option.argChoices ?? [],
});

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
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" typed="" words="" at
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "\${COMP_WORDS[at]}" in -*) continue ;; esac
    case "$typed" in
      "") typed="\${COMP_WORDS[at]}" ;;
      ${parentsIn(known).join("|")}) typed="$typed \${COMP_WORDS[at]}" ;;
    esac
  done
  case "$typed $previous" in
${valueCases(known).join("\n")}
  esac
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

/** Commands that have commands of their own. */
const parentsIn = (known: readonly Known[]): string[] =>
  known.filter(({ path, commands }) => path !== "" && commands.length > 0).map(({ path }) => path);

/** After an option whose values are known, those are all that can follow. */
const valueCases = (known: readonly Known[]): string[] =>
  known.flatMap(({ path, options }) =>
    options
      .filter(({ values }) => values.length > 0)
      .map(({ names, values }) => {
        const typed = names.map((name) => `"${path} ${name}"`).join("|");
        return `    ${typed}) COMPREPLY=($(compgen -W "${values.join(" ")}" -- "$current")); return ;;`;
      }),
  );

/** In zsh a variable `path` would be the list of folders of commands, and none would be found. */
function zsh(known: readonly Known[]): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bash(known)}`;
}

function fish(known: readonly Known[]): string {
  const parents = parentsIn(known);
  const lines = known.flatMap(({ path, commands, options }) => {
    const seen = quote(seenIn(path, parents, commands));
    const chosen = quote(seenIn(path, parents));
    return [
      ...commands.map(({ name, about }) => `complete -c trivium -f -n ${seen} -a ${name} -d ${quote(about)}`),
      ...options.map(
        (option) =>
          `complete -c trivium -n ${chosen} ${fishNames(option.names)}${fishValue(option)} -d ${quote(option.about)}`,
      ),
    ];
  });
  const live = `complete -c trivium -f -n '__fish_seen_subcommand_from ${serviceCommands.join(" ")}; and not __fish_seen_subcommand_from ${parents.join(" ")}' -a ${quote(`(${services})`)}`;
  return `${[...lines, live].join("\n")}\n`;
}

const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/**
 * The condition that a command was typed. Several commands have one called `rm`, so each names its parent, or that it has none; a command
 * is proposed until one of its kind was typed.
 */
function seenIn(path: string, parents: readonly string[], proposed: Known["commands"] = []): string {
  if (path === "") return proposed.length === 0 ? "true" : "__fish_use_subcommand";
  const words = path.split(" ");
  const [first = ""] = words;
  const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
  const isOwn = words.length === 1 && !parents.includes(first);
  const others = isOwn ? [`not __fish_seen_subcommand_from ${parents.join(" ")}`] : [];
  const typed = proposed.map(({ name }) => name).join(" ");
  const notYet = typed === "" ? [] : [`not __fish_seen_subcommand_from ${typed}`];
  return [...seen, ...others, ...notYet].join("; and ");
}

const fishNames = (names: readonly string[]): string =>
  names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`)).join(" ");

function fishValue({ takesValue, values }: KnownOption): string {
  if (values.length > 0) return ` -x -a ${quote(values.join(" "))}`;
  return takesValue ? " -r" : "";
}
