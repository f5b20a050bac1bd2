/** Why a workload does not serve: one cause, the object at fault, what was said. */
export interface Trouble {
  readonly kind: TroubleKind;
  readonly pod: string;
  readonly container?: string;
  readonly role?: "prepares" | "serves";
  /** What is the matter, in a sentence. */
  readonly message: string;
  readonly exitCode?: number;
  /** The container's own last words, where it left some. */
  readonly lastWords?: string;
}

export type TroubleKind =
  /** No node takes the pod. */
  | "unschedulable"
  /** A volume of it cannot be had. */
  | "volume"
  /** Its image cannot be had. */
  | "image"
  /** Something that it refers to is missing, or it cannot be started as written. */
  | "configuration"
  /** It ends again and again. */
  | "crash"
  /** It took more memory than it may. */
  | "memory"
  /** It runs and says that it is not well. */
  | "unhealthy"
  /** The node gave it up. */
  | "evicted";
