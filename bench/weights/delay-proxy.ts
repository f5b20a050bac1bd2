// Carries connections to another port and back, each way late by half of what is asked, and back no faster than a limit for each
// connection. A program of its own: `delay-proxy.ts PORT MS BYTES_PER_SECOND`.
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

const [, , upstream, roundTrip, limit] = process.argv;
const late = Number(roundTrip) / 2;
const bytesPerMs = Number(limit) / 1000;

/** Bytes arrive in order, late, and at a pace. What is on the way is bounded, so that the sender feels the limit. */
function carry(from: Socket, to: Socket, pace: number): void {
  const most = Math.max(65_536, pace * (late + 50));
  const queue: { readonly chunk: Buffer; readonly due: number }[] = [];
  let [onTheWay, freeAt, hasEnded] = [0, 0, false];
  const deliver = (): void => {
    const now = performance.now();
    for (let next = queue[0]; next !== undefined && next.due <= now; next = queue[0]) {
      queue.shift();
      onTheWay -= next.chunk.length;
      to.write(next.chunk);
    }
    if (queue[0] !== undefined) setTimeout(deliver, Math.max(1, queue[0].due - now));
    else if (hasEnded) to.end();
    if (onTheWay >= most) return;
    if (to.writableLength < most) from.resume();
    else to.once("drain", () => from.resume());
  };
  from.on("data", (chunk) => {
    const now = performance.now();
    onTheWay += chunk.length;
    if (onTheWay >= most) from.pause();
    freeAt = Math.max(now, freeAt) + chunk.length / pace;
    queue.push({ chunk, due: freeAt + late });
    if (queue.length === 1) setTimeout(deliver, freeAt + late - now);
  });
  from.on("end", () => {
    hasEnded = true;
    if (queue.length === 0) setTimeout(() => to.end(), late);
  });
  from.on("error", () => to.destroy());
}

const server = createServer({ noDelay: true }, (client) => {
  const onward = connect({ port: Number(upstream), host: "127.0.0.1", noDelay: true });
  carry(client, onward, Number.POSITIVE_INFINITY);
  carry(onward, client, bytesPerMs);
  client.on("close", () => onward.destroy());
  // A connection costs a round trip before the first byte.
  client.pause();
  setTimeout(() => client.resume(), late * 2);
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
