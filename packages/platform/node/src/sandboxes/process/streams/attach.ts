import { once } from "node:events";
import { constants, openSync, readFileSync } from "node:fs";
import { Socket } from "node:net";
import type { CommandResult, CommandStreams } from "@trivium/apiserver";
import type { api } from "@trivium/kube";
import type { FileLog } from "../../../logs/file-log.ts";
import type { RunFolder } from "../run/run-folder.ts";
import type { InputEnd } from "./standard-input.ts";
import { resizeTerminal } from "./terminal.ts";

export interface AttachedRun {
  readonly container: api.Container;
  readonly folder: RunFolder;
  readonly log: FileLog;
  /** Whether what was printed before is shown, too: to the first who comes to an interactive container. */
  readonly shows: "everything" | "what follows";
  /** Our end of its standard input, where the process sees an end when we close it. */
  readonly input: InputEnd | undefined;
}

/** Joins a container's process: what it prints from its log, what it reads through its pipe. Ends with the container or with the client. */
export async function attach(run: AttachedRun, streams: CommandStreams): Promise<CommandResult> {
  const { container, folder, log, shows } = run;
  if (container.tty === true) streams.onResize((size) => resizeTerminal(terminalOf(folder), size));
  if (container.stdin === true && streams.stdin !== undefined) feed(run, streams);
  const request = { follow: true, timestamps: false, previous: false, signal: streams.gone } as const;
  const all = shows === "everything" ? {} : { tailLines: 0 };
  for await (const text of log.read({ ...request, ...all }, log.now())) {
    const { stdout } = streams;
    if (stdout?.write(text) === false) await once(stdout, "drain", { signal: streams.gone }).catch(() => undefined);
  }
  return { is: "exited", code: 0 };
}

/** Opened for each client: a reader is there as long as the process is, else opening fails and there is nobody to write to. */
function feed({ container, folder, input }: AttachedRun, { stdin, gone }: CommandStreams): void {
  let fd: number;
  try {
    fd = openSync(folder.file("in"), constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return;
  }
  // As a socket, because a file would hold a thread for as long as the process does not read.
  const pipe = new Socket({ fd, readable: false, writable: true });
  pipe.on("error", () => pipe.destroy());
  stdin?.pipe(pipe);
  const leave = (): void => {
    pipe.end();
    if (container.stdinOnce === true) input?.close();
  };
  stdin?.once("end", leave);
  gone.addEventListener("abort", leave, { once: true });
}

function terminalOf(folder: RunFolder): string {
  try {
    return readFileSync(folder.file("tty"), "utf8").trim();
  } catch {
    return "";
  }
}
