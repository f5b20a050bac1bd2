import type { api } from "@trivium/kube";
import type { Millis } from "@trivium/std";

export type CommandEnd =
  | { readonly is: "exited"; readonly code: number; readonly output: string }
  | { readonly is: "timed out" }
  /** It could not be started. */
  | { readonly is: "failed"; readonly message: string };

/** A container that runs, as probes and hooks see it. */
export interface CheckTarget {
  readonly container: api.Container;
  readonly address: string;
  /** From the port of the spec to the one that it listens on, where they differ. */
  readonly ports: ReadonlyMap<number, number>;
  /** Runs a command beside its process. */
  run(command: readonly string[], options: { timeout?: Millis; signal?: AbortSignal }): Promise<CommandEnd>;
}

/** `errored`: the question could not be put, which says nothing of the container. */
export type CheckResult =
  | { readonly is: "healthy" }
  | { readonly is: "warning"; readonly message: string }
  | {
      readonly is: "unhealthy";
      readonly message: string;
      /** The server did not respond at all. */
      readonly isSilent?: true;
    }
  | { readonly is: "errored"; readonly message: string };

/** The port that a number or the name of a container port means. */
export function portOf(wanted: string | number, { container, ports }: CheckTarget): number {
  const declared = (container.ports ?? []).find(({ name }) => name === wanted)?.containerPort;
  const port = declared ?? (typeof wanted === "number" || /^\d+$/.test(wanted) ? Number(wanted) : undefined);
  if (port === undefined)
    throw new Error(`couldn't find port: ${JSON.stringify(wanted)} in container ${JSON.stringify(container.name)}`);
  if (port < 1 || port > 65_535) throw new Error(`invalid port number: ${port}`);
  return ports.get(port) ?? port;
}
