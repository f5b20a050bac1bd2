import {
  backgroundLog,
  describeLeftPods,
  findDashboard,
  findRunning,
  type RunRecord,
  startInBackground,
  startOptionsOf,
  stopLeftPods,
  stopRunning,
} from "@trivium/local";
import { Refusal } from "@trivium/std";
import { untilInterrupted } from "../interrupt.ts";
import { announce } from "../screen.ts";
import { ownCommand } from "./own-command.ts";

/** What remains after Ctrl-C while it starts. */
export const startStopped = "stopped; no control plane was started";

/** The same command in a process of its own; `given` are the words after its name. */
export async function upInBackground(home: string, given: readonly string[]): Promise<void> {
  const running = findRunning(home);
  if (running !== undefined) throw new Refusal(`already running as process ${running.pid}; stop it with trivium down`);
  announce("Starting the control plane …");
  await start(home, withoutDetach(given));
}

const withoutDetach = (words: readonly string[]): string[] =>
  words.filter((word) => word !== "-d" && word !== "--detach");

async function start(home: string, args: readonly string[]): Promise<void> {
  const record = await startInBackground({ home, args, program: ownCommand(), signal: untilInterrupted() });
  if (record === undefined) console.error(startStopped);
  else printStarted(record, home);
}

function printStarted(record: RunRecord, home: string): void {
  console.log(`control plane   ${record.url}, process ${record.pid}`);
  printAddresses(record, home);
  console.log(`log             ${backgroundLog(home)}`);
}

export function printAddresses(record: RunRecord, home: string): void {
  console.log(`gateway         http://127.0.0.1:${record.ports.gateway}`);
  const dashboard = findDashboard(home, record);
  if (dashboard !== undefined) console.log(`dashboard       ${dashboard}`);
}

/** Stops the control plane and starts it in the background, with the options that it ran with. */
export async function restart(home: string): Promise<void> {
  const running = findRunning(home);
  const args = running === undefined ? [] : withoutDetach(startOptionsOf(running));
  announce("Restarting the control plane …");
  await stopRunning(home);
  await start(home, args);
}

export async function down(home: string): Promise<void> {
  const stopped = await stopRunning(home);
  const left = await stopLeftPods(home);
  const pods = left.length > 0 ? `; stopped ${describeLeftPods(left)} of an earlier one` : "";
  console.log(stopped === undefined ? `no control plane runs${pods}` : `stopped process ${stopped}${pods}`);
}
