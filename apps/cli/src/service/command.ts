import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, platform } from "node:os";
import { dirname, join } from "node:path";
import { findRunning } from "@trivium/local";
import { Refusal } from "@trivium/std";
import { ownCommand } from "../machine/own-command.ts";
import { launchdAgent, launchdLabel, systemdUnit, type UnitCommand } from "./unit.ts";

interface Manager {
  readonly path: string;
  write(command: UnitCommand): string;
  readonly start: readonly (readonly string[])[];
  readonly stop: readonly (readonly string[])[];
}

/** What starts programs with a login on this system. */
function managerOf(): Manager {
  if (platform() === "darwin") {
    const path = join(homedir(), "Library/LaunchAgents", `${launchdLabel}.plist`);
    return {
      path,
      write: launchdAgent,
      start: [["launchctl", "load", "-w", path]],
      stop: [["launchctl", "unload", path]],
    };
  }
  const folder = process.env.XDG_CONFIG_HOME || join(homedir(), ".config");
  const control = (...words: string[]) => ["systemctl", "--user", ...words];
  return {
    path: join(folder, "systemd/user/trivium.service"),
    write: systemdUnit,
    start: [control("daemon-reload"), control("enable", "--now", "trivium.service")],
    stop: [control("disable", "--now", "trivium.service")],
  };
}

export interface InstallOptions {
  readonly home: string;
  readonly print?: boolean;
}

export function installService(options: readonly string[], { home, print }: InstallOptions): void {
  const manager = managerOf();
  const unit = manager.write({ program: ownCommand(), home, options });
  if (print === true) {
    process.stdout.write(unit);
    return;
  }
  const running = findRunning(home);
  if (running !== undefined && !existsSync(manager.path))
    throw new Refusal(`already running as process ${running.pid}; stop it with trivium down`);
  writeAndStart(manager, unit);
  console.log(`installed ${manager.path}; it starts with your login`);
}

/** A unit that cannot be started is not left behind: it would start with a later login, and could not be removed here. */
function writeAndStart({ path, start }: Manager, unit: string): void {
  const before = existsSync(path) ? readFileSync(path) : undefined;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, unit);
  try {
    for (const words of start) execute(words);
  } catch (error) {
    if (before === undefined) rmSync(path);
    else writeFileSync(path, before);
    throw error;
  }
}

export function uninstallService(): void {
  const manager = managerOf();
  if (!existsSync(manager.path)) throw new Refusal(`${manager.path} not found; trivium service install creates it`);
  for (const words of manager.stop) execute(words);
  rmSync(manager.path);
  console.log(`removed ${manager.path}`);
}

function execute([program = "", ...args]: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  if (status === 0) return;
  const why = (error?.message ?? stderr).trim().split("\n")[0] ?? "";
  throw new Refusal(
    `${program} ${args.join(" ")} failed: ${why}; without a user session, start the control plane with trivium up -d`,
  );
}
