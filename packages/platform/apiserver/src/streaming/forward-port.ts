import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { finished } from "node:stream/promises";
import type { PortsConnection } from "./connection.ts";
import type { PortAddress } from "./pod-streams.ts";

/** Milliseconds until a port of a pod must have answered. */
const dialTime = 10_000;

/** Copies in both directions until both sides are done, or one is gone. Says what failed, or "". */
export async function forwardPort({ pod, addressOf }: PortsConnection, port: number, data: Duplex): Promise<string> {
  const address = addressOf(port);
  const socket = address === undefined ? "the pod has no address yet" : await dial(address);
  if (typeof socket === "string") {
    data.end();
    data.resume();
    return `error forwarding port ${port} to pod ${pod}: ${socket}`;
  }
  data.once("close", () => socket.destroy());
  data.pipe(socket);
  socket.pipe(data);
  await finished(socket).catch(() => undefined);
  // What the pod sent last is still on its way to the client.
  if (!data.destroyed) await finished(data.end(), { readable: false }).catch(() => undefined);
  data.destroy();
  return "";
}

function dial({ host, port }: PortAddress): Promise<Socket | string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
    socket.setTimeout(dialTime, () => socket.destroy(new Error("connection timed out")));
    socket.once("connect", () => {
      socket.setTimeout(0);
      resolve(socket);
    });
    socket.on("error", (error: NodeJS.ErrnoException) =>
      resolve(error.code === "ECONNREFUSED" ? "connection refused: no process listens on this port" : error.message),
    );
  });
}
