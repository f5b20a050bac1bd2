import { redact } from "@trivium/kube";
import { dialectsBehind, recordBehind } from "@trivium/local";
import { type AccessOptions, homesOf } from "../access.ts";
import { withCluster } from "../cluster/session.ts";
import { changesExitCode, outsideAnswers, type PlanResult } from "../plan/command.ts";
import { plannedKinds, readLive } from "../plan/live-facts.ts";
import { announce } from "../screen.ts";
import { findBlockers } from "./blockers.ts";
import { findOlderDefinitions } from "./definitions.ts";
import { printAdoption } from "./print.ts";
import { adoptionOf } from "./rows.ts";
import { simulateAdoption } from "./simulate.ts";
import { findUnsupported } from "./unsupported.ts";

export interface AdoptOptions extends AccessOptions {
  readonly policy: "safe" | "all";
  readonly output: "text" | "json";
}

/** What the operator would do with the objects of upstream operators, from the decisions themselves, on a copy of the cluster. */
export async function planAdoption(options: AdoptOptions): Promise<PlanResult> {
  announce("Planning …");
  return withCluster(options, async ({ client, access, namespace }) => {
    const homes = homesOf(options);
    const dialects = dialectsBehind(access.server, homes);
    const kinds = plannedKinds(dialects);
    const facts = await readLive(client, { dialects, kinds, namespaces: [namespace] });
    const answers = outsideAnswers(client, recordBehind(access.server, homes));
    const { policy } = options;
    const states = await simulateAdoption({ facts, dialects, answers, policy, secrets: client });
    const others = await Promise.all([findOlderDefinitions(client, dialects), findUnsupported(client, dialects)]);
    const blockers = await findBlockers(client, dialects);
    const rows = redact([...blockers, ...adoptionOf(states, dialects), ...others.flat()]);
    const isChanging = rows.some(({ outcome }) => outcome !== "left");
    const text = options.output === "json" ? `${JSON.stringify(rows, null, 2)}\n` : printAdoption(rows, policy);
    return { text, exitCode: isChanging ? changesExitCode : 0 };
  });
}
