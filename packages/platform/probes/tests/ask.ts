import { type Answered, askingKey, type Query } from "@trivium/reconcile";

/** Asks as the prober does: nothing is `absent`, what is thrown is `unreachable`. */
export async function ask<A, R>(answers: readonly Answered[], query: Query<A, R>, args: A): Promise<R | undefined> {
  const found = answers.find((one) => one.query.name === query.name);
  if (found === undefined) throw new Error(`nobody answers ${askingKey(query, args)}`);
  return (await found.answer(args, { signal: AbortSignal.timeout(90_000) })) as R | undefined;
}
