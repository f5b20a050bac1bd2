import type { IncomingMessage } from "node:http";

export type ReadBody =
  | { readonly is: "body"; readonly body: Buffer }
  | { readonly is: "too-large" }
  | { readonly is: "gone" };

/** Reads a body whole, up to a limit. What comes after the limit is left unread. */
export function readBody(body: Buffer | IncomingMessage, most: number, done: (read: ReadBody) => void) {
  if (!(body instanceof Uint8Array)) return readArriving(body, most, done);
  done(body.length > most ? { is: "too-large" } : { is: "body", body });
}

function readArriving(request: IncomingMessage, most: number, done: (read: ReadBody) => void) {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > most) return done({ is: "too-large" });
  const pieces: Buffer[] = [];
  let size = 0;
  let isDone = false;
  const finish = (read: ReadBody): void => {
    if (isDone) return;
    isDone = true;
    // A body that has ended sends nothing more: its listeners go with it.
    if (read.is === "too-large") request.off("data", onData).off("end", onEnd).off("close", onClose);
    done(read);
  };
  const onData = (piece: Buffer): void => {
    size += piece.length;
    if (size > most) {
      request.pause();
      finish({ is: "too-large" });
    } else pieces.push(piece);
  };
  const onEnd = (): void =>
    finish({ is: "body", body: pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces) });
  const onClose = (): void => finish({ is: "gone" });
  request.on("data", onData).on("end", onEnd).on("close", onClose);
}
