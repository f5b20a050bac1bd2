import { closeSync, constants, openSync } from "node:fs";
import type { api } from "@trivium/kube";

/** The write end of a container's standard input that is kept open between clients. */
export interface InputEnd {
  close(): void;
}

export interface StandardInput {
  /** What the process reads from. */
  readonly reader: number;
  /** Closed, the process sees the end of its input. Not there where the input never ends. */
  readonly kept?: InputEnd | undefined;
}

/**
 * Standard input from a named pipe. For `stdinOnce` it ends with the first client, or with the agent. Else it never ends: the process
 * holds the other end itself.
 */
export function openInput(path: string, { stdinOnce }: Pick<api.Container, "stdinOnce">): StandardInput {
  if (stdinOnce !== true) return { reader: openSync(path, constants.O_RDWR | constants.O_NONBLOCK) };
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let writer: number | undefined = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  const close = (): void => {
    if (writer !== undefined) closeSync(writer);
    writer = undefined;
  };
  return { reader, kept: { close } };
}
