import { Command } from "commander";
import { declareAdopt } from "./adopt/declare.ts";
import { declareBench } from "./bench/declare.ts";
import { listNearest } from "./cluster/nearest.ts";
import { declareInstallation } from "./commands/installation.ts";
import { declareMachine } from "./commands/machine.ts";
import { declareServing } from "./commands/serving.ts";
import { declareWeights } from "./commands/weights.ts";
import { declareComplete } from "./complete/declare.ts";
import { declareCompletion } from "./completion/declare.ts";
import { declareConvert } from "./convert/declare.ts";
import { declareDashboard } from "./dashboard/declare.ts";
import { declareDoctor } from "./doctor/declare.ts";
import { declareEngine } from "./engine/declare.ts";
import { declareEvents } from "./events/declare.ts";
import { declareExplain } from "./explain/declare.ts";
import { declareLogs } from "./logs/declare.ts";
import { declareModels } from "./models/declare.ts";
import { declarePlan } from "./plan/declare.ts";
import { beQuiet } from "./quiet.ts";
import { declareScale } from "./scale/declare.ts";
import { declareService } from "./service/declare.ts";
import { declareTop } from "./top/declare.ts";
import { version } from "./version.ts";

type Declare = (program: Command) => void;

/**
 * The commands, in the order of the help and under its headings. Each declares its words only and loads its code when it runs, so that help
 * and completion need none of it.
 */
const groups: readonly (readonly [heading: string, declarations: readonly Declare[]])[] = [
  ["Serve and use models:", [declareServing, declareComplete, declareScale]],
  ["Find out what happens:", [declareExplain, declareLogs, declareEvents, declareTop, declareBench, declareDoctor]],
  ["Manifests:", [declarePlan, declareConvert, declareAdopt]],
  ["Weights and engines:", [declareModels, declareWeights, declareEngine]],
  ["Control plane of this machine:", [declareMachine, declareService, declareDashboard]],
  ["Install on a cluster:", [declareInstallation]],
  ["This program:", [declareCompletion, declareVersion, declareHelp]],
];

/** The command line, with every command it knows. */
export function createProgram(): Command {
  const program = new Command(process.env.TRIVIUM_COMMAND || "trivium")
    .description("One control plane for model serving that understands AIM, OME and LLMKube manifests")
    .version(version)
    .option("-q, --quiet", "print results and errors only; $TRIVIUM_QUIET does the same")
    .configureHelp({ showGlobalOptions: true, subcommandTerm: termOf, subcommandDescription: summaryOf })
    .addHelpText(
      "after",
      ({ command }) =>
        `\nBegin with ${command.name()} run MODEL; ${command.name()} help COMMAND prints arguments and options.`,
    )
    .hook("preAction", (all) => beQuiet(all.opts().quiet === true));
  for (const [heading, declarations] of groups) {
    program.commandsGroup(heading);
    for (const declare of declarations) declare(program);
  }
  nameHelp(program, []);
  return program;
}

const summaryOf = (command: Command): string => command.description().split("; ")[0] ?? "";

/** Its names alone: what it takes is in its own help, and the list stays one that is read at a glance. */
const termOf = (command: Command): string => [command.name(), ...command.aliases()].join(", ");

/** Commander's own prints the whole help for a command that does not exist, and for `help models pull` that of `models`. */
function declareHelp(program: Command): void {
  program.helpCommand(false).addCommand(helpOf(program).helpGroup(program.commandsGroup()));
}

const helpOf = (command: Command): Command =>
  new Command("help")
    .argument("[command...]")
    .description("print the help of a command")
    .action((words: readonly string[]) => findCommand(command, words).outputHelp());

function findCommand(command: Command, [word, ...more]: readonly string[]): Command {
  if (word === undefined || command.commands.length === 0) return command;
  const named = command.commands.find((one) => [one.name(), ...one.aliases()].includes(word));
  return named === undefined ? refuseCommand(command, word) : findCommand(named, more);
}

function declareVersion(program: Command): void {
  program
    .command("version")
    .description("print the version of this program, of Node and of the system")
    .action(() =>
      console.log(`trivium ${version}, Node ${process.versions.node}, ${process.platform}-${process.arch}`),
    );
}

/** An error is one line, which names the help of the command that was called and the commands that it may have been meant for. */
function nameHelp(command: Command, before: readonly string[]): void {
  const words = [...before, command.name()].join(" ");
  command.configureOutput({
    outputError: (text, write) =>
      write(
        `${text
          .trim()
          .replace(/\.$/, "")
          .replaceAll(/\s*\n\s*/g, " ")}; see ${words} --help\n`,
      ),
  });
  if (command.commands.length > 0) {
    command.on("command:*", ([word = ""]: string[]) => refuseCommand(command, word));
    if (before.length > 0) command.helpCommand(false).addCommand(helpOf(command), { hidden: true });
  }
  for (const each of command.commands) nameHelp(each, [...before, command.name()]);
}

function refuseCommand(command: Command, word: string): never {
  const known = command.createHelp().visibleCommands(command);
  const near = listNearest(
    word,
    known.flatMap((each) => [each.name(), ...each.aliases()]),
  );
  const hint = near.length === 0 ? "" : ` (Did you mean ${near.length === 1 ? "" : "one of "}${near.join(", ")}?)`;
  return command.error(`error: unknown command '${word}'${hint}`, { code: "commander.unknownCommand" });
}
