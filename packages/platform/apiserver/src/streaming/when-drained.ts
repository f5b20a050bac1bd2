import type { Writable } from "node:stream";

/** Resolves when a stream that is full takes more, or never will again. Leaves no listeners behind. */
export function whenDrained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off("drain", done);
      stream.off("close", done);
      resolve();
    };
    stream.on("drain", done);
    stream.on("close", done);
    if (stream.destroyed) done();
  });
}
