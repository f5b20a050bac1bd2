import type { Readable, Writable } from "node:stream";
import type { AnyObject } from "@trivium/kube";

/** Ways into running containers. The node agent gives them; refusals are `ApiError`s, thrown before anything is streamed. */
export interface PodStreams {
  /** Finds the container, and runs the command beside its process when it is called. */
  exec(pod: AnyObject, request: ExecRequest): RunCommand;
  /** Finds the container, and joins what its process prints and reads when it is called. */
  attach(pod: AnyObject, request: AttachRequest): RunCommand;
  /** Where a port of the pod is reached from this machine. */
  addressOf(pod: AnyObject, port: number): PortAddress | undefined;
}

export interface AttachRequest {
  readonly container: string;
  readonly stdin: boolean;
  readonly tty: boolean;
}

export interface ExecRequest extends AttachRequest {
  readonly command: readonly string[];
}

export type RunCommand = (streams: CommandStreams) => Promise<CommandResult>;

export interface CommandStreams {
  readonly stdin?: Readable | undefined;
  readonly stdout?: Writable | undefined;
  /** Not there with a terminal, which has one output. */
  readonly stderr?: Writable | undefined;
  /** Called with the size of the client's terminal, at first and whenever it changes. */
  onResize(listener: (size: TerminalSize) => void): void;
  /** Aborted when the client is gone: what was started for it ends. */
  readonly gone: AbortSignal;
}

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

export type CommandResult =
  | { readonly is: "exited"; readonly code: number }
  /** It could not be started. */
  | { readonly is: "failed"; readonly message: string };

export interface PortAddress {
  readonly host: string;
  readonly port: number;
}
