import { closeSync, fstatSync, openSync, readSync, unlinkSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The native code writes to the process's own standard output (lines for each request) and standard error (some 250 lines for
 * each model), and has no switch for it. So the descriptors themselves are turned away: the one that is closed is the lowest free
 * one, which is what the next open gets. It has to happen while no other thread can open a file.
 */
export interface Console {
  line(text: string): void;
  /** What native code wrote while it was not heard. */
  nativeLines(): string[];
  /** Gives standard error back to native code, whose last words in a crash should be seen. */
  hearNative(): void;
  /** The last thing native code does is to tell how it takes itself apart. */
  hushNative(): void;
}

export function quietConsole(): Console {
  point(1, "/dev/null", "w");
  const own = reopen(2);
  // A socket cannot be opened a second time; then the native lines stay where they are.
  if (own === undefined) return loudConsole();
  const kept = keepAside();
  return {
    line: (text) => write(own, text),
    nativeLines: () => (kept === undefined ? [] : linesOf(kept)),
    hearNative: () => {
      if (kept !== undefined) closeSync(kept);
      point(2, `/dev/fd/${own}`, "a");
    },
    hushNative: () => point(2, "/dev/null", "w"),
  };
}

export function loudConsole(): Console {
  return { line: (text) => write(2, text), nativeLines: () => [], hearNative: () => {}, hushNative: () => {} };
}

/**
 * The loop that drives the slots sleeps a tenth of a millisecond after each token, and Linux adds its timer slack of half as much
 * again. Threads inherit the slack of the one that starts them, so this must come before any is started. With a small model it is
 * a tenth of the speed.
 */
export function sharpenTimers(): void {
  try {
    writeFileSync("/proc/self/timerslack_ns", "1");
  } catch {
    // Only Linux has it, and not every sandbox allows it.
  }
}

/** Points standard error to a file without a name, and returns the way to read it. */
function keepAside(): number | undefined {
  const path = join(tmpdir(), `trivium-engine-${process.pid}.log`);
  try {
    closeSync(openSync(path, "wx", 0o600));
    const kept = openSync(path, "r");
    point(2, path, "a");
    unlinkSync(path);
    return kept;
  } catch {
    point(2, "/dev/null", "w");
    return undefined;
  }
}

function linesOf(file: number): string[] {
  const bytes = Buffer.alloc(Math.min(fstatSync(file).size, 1_000_000));
  readSync(file, bytes, 0, bytes.length, 0);
  return bytes.toString("utf8").split("\n");
}

function point(descriptor: number, path: string, flags: string): void {
  try {
    closeSync(descriptor);
  } catch {
    // It was closed already, which is the state that is wanted.
  }
  try {
    const got = openSync(path, flags);
    if (got !== descriptor) closeSync(got);
  } catch {
    // Nothing can be told where standard error is gone.
  }
}

function reopen(descriptor: number): number | undefined {
  try {
    return openSync(`/dev/fd/${descriptor}`, "a");
  } catch {
    return undefined;
  }
}

function write(descriptor: number, text: string): void {
  try {
    writeSync(descriptor, `${text}\n`);
  } catch {
    // A full pipe or a reader that went away must not end a server.
  }
}
