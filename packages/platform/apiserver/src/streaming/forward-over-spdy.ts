import type { PortsConnection } from "./connection.ts";
import { forwardPort } from "./forward-port.ts";
import type { SpdySession, SpdyStream } from "./spdy/session.ts";

export const forwardProtocol = "portforward.k8s.io";
/** The same inside of a WebSocket, as kubectl since 1.31 does it. */
export const tunnelledForwardProtocol = `SPDY/3.1+${forwardProtocol}`;

/** Streams that wait for their other half. */
const maxHalves = 256;

/** Each connection that the client accepts is a pair of streams: its data, and a sentence where it fails. */
export async function forwardOverSpdy(connection: PortsConnection, session: SpdySession): Promise<void> {
  const halves = new Map<string, SpdyStream>();
  await session.serve((stream) => {
    const kind = kindOf(stream);
    const port = Number(stream.headers.get("port"));
    const isPort = Number.isInteger(port) && port > 0 && port <= 0xffff;
    if (!isPort || (kind !== "data" && kind !== "error") || halves.size > maxHalves) return void stream.destroy();
    const request = stream.headers.get("requestid") || String(port);
    const other = halves.get(request);
    if (other === undefined || kindOf(other) === kind) {
      halves.set(request, stream);
      stream.once("close", () => halves.delete(request));
      return;
    }
    halves.delete(request);
    const [data, error] = kind === "data" ? [stream, other] : [other, stream];
    void forwardPort(connection, port, data).then((failure) => {
      // Before the connection has its answer: the client reads the sentence first.
      error.end(failure);
    });
  });
}

const kindOf = ({ headers }: SpdyStream): string => headers.get("streamtype") ?? "";
