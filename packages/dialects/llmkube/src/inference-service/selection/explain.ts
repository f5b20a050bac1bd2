import type { Explainer, Explanation } from "@trivium/domain";
import { explainServed, serve } from "@trivium/engines";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { LlmkubeOptions } from "../../options.ts";
import { lowerService } from "../lower.ts";
import type { ObservedService } from "../observe.ts";
import { lowerCandidates } from "./candidates.ts";
import { chooseImage } from "./choose-image.ts";

/** The image that a service gets and why, and whether it fits: from the very steps that decide it. */
export const explainService = (options: LlmkubeOptions): Explainer => ({
  reconciler: "llmkube.inference-service",
  explain(object, seen, now): Explanation {
    const [service, observed] = [object as InferenceService, seen as ObservedService];
    const candidate = lowerCandidates(service, observed, options);
    if (candidate.is !== "candidate") return {};
    const choice = chooseImage({ service, ...candidate, options });
    const lowered = lowerService(service, candidate, { choice, observed, options, now });
    if (lowered.is === "blocked") return { choice };
    return { choice, ...explainServed(serve(lowered.intent)) };
  },
});
