import { Duplex } from "node:stream";
import type { WebSocketPeer } from "./socket.ts";

/** Bytes in both directions over a WebSocket: the messages of one connection that is carried inside another. */
export function tunnelOver(peer: WebSocketPeer): Duplex {
  const messages = peer.messages();
  const line = new Duplex({
    read() {
      messages.next().then(
        ({ done, value }) => line.push(done === true ? null : value.data),
        () => line.push(null),
      );
    },
    write(chunk: Buffer, _encoding, done) {
      void peer.send(chunk).then(() => done());
    },
    final(done) {
      peer.close();
      done();
    },
    destroy(error, done) {
      peer.close();
      done(error);
    },
  });
  peer.ended.addEventListener("abort", () => line.destroy());
  return line;
}
