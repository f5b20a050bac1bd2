import type { Choice, Explainer, Explanation } from "@trivium/domain";
import { explainServed, serve } from "@trivium/engines";
import type { AimOptions } from "../../options.ts";
import { lowerService } from "../lower.ts";
import { withKeptNames } from "../names/kept-names.ts";
import type { Service } from "../names/names.ts";
import type { ObservedService } from "../observed/observed-service.ts";
import type { Selected } from "./choose.ts";
import { readMatching } from "./matching.ts";

/** The template that a service gets and why, and whether it fits, from the very steps that decide it. */
export const explainService = (options: AimOptions): Explainer => ({
  reconciler: "aim.service",
  explain(object, observed, now): Explanation {
    const service = withKeptNames(object as Service, observed as ObservedService);
    const lowered = lowerService(service, observed as ObservedService, { options, now });
    const served = lowered.is === "intended" ? serve(lowered.intent) : undefined;
    const { selected } = lowered.parts;
    // Without a model there is nothing to choose from, and the status says why.
    return { choice: selected.model === undefined ? undefined : withKept(selected), ...explainServed(served) };
  },
});

/** A template that was chosen before is kept without judging the others again: the status keeps what was found of them then. */
const withKept = ({ choice, matching }: Selected): Choice =>
  matching === undefined || choice.candidates.length > 1 ? choice : readMatching(matching, choice);
