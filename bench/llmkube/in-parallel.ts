/** As many at a time as an operator works on objects. */
const width = 16;

/** Makes calls in their order, some at a time. */
export async function inParallel(calls: readonly (() => Promise<unknown>)[]): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let call = calls[next++]; call !== undefined; call = calls[next++]) await call();
  };
  await Promise.all(Array.from({ length: width }, work));
}
