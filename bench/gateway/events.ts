import { connect } from "node:net";
import type { Address } from "./raw-client.ts";

/** Opens streams and measures how long each event was on its way; the server writes the time into it. */
export async function eventLatencies(address: Address, request: Buffer, streams: number): Promise<Float64Array> {
  const latencies: number[] = [];
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(address.port, address.host, () => socket.write(request));
      socket.setNoDelay(true);
      socket.on("data", (piece) => {
        const now = performance.timeOrigin + performance.now();
        const text = piece.toString("latin1");
        for (const match of text.matchAll(/"at":([\d.]+)/g)) latencies.push(now - Number(match[1]));
        if (!text.includes("[DONE]")) return;
        socket.destroy();
        resolve();
      });
      socket.once("error", reject);
    });
  await Promise.all(Array.from({ length: streams }, one));
  return Float64Array.from(latencies).sort();
}
