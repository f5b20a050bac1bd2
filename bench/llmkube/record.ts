import type { Kind, KubeClient } from "@trivium/kube";

/** A write that was made, to be made again by somebody else. */
export interface RecordedWrite {
  readonly verb: "create" | "apply" | "patch" | "replace" | "delete";
  readonly kind: Kind;
  readonly rest: readonly unknown[];
  /** When it was answered. */
  at?: number;
}

const verbs = ["create", "apply", "patch", "replace", "delete"] as const;

/** The same client, which writes down what is written. */
export function recordWrites(client: KubeClient, writes: RecordedWrite[]): KubeClient {
  const recorded = { ...client };
  for (const verb of verbs) {
    const call = client[verb] as (kind: Kind, ...rest: unknown[]) => Promise<unknown>;
    const reported = (kind: Kind, ...rest: unknown[]): Promise<unknown> => {
      const write: RecordedWrite = { verb, kind, rest };
      writes.push(write);
      return call(kind, ...rest).finally(() => {
        write.at = performance.now();
      });
    };
    Object.assign(recorded, { [verb]: reported });
  }
  return recorded;
}
