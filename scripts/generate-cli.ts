/**
 * Writes docs/reference/cli.md from the commands themselves.
 *
 *   node scripts/generate-cli.ts [--check]
 */
import { createProgram } from "@trivium/cli";
import type { Argument, Command, Option } from "commander";
import { type GeneratedFiles, runGenerator } from "./generated-files.ts";

const opening = `# Command line

Generated from the commands; \`trivium help COMMAND\` prints the same. \`kubectl trivium …\` is the same
program as a plug-in of kubectl. Commands that read a cluster use the kubeconfig of kubectl and the
rights of its user; where there is none, the control plane of this machine.

| exit code | meaning |
|---|---|
| 0 | success; \`plan\`: nothing would change |
| 1 | the command failed: one line on standard error names the cause and what to do |
| 2 | \`plan\` and \`adopt\`: there are changes; \`weights\`, \`models pull\` and \`bench\`: invalid input |
| 3 | \`status\`: no control plane runs |
| 3 to 7 | \`weights\` and \`models pull\`: not found, denied, mismatch, no space, unreachable |
| 130 | stopped with Ctrl-C; \`up\`, which ends that way, has 0 |

Results go to standard output, everything else to standard error. Colors and progress bars appear on
a terminal only; \`NO_COLOR\` turns colors off. With \`-q\` (\`--quiet\`, or \`TRIVIUM_QUIET=1\`) every
command prints its result and errors only: \`run -q\` the answer, \`run --serve -q\` the address,
\`convert -q\` the manifests. \`-o json\` is for programs. A reader that stops early, such as \`head\`, is
no failure.

\`get\`, \`ps\` and \`status\` have one word for the status of a service of any API, and \`explain\` says
the same in its first line. \`get -o wide\` adds the word of the API itself as REASON.

| STATUS | \`explain\` | meaning |
|---|---|---|
| Ready | is ready | it serves the current spec |
| Idle | is scaled to zero | the next request starts it, or \`trivium start\` what \`trivium stop\` stopped |
| Progressing | is progressing | it becomes ready without an action |
| Failed | is not ready and needs action | CAUSE names the action |
| Degraded | is serving and needs action | it serves, and CAUSE names the action |`;

export function cliFiles(): GeneratedFiles {
  const commands = createProgram().commands.flatMap((command) => pagesOf(command, "trivium"));
  return new Map([["docs/reference/cli.md", `${[opening, ...commands].join("\n\n")}\n`]]);
}

function pagesOf(command: Command, parent: string): string[] {
  const name = `${parent} ${command.name()}`;
  const inner = command
    .createHelp()
    .visibleCommands(command)
    .flatMap((one) => pagesOf(one, name));
  return inner.length > 0 ? inner : [pageOf(command, name)];
}

function pageOf(command: Command, name: string): string {
  const words = [
    name,
    ...command.registeredArguments.map(wordOf),
    ...(command.options.length > 0 ? ["[options]"] : []),
  ];
  const aliases = command.aliases().map((alias) => `\`${alias}\``);
  return [
    `## ${name}`,
    `\`\`\`text\n${words.join(" ")}\n\`\`\``,
    `${wrap(sentenceOf(command.description()))}${aliases.length > 0 ? `\nAlso: ${aliases.join(", ")}.` : ""}`,
    tableOf(command),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function tableOf(command: Command): string {
  const rows = [
    ...command.registeredArguments.filter(({ description }) => description).map((one) => rowOf(wordOf(one), one)),
    ...command.options.filter(({ hidden }) => !hidden).map((one) => rowOf(one.flags, one)),
  ];
  return rows.length === 0 ? "" : ["| argument or option | meaning |", "|---|---|", ...rows].join("\n");
}

function rowOf(term: string, { description, argChoices, defaultValue, defaultValueDescription }: Argument | Option) {
  const shown = defaultValueDescription ?? (isShown(defaultValue) ? String(defaultValue) : undefined);
  const choices = argChoices === undefined ? "" : `: ${argChoices.join(", ")}`;
  return `| \`${term}\` | ${cell(`${description}${choices}`)}${shown === undefined ? "" : ` (default: ${cell(shown)})`} |`;
}

const isShown = (value: unknown): boolean => typeof value === "string" || typeof value === "number";

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("*", "\\*");

function wordOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

const sentenceOf = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** At the width of our pages. */
function wrap(text: string): string {
  return text.replace(/(?![^\n]{1,100}$)([^\n]{1,100}) /g, "$1\n");
}

if (import.meta.main) {
  const output = { root: process.cwd(), owns: ["docs/reference/cli.md"], files: cliFiles() };
  process.exitCode = runGenerator(output, process.argv.slice(2));
}
