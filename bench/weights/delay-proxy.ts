// Carries connections to another port and back, each way late by half of what is asked. A program of its own: `delay-proxy.ts PORT MS`.
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

const [, , upstream, roundTrip] = process.argv;
const late = Number(roundTrip) / 2;

/** Bytes arrive in order and late, and no more than some megabytes are on the way. */
function carry(from: Socket, to: Socket): void {
  let onTheWay = 0;
  from.on("data", (chunk) => {
    onTheWay += chunk.length;
    if (onTheWay > 4 * 1024 * 1024) from.pause();
    setTimeout(() => {
      onTheWay -= chunk.length;
      if (from.isPaused()) from.resume();
      if (!to.write(chunk)) {
        from.pause();
        to.once("drain", () => from.resume());
      }
    }, late);
  });
  from.on("end", () => setTimeout(() => to.end(), late));
  from.on("error", () => to.destroy());
  from.on("close", () => setTimeout(() => to.destroy(), late + 50));
}

const server = createServer({ noDelay: true }, (client) => {
  // A connection costs a round trip before the first byte.
  client.pause();
  const onward = connect({ port: Number(upstream), host: "127.0.0.1", noDelay: true });
  carry(client, onward);
  carry(onward, client);
  client.pause();
  setTimeout(() => client.resume(), late * 2);
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
