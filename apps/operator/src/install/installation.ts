import type { Json, JsonObject } from "@trivium/std";
import { chosenParts } from "../composition.ts";
import { dialectNames, parseOptions } from "../options/options.ts";
import { type Chosen, Settings } from "./chart-values.ts";
import { gatewayParts } from "./gateway.ts";
import { monitoringParts } from "./monitoring.ts";
import { nodeAgentParts } from "./node-agent.ts";
import { operatorParts, userRoleParts } from "./operator.ts";
import { closeObject, type Part } from "./value.ts";
import { webDashboardParts } from "./web-dashboard.ts";
import { webhookParts } from "./webhooks.ts";

/** Every object of an installation, those included that a choice leaves out. */
export function installationParts(chosen: Chosen): Part[] {
  const request = parseOptions([]);
  if (request.is !== "run") throw new Error("options without arguments are a request to run");
  const { options } = request;
  const permitted = dialectNames.map((name) => chosenParts({ ...options, dialects: [name] }));
  const dialects = permitted.flatMap((parts) => parts.dialects);
  const s = new Settings(chosen);
  return [
    ...nodeAgentParts(s),
    ...operatorParts(s, permitted),
    ...webhookParts(s, dialects),
    ...webDashboardParts(s),
    ...gatewayParts(s, dialects),
    ...userRoleParts(s, dialects),
    ...monitoringParts(s),
  ];
}

/** The objects of an installation, as `helm template` prints them for the same choices. */
export function emitInstallation(chosen: Chosen): JsonObject[] {
  return installationParts(chosen)
    .filter(({ when }) => when === undefined || when.concrete === true)
    .map(({ object }) => closeObject(object) as Json as JsonObject);
}
