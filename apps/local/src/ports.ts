import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Home, RunRecord } from "./home.ts";

/** Ports by what listens on them. */
export type Ports = RunRecord["ports"];

/** What a start asked for and what it got: the two differ where any free port was allowed. */
export interface KeptPorts {
  readonly requested?: Partial<Ports>;
  readonly taken?: Partial<Ports>;
}

export interface PortRequest {
  readonly of: keyof Ports;
  readonly port: number;
  /** Whether another port will do where this one is in use; always so for 0. */
  readonly isAnyAllowed?: boolean | undefined;
}

/** The ports to try, in order: that of the last start first, so that addresses of a restarted control plane stay what they were. */
export function portsToTry({ of, port, isAnyAllowed }: PortRequest, kept: KeptPorts): readonly [number, ...number[]] {
  if (port !== 0 && isAnyAllowed !== true) return [port];
  const before = kept.requested?.[of] === port ? kept.taken?.[of] : undefined;
  const [first, ...rest] = [...new Set([...(before === undefined ? [] : [before]), port, 0])];
  return [first ?? port, ...rest];
}

const fileOf = (home: Home): string => join(home.path, "ports.json");

/** Nothing where the home is new, or the file unreadable: then ports are chosen as for a first start. */
export function readKeptPorts(home: Home): KeptPorts {
  try {
    const { requested, taken } = JSON.parse(readFileSync(fileOf(home), "utf8")) as KeptPorts;
    return { requested: portsIn(requested), taken: portsIn(taken) };
  } catch {
    return {};
  }
}

export function keepPorts(home: Home, kept: Required<KeptPorts>): void {
  writeFileSync(`${fileOf(home)}.new`, `${JSON.stringify(kept)}\n`, { mode: 0o600 });
  renameSync(`${fileOf(home)}.new`, fileOf(home));
}

const portsIn = (value: unknown): Partial<Ports> =>
  Object.fromEntries(
    Object.entries(value ?? {}).filter(([, port]) => Number.isInteger(port) && port >= 0 && port <= 65_535),
  );
