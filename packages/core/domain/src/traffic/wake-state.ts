/** How far the pods behind a Service are from answering, in words for whoever waits. */
export type WakeState =
  /** Nothing could ever answer: no workload stands behind the Service. */
  | { readonly is: "nobody"; readonly why: string }
  /** Scaled to zero. */
  | { readonly is: "asleep" }
  /** On its way; `reading` names the container whose log tells more. */
  | {
      readonly is: "coming";
      readonly what: string;
      readonly reading?: { readonly pod: string; readonly container: string; readonly doing: string };
    }
  /** No node has room or fits; `needsSpace` when other workloads could make some. */
  | {
      readonly is: "unschedulable";
      readonly why: string;
      readonly since?: number | undefined;
      readonly needsSpace: boolean;
    }
  /** It will not start by waiting. */
  | { readonly is: "stuck"; readonly why: string };
