import { useEffect, useRef, useState } from "preact/hooks";
import type { Explained } from "../decide/explain-service.ts";
import type { ServiceAddress } from "../routing/route.ts";

export interface ExplainState {
  readonly explained?: Explained;
  readonly failure?: string;
}

/** Changes come in bursts; one reading shows them all. */
const pause = 300;
/** A reading that failed is repeated: the connection broke, or the API did not respond. */
const pauseAfterFailure = 3_000;

/** What `explain` reports of a service, again after each change of what was seen. The code that decides is loaded for it. */
export function useExplained(address: ServiceAddress, seen: readonly unknown[]): ExplainState {
  const [state, setState] = useState<ExplainState>({});
  const lastAt = useRef(0);
  const { api, namespace, name } = address;
  useEffect(() => {
    let isOver = false;
    const read = async () => {
      lastAt.current = Date.now();
      const { explainService } = await import("../decide/explain-service.ts");
      const next = await explainService({ api, namespace, name }).then(
        (explained): ExplainState => ({ explained }),
        (error: unknown): ExplainState => ({ failure: error instanceof Error ? error.message : String(error) }),
      );
      if (isOver) return;
      // What was read before stays on the page.
      setState((before) => (next.failure === undefined ? next : { ...before, ...next }));
      if (next.failure !== undefined) timer = setTimeout(read, pauseAfterFailure);
    };
    let timer = setTimeout(read, Math.max(0, lastAt.current + pause - Date.now()));
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [api, namespace, name, ...seen]);
  return state;
}
