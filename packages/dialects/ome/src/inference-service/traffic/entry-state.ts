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
      return routesOutcome(expectedRoutes(service, parts, plan), plan, observed ?? { routes: [] });
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
  const isKept = routes.length > 0 && routes.every(({ outcome }) => outcome.is === "taken");
  if (whose === "administrator" && isKept) return say("True", "RouteTaken", `The route is unchanged: ${why}`);
  return say("False", "InvalidIngressConfig", why);
}

function expectedRoutes(service: InferenceService, { components }: EntryComponents, plan: OpenEntry): string[] {
  const { name = "" } = service.metadata;
  if (plan.by !== "HTTPRoute") return [name];
  const parts = components.filter((component) => plan.hosts.components[component.name] !== undefined);
  return [name, ...parts.map((component) => objectNameOf(service, component.name))];
}

/** As those say who carry the routes out: one that refuses counts more than one that is silent. */
function routesOutcome(names: readonly string[], { by, settings }: OpenEntry, { routes }: ObservedEntry): Reported {
  const found = names.map((name) => ({ name, route: routes.find((one) => one.kind === by && one.name === name) }));
  for (const { name, route } of found) {
    if (route?.outcome.is === "refused") {
      const remedy = `correct the ingress settings of the service, or the configuration of its controller`;
      return say("False", "RouteRefused", `${by} ${name} was not accepted: ${route.outcome.why}; ${remedy}`);
    }
  }
  const silent = found.find(({ route }) => route === undefined || route.outcome.is === "waiting");
  if (silent !== undefined) {
    const who = acceptorOf(by, settings);
    return say("Unknown", "RoutePending", `${who} has not accepted ${by} ${silent.name} yet`);
  }
  const by_ = found[0]?.route?.outcome;
  return say("True", "RouteTaken", `Route accepted by ${by_?.is === "taken" ? by_.by : by}`);
}

/** Who decides about a route, as the start of a sentence. */
function acceptorOf(by: OpenEntry["by"], { gateway, className }: OpenEntry["settings"]): string {
  switch (by) {
    case "HTTPRoute":
      return `Gateway ${gateway}`;
    case "Ingress":
      return `The controller of IngressClass ${className}`;
    case "VirtualService":
      return "Istio";
  }
}

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
