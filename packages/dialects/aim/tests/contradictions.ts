import type { Condition, KubeObject } from "@trivium/kube";
import type { Json } from "@trivium/std";

interface DecidedStatus {
  readonly status?: { readonly status?: string; readonly conditions?: readonly Condition[] };
}

const good = ["Ready", "Running", "Available"];
const bad = ["Failed", "Degraded"];

/** What one part of a decided status says and another denies: state, Ready, Failure and Progressing tell one story. */
export function contradictionsOf({ metadata }: KubeObject, decision: Json): string[] {
  const { status: state, conditions } = (decision as DecidedStatus).status ?? {};
  if (state === undefined || conditions === undefined) return [];
  const of = (wanted: string) => conditions.find(({ type }) => type === wanted);
  const [ready, failure, progressing] = [of("Ready"), of("Failure"), of("Progressing")];
  const found: string[] = [];
  const check = (isSo: boolean, what: string) => void (isSo || found.push(what));
  check((ready?.status === "True") === good.includes(state), `${state}, and Ready is ${ready?.status}`);
  check(!(ready?.status === "True" && progressing?.status === "True"), "ready, and still progressing");
  if (failure !== undefined) {
    check((failure.status === "True") === bad.includes(state), `${state}, and Failure is ${failure.status}`);
    const isOneCause = failure.status !== "True" || failure.message?.startsWith(ready?.message ?? "") === true;
    const isSilent = failure.status === "False" && ready?.status === "False" && failure.message !== ready.message;
    check(!isSilent, `Failure says "${failure.message}" of what is not ready: "${ready?.message}"`);
    check(isOneCause, `Failure says "${failure.message}", Ready says "${ready?.message}"`);
  }
  for (const { type, message = "", observedGeneration } of conditions) {
    check(observedGeneration === metadata.generation, `${type} is of generation ${observedGeneration}`);
    // A time in a message makes another status of it at every look.
    check(!/\d\d:\d\d:\d\d/.test(message), `${type} tells the time: "${message}"`);
  }
  return found;
}
