/** For a race with what may never answer: rejects with the reason, at once where the signal is aborted already. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const end = (): void => reject(signal.reason);
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
  // A rejection after the end of the race is not an unhandled one.
  promise.catch(() => {});
  return promise;
}
