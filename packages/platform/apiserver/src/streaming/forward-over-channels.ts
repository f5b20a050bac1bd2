import type { PortsConnection } from "./connection.ts";
import { forwardPort } from "./forward-port.ts";
import { PushedStream } from "./pushed-stream.ts";
import type { WebSocketPeer } from "./websocket/socket.ts";

/** How clients other than kubectl forward ports; the empty name is for those that name none. */
export const channelForwardProtocols = ["v4.channel.k8s.io", "channel.k8s.io", ""];

/** Two channels for each port that the request names: data and error. Each begins with the number of the port. */
export async function forwardOverChannels(connection: PortsConnection, peer: WebSocketPeer): Promise<void> {
  const send = (channel: number, data: Buffer): Promise<void> => peer.send(Buffer.concat([Buffer.of(channel), data]));
  const channels: Channel[] = [];
  for (const [index, port] of connection.ports.entries()) {
    const number = Buffer.alloc(2);
    number.writeUInt16LE(port);
    await send(2 * index, number);
    await send(2 * index + 1, number);
    const channel = new Channel((data) => send(2 * index, data));
    peer.ended.addEventListener("abort", () => channel.destroy());
    channels.push(channel);
    void forwardPort(connection, port, channel).then(async (failure) => {
      if (failure !== "") await send(2 * index + 1, Buffer.from(failure));
    });
  }
  for await (const { data } of peer.messages()) {
    const [number = 1] = data;
    if (number % 2 === 0) await channels[number / 2]?.receive(data.subarray(1), false);
  }
  for (const channel of channels) await channel.receive(Buffer.alloc(0), true);
}

class Channel extends PushedStream {
  readonly #send: (data: Buffer) => Promise<void>;

  constructor(send: (data: Buffer) => Promise<void>) {
    super();
    this.#send = send;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    void this.#send(chunk).then(() => done());
  }
}
