import { aim, aimEai } from "@trivium/aim";
import { llmkube } from "@trivium/llmkube";
import { ome } from "@trivium/ome";
import type { Dialect } from "@trivium/reconcile";

/** Every API that is served: AIM has two groups, of which the newer is translated to the older. */
export const dialects: readonly Dialect[] = [aim, aimEai, llmkube, ome];

/** One for each project that an API comes from, with the kinds of all of its groups. */
export const projects: readonly Dialect[] = [{ ...aim, kinds: [...aimEai.kinds, ...aim.kinds] }, llmkube, ome];

/** Those whose fields the user's documents state. */
export const documented: readonly Dialect[] = [aim, llmkube, ome];
