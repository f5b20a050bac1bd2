import { createServer } from "node:net";
import { sha256Hex } from "@trivium/std";

/** `own`: each pod has an address of its own. `shared`: all have one, and ports are given out. */
export type AddressMode = "own" | "shared";

/** The address of all pods where they cannot have their own. */
export const sharedAddress = "127.0.0.1";

/** Whether this machine lets processes listen on any loopback address. macOS has only 127.0.0.1 unless somebody adds more. */
export async function findAddressMode(): Promise<AddressMode> {
  return (await canListen("127.77.0.1", 0)) ? "own" : "shared";
}

/** A part of 127.77.0.0/16 for one node: two nodes on one machine most likely get different ones. */
export function blockOf(node: string): string {
  return `127.77.${Number.parseInt(sha256Hex(node).slice(0, 2), 16)}.0/24`;
}

/** Whether a process could listen there now. */
export async function canListen(address: string, port: number): Promise<boolean> {
  return (await listenOnce(address, port)) !== undefined;
}

/** A port that nobody has; whoever asks is expected to take it soon. */
export async function freePort(address: string): Promise<number> {
  const port = await listenOnce(address, 0);
  if (port === undefined) throw new Error(`no free port at ${address}`);
  return port;
}

function listenOnce(address: string, port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen({ host: address, port, exclusive: true }, () => {
      const bound = server.address();
      server.close(() => resolve(typeof bound === "object" ? bound?.port : undefined));
    });
  });
}
