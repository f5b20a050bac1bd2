import type { Socket } from "node:net";
import type { Readable } from "node:stream";

/** A body on its way from a client to a replica. */
export interface StreamedBody {
  readonly isSent: boolean;
  /** Nothing more is written; what the client still sends is read and dropped. */
  detach(): void;
}

/** Passes a body on as it arrives, no faster than the socket takes it. */
export function streamBody(
  body: Readable,
  socket: Socket,
  framing: "plain" | "chunked",
  onError: (error: Error) => void,
): StreamedBody {
  let state: "open" | "sent" | "detached" = "open";
  const onData = (piece: Buffer): void => {
    if (framing === "chunked" && piece.length === 0) return;
    if (!writePiece(socket, piece, framing)) body.pause();
  };
  const onDrain = (): void => void body.resume();
  const onEnd = (): void => {
    state = "sent";
    if (framing === "chunked") socket.write("0\r\n\r\n", "latin1");
    release();
  };
  const onClose = (): void => {
    release();
    if (state === "open") onError(new Error("the request body broke off"));
  };
  const release = (): void => {
    body.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose);
    socket.off("drain", onDrain);
  };
  socket.on("drain", onDrain);
  body.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose);
  return {
    get isSent() {
      return state === "sent";
    },
    detach() {
      if (state !== "open") return;
      state = "detached";
      release();
      body.on("error", () => {}).resume();
    },
  };
}

function writePiece(socket: Socket, piece: Buffer, framing: "plain" | "chunked"): boolean {
  if (framing === "plain") return socket.write(piece);
  socket.cork();
  socket.write(`${piece.length.toString(16)}\r\n`, "latin1");
  socket.write(piece);
  const isTaken = socket.write("\r\n", "latin1");
  socket.uncork();
  return isTaken;
}
