/** A terminal sends Ctrl-C to a launcher and to its program, and the launcher passes it on: within so long it is the same one. */
const sameSignal = 1_000;

/** Calls `stop` when the person presses Ctrl-C. Pressed again while that takes long, the program ends at once. */
export function onInterrupt(stop: () => void): void {
  let first: number | undefined;
  const receive = (): void => {
    if (first !== undefined && performance.now() - first > sameSignal) process.exit(130);
    if (first !== undefined) return;
    first = performance.now();
    stop();
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, receive);
}

/** Aborts when the person presses Ctrl-C: the command ends as it would at its end. */
export function untilInterrupted(): AbortSignal {
  const stop = new AbortController();
  onInterrupt(() => {
    process.exitCode = 130;
    stop.abort();
  });
  return stop.signal;
}
