/** Aborts when the person presses Ctrl-C: the command ends as it would at its end. */
export function untilInterrupted(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => {
      process.exitCode = 130;
      stop.abort();
    });
  return stop.signal;
}
