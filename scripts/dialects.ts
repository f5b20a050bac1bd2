import { aim } from "@trivium/aim";
import { llmkube } from "@trivium/llmkube";
import { ome } from "@trivium/ome";
import type { Dialect } from "@trivium/reconcile";

/** Every dialect of the project. */
export const dialects: readonly Dialect[] = [aim, llmkube, ome];
