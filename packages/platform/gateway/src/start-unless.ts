/** What was started; nothing when told to stop before: a start waits for the API server, without end. What starts all the same is closed. */
export async function startUnless<S extends { close(grace: number): Promise<void> }>(
  stopped: Promise<void>,
  starting: Promise<S>,
): Promise<S | undefined> {
  const started = await Promise.race([starting, stopped]);
  if (started !== undefined) return started;
  starting.then((late) => late.close(0)).catch(() => {});
  return undefined;
}
