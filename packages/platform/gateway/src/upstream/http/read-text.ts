import type { Millis } from "@trivium/std";
import type { ResponseControl } from "./connection.ts";
import type { Pool } from "./pool.ts";

export interface ReadTextOptions {
  readonly host: string;
  /** How long the whole exchange can take. */
  readonly patience: Millis;
  /** A longer text is not read; the result is empty. */
  readonly maxBytes: number;
}

/** GETs a path of a replica. Rejects when it cannot be reached, breaks off or takes too long. */
export function readText(
  pool: Pool,
  path: string,
  { host, patience, maxBytes }: ReadTextOptions,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let [status, size] = [0, 0];
    let control: ResponseControl | undefined;
    let isOver = false;
    const finish = (settle: () => void): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      settle();
    };
    const timer = setTimeout(() => {
      finish(() => reject(new Error("the replica did not respond in time")));
      control?.abort();
    }, patience);
    pool.dispatch(
      { method: "GET", path, headers: ["host", host], body: null },
      {
        onRequestStart(started) {
          control = started;
          if (isOver) control.abort();
        },
        onResponseStart(head) {
          status = head.status;
        },
        onResponseData(piece) {
          size += piece.length;
          if (size <= maxBytes) return void pieces.push(piece);
          finish(() => resolve({ status, text: "" }));
          control?.abort();
        },
        onResponseEnd: () => finish(() => resolve({ status, text: Buffer.concat(pieces).toString("utf8") })),
        onResponseError: (error) => finish(() => reject(error)),
      },
    );
  });
}
