import type { PortAddress, RunCommand } from "./pod-streams.ts";

/** What a request that leaves plain HTTP may reach, after the caller's rights were looked at. */
export type Connection = CommandConnection | PortsConnection | ProxyConnection;

export interface CommandConnection {
  readonly is: "command";
  readonly run: RunCommand;
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

export interface PortsConnection {
  readonly is: "ports";
  readonly pod: string;
  /** Those named in the request, as clients over WebSocket channels do. */
  readonly ports: readonly number[];
  /** Where a port is reached. */
  addressOf(port: number): PortAddress | undefined;
}

export interface ProxyConnection {
  readonly is: "proxy";
  readonly scheme: "http" | "https";
  readonly address: PortAddress;
  /** What the target is asked for, with the query. */
  readonly path: string;
  /** What stands before that path in ours, for redirects. */
  readonly prefix: string;
}
