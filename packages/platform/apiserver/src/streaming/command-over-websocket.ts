import { Writable } from "node:stream";
import { commandStatus, commandText } from "./command-status.ts";
import type { CommandConnection } from "./connection.ts";
import { inputStream, TerminalSizes } from "./terminal-size.ts";
import type { WebSocketPeer } from "./websocket/socket.ts";
import { whenDrained } from "./when-drained.ts";

const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 };
const base64 = "base64.channel.k8s.io";

/** Subprotocols by preference; the empty one is for clients that name none. */
export const commandProtocols = [
  "v5.channel.k8s.io",
  "v4.channel.k8s.io",
  `v4.${base64}`,
  "channel.k8s.io",
  base64,
  "",
];

/** Runs a command whose streams are messages with the number of the stream in front. */
export async function commandOverWebSocket(
  { run, stdin: hasStdin, stdout: hasStdout, stderr: hasStderr }: CommandConnection,
  peer: WebSocketPeer,
  protocol: string,
): Promise<void> {
  const isText = protocol.endsWith(base64);
  const send = (channel: number, data: Buffer): Promise<void> =>
    isText
      ? peer.sendText(`${channel}${data.toString("base64")}`)
      : peer.send(Buffer.concat([Buffer.of(channel), data]));
  const output = (channel: number): Writable =>
    new Writable({ write: (chunk: Buffer, _, done) => void send(channel, chunk).then(() => done()) });
  const stdin = hasStdin ? inputStream() : undefined;
  const sizes = new TerminalSizes();
  const take = async (channel: number, data: Buffer): Promise<void> => {
    if (channel === channels.resize) sizes.take(data.toString("utf8"));
    else if (channel === channels.close && data[0] === channels.stdin) stdin?.end();
    else if (channel === channels.stdin && stdin?.writable === true && !stdin.write(data)) await whenDrained(stdin);
  };
  const reading = (async () => {
    for await (const { data } of peer.messages()) {
      if (data.length === 0) continue;
      if (isText) await take((data[0] as number) - 0x30, Buffer.from(data.toString("latin1", 1), "base64"));
      else await take(data[0] as number, data.subarray(1));
    }
    stdin?.end();
  })();
  // Clients of the older protocols take the first message for the sign that the connection stands.
  if (protocol !== "v5.channel.k8s.io" && hasStdout) await send(channels.stdout, Buffer.alloc(0));
  const result = await run({
    stdin,
    stdout: hasStdout ? output(channels.stdout) : undefined,
    stderr: hasStderr ? output(channels.stderr) : undefined,
    onResize: sizes.onResize,
    gone: peer.ended,
  });
  stdin?.destroy();
  const isStructured = protocol.startsWith("v4.") || protocol.startsWith("v5.");
  const last = isStructured ? JSON.stringify(commandStatus(result)) : commandText(result);
  if (last !== "") await send(channels.error, Buffer.from(last));
  peer.close();
  await reading;
}
