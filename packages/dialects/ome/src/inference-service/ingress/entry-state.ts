import type { InferenceService } from "../../kinds/inference-service.ts";
import { serviceNameOf } from "../../names.ts";
import { objectNameOf } from "../labels.ts";
import { type EntryComponents, isServerless, portOf } from "./component.ts";
import type { EntryPlan, OpenEntry } from "./entry-plan.ts";
import type { EntrySeen } from "./observe.ts";

/** How the way in does, in the words of the condition IngressReady. */
export interface EntryState {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  /** For everybody, and inside the cluster: each leads somewhere that exists. */
  readonly url: string;
  readonly address: string;
}

interface Question {
  readonly parts: EntryComponents;
  readonly plan: EntryPlan;
  readonly seen: EntrySeen | undefined;
  /** Whether all components answer. */
  readonly areComponentsReady: boolean;
}

export function stateOfEntry(service: InferenceService, question: Question): EntryState {
  const places = placesOf(service, question);
  return { ...verdictOf(service, question), ...places };
}

type Said = Pick<EntryState, "status" | "reason" | "message">;
const say = (status: Said["status"], reason: string, message: string): Said => ({ status, reason, message });

function verdictOf(service: InferenceService, { parts, plan, seen, areComponentsReady }: Question): Said {
  switch (plan.is) {
    case "closed":
      return plan.why === "ClusterLocal"
        ? say("True", plan.why, "A label keeps the service to the cluster; the Service of the same name is the address")
        : say("True", plan.why, "There is no route; the Service of the same name is the address");
    case "faulty":
      return say("False", "InvalidIngressConfig", plan.why);
    case "missing":
      return say("False", "IngressKindMissing", plan.why);
    case "open":
      if (!areComponentsReady) return say("False", "ComponentNotReady", "A component does not answer yet");
      return routesVerdict(expectedRoutes(service, parts, plan), plan, seen ?? { routes: [] });
  }
}

function expectedRoutes(service: InferenceService, { components }: EntryComponents, plan: OpenEntry): string[] {
  const { name = "" } = service.metadata;
  if (plan.by !== "HTTPRoute") return [name];
  const parts = components.filter((component) => plan.hosts.components[component.name] !== undefined);
  return [name, ...parts.map((component) => objectNameOf(service, component.name))];
}

/** As those say who carry the routes out: one that refuses counts more than one that is silent. */
function routesVerdict(names: readonly string[], { by, settings }: OpenEntry, { routes }: EntrySeen): Said {
  const found = names.map((name) => ({ name, route: routes.find((one) => one.kind === by && one.name === name) }));
  for (const { name, route } of found) {
    if (route?.verdict.is === "refused") {
      return say("False", "RouteRefused", `${by} ${name} is not carried out: ${route.verdict.why}`);
    }
  }
  const silent = found.find(({ route }) => route === undefined || route.verdict.is === "waiting");
  if (silent !== undefined) {
    const whom = { HTTPRoute: `Gateway ${settings.gateway}`, Ingress: `A controller of class ${settings.className}` };
    const who = by === "VirtualService" ? "Istio" : whom[by];
    return say("Unknown", "RoutePending", `${who} has not taken ${by} ${silent.name} yet`);
  }
  const by_ = found[0]?.route?.verdict;
  return say("True", "RouteTaken", `The route leads to the service, by ${by_?.is === "taken" ? by_.by : by}`);
}

function placesOf(service: InferenceService, { parts, plan }: Question): Pick<EntryState, "url" | "address"> {
  const address = addressOf(service, parts, plan);
  if (plan.is !== "open" || plan.reach === "cluster") {
    const isKnative = isServerless(parts.entry) && plan.is === "closed";
    return { url: isKnative ? (parts.entry.url ?? address) : address, address };
  }
  // An Ingress keeps to hosts: it cannot take a path away.
  const { hosts, settings, by } = plan;
  const path = by === "Ingress" ? "" : (hosts.path ?? "");
  return { url: `${settings.scheme}://${hosts.top[0]}${path}`, address };
}

/** It always leads to a Service that exists. */
function addressOf({ metadata }: InferenceService, { entry }: EntryComponents, plan: EntryPlan): string {
  const { name = "", namespace } = metadata;
  if (!isServerless(entry)) return `http://${serviceNameOf(name)}.${namespace}.svc.cluster.local:${portOf(entry)}`;
  const host = plan.is === "open" ? serviceNameOf(name) : entry.address.name;
  return `http://${host}.${namespace}.svc.cluster.local`;
}
