import { diagnoseRoute, formatDiagnosis, type RouteParentReport, servingAnnotations } from "@trivium/engines";
import { componentPaths } from "../../field-paths.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { serviceNameOf } from "../../names.ts";
import { objectNameOf } from "../names/labels.ts";
import { type EntryComponents, isServerless, portOf } from "./component.ts";
import type { EntryPlan, OpenEntry } from "./entry-plan.ts";
import type { ObservedEntry } from "./observe.ts";
import type { FaultyIngress } from "./settings.ts";

/** How the way in does, in the words of the condition IngressReady. */
export interface EntryState {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  /** For everybody, and inside the cluster: each leads somewhere that exists. */
  readonly url: string;
  readonly address: string;
}

interface Input {
  readonly parts: EntryComponents;
  readonly plan: EntryPlan;
  readonly observed: ObservedEntry | undefined;
  /** Whether all components answer. */
  readonly areComponentsReady: boolean;
}

export function stateOfEntry(service: InferenceService, input: Input): EntryState {
  const places = placesOf(service, input);
  return { ...outcomeOf(service, input), ...places };
}

type Reported = Pick<EntryState, "status" | "reason" | "message">;
const say = (status: Reported["status"], reason: string, message: string): Reported => ({ status, reason, message });

function outcomeOf(service: InferenceService, { parts, plan, observed, areComponentsReady }: Input): Reported {
  switch (plan.is) {
    case "closed":
      return say("True", plan.why, closedMessage(plan.why, parts));
    case "faulty":
      return faultyOutcome(plan, observed ?? { routes: [] });
    case "missing":
      return say("False", "IngressKindMissing", plan.why);
    case "open":
      if (!areComponentsReady) return say("False", "ComponentNotReady", "A component is not ready yet");
      return routesOutcome(service, expectedRoutes(service, parts, plan), {
        plan,
        observed: observed ?? { routes: [] },
      });
  }
}

function closedMessage(why: "IngressDisabled" | "ClusterLocal", { entry }: EntryComponents): string {
  if (isServerless(entry)) return "No route is created; use the address of the Knative Service";
  const address = "use the Service of the same name";
  return why === "ClusterLocal"
    ? `Cluster-local by label, so no route is created; ${address}`
    : `No route is created; ${address}`;
}

/** What an administrator spoiled for all leaves routes as they are; so does what carries them out. */
function faultyOutcome({ why, whose }: FaultyIngress, { routes }: ObservedEntry): Reported {
  const isKept = routes.length > 0 && routes.every(({ parents }) => isTaken(parents));
  if (whose === "administrator" && isKept) return say("True", "RouteTaken", `The route is unchanged: ${why}`);
  return say("False", "InvalidIngressConfig", why);
}

function expectedRoutes(service: InferenceService, { components }: EntryComponents, plan: OpenEntry): string[] {
  const { name = "" } = service.metadata;
  if (plan.by !== "HTTPRoute") return [name];
  const parts = components.filter((component) => plan.hosts.components[component.name] !== undefined);
  return [name, ...parts.map((component) => objectNameOf(service, component.name))];
}

const isTaken = (parents: readonly RouteParentReport[]): boolean =>
  parents.length > 0 && parents.every(({ accepted }) => accepted);

/** As those say who carry the routes out: one that refuses counts more than one that is silent. */
function routesOutcome(
  service: InferenceService,
  names: readonly string[],
  { plan: { by, settings }, observed }: { readonly plan: OpenEntry; readonly observed: ObservedEntry },
): Reported {
  const find = (name: string) => observed.routes.find((one) => one.kind === by && one.name === name);
  const outcomes = names.map((name) =>
    diagnoseRoute(
      {
        subject: `${by} ${name}`,
        parents: find(name)?.parents ?? [],
        parent: parentOf(by, settings),
        isParentMissing: observed.isGatewayMissing === true,
      },
      { route: settingOf(service, by) },
    ),
  );
  const refused = outcomes.find((one) => one.is === "refused");
  if (refused !== undefined) return say("False", "RouteRefused", formatDiagnosis(refused.diagnosis));
  const waiting = outcomes.find((one) => one.is === "waiting");
  if (waiting !== undefined) return say("Unknown", "RoutePending", formatDiagnosis(waiting.diagnosis));
  return say("True", "RouteTaken", `Route accepted by ${find(names[0] ?? "")?.by ?? by}`);
}

/** Who decides about a route. */
function parentOf(by: OpenEntry["by"], { gateway, className }: OpenEntry["settings"]): string {
  switch (by) {
    case "HTTPRoute":
      return `Gateway ${gateway}`;
    case "Ingress":
      return `IngressClass ${className}`;
    case "VirtualService":
      return "Istio";
  }
}

/** Where the Gateway is set, or what else leads to the service. */
const settingOf = ({ metadata }: InferenceService, by: OpenEntry["by"]): string =>
  by === "HTTPRoute" && metadata.annotations?.[servingAnnotations.gateway] !== undefined
    ? `annotation ${servingAnnotations.gateway}`
    : (componentPaths("engine").route ?? "the route");

function placesOf(service: InferenceService, { parts, plan }: Input): Pick<EntryState, "url" | "address"> {
  const address = addressOf(service, parts, plan);
  if (plan.is === "faulty" && service.status?.url !== undefined) return { url: service.status.url, address };
  if (plan.is !== "open" || plan.reach === "cluster") {
    const isKnative = isServerless(parts.entry) && plan.is === "closed";
    return { url: isKnative ? (parts.entry.url ?? address) : address, address };
  }
  const { hosts, settings } = plan;
  return { url: `${settings.scheme}://${hosts.top[0]}${hosts.path ?? ""}`, address };
}

/** It always leads to a Service that exists. */
function addressOf({ metadata }: InferenceService, { entry }: EntryComponents, plan: EntryPlan): string {
  const { name = "", namespace } = metadata;
  if (!isServerless(entry)) return `http://${serviceNameOf(name)}.${namespace}.svc.cluster.local:${portOf(entry)}`;
  const host = plan.is === "open" ? serviceNameOf(name) : entry.address.name;
  return `http://${host}.${namespace}.svc.cluster.local`;
}
