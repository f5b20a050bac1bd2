import { HTTPRoute } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { objectNameOf } from "../names/labels.ts";
import { backendsOf, type EntryComponent, type EntryComponents } from "./component.ts";
import { entryLabels } from "./entry-labels.ts";
import type { OpenEntry } from "./entry-plan.ts";
import { timeoutsOf } from "./timeouts.ts";

/** A route to the service, and one to each component where there are several. */
export function emitHttpRoutes(
  service: InferenceService,
  { components, entry }: EntryComponents,
  { hosts, settings }: OpenEntry,
): Desired[] {
  const [namespace = "", name = ""] = settings.gateway.split("/");
  const parentRefs = [{ name, namespace }];
  const routeTo = (target: EntryComponent, route: Pick<Route, "name" | "hostnames" | "path">): Desired =>
    emit(service, { ...route, target, parentRefs });
  return [
    routeTo(entry, { name: service.metadata.name ?? "", hostnames: hosts.top, path: hosts.path }),
    ...components.flatMap((component) => {
      const hostnames = hosts.components[component.name];
      if (hostnames === undefined) return [];
      return [routeTo(component, { name: objectNameOf(service, component.name), hostnames, path: undefined })];
    }),
  ];
}

interface Route {
  readonly name: string;
  readonly hostnames: readonly string[];
  readonly path: string | undefined;
  readonly target: EntryComponent;
  readonly parentRefs: { name: string; namespace: string }[];
}

function emit(service: InferenceService, { name, hostnames, path, target, parentRefs }: Route): Desired {
  const backends = backendsOf(target);
  const object: HTTPRoute = {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name, labels: entryLabels(service) },
    spec: {
      parentRefs,
      hostnames: [...hostnames],
      rules: [
        {
          matches: [{ path: { type: "PathPrefix", value: path ?? "/" } }],
          ...(path === undefined ? {} : { filters: [withoutPath] }),
          backendRefs: backends.map(({ name: to, port, weight }) => ({
            name: to,
            port,
            ...(backends.length === 1 ? {} : { weight }),
          })),
          ...timeoutsOf(target),
        },
      ],
    },
  };
  return { kind: HTTPRoute, object };
}

const withoutPath = {
  type: "URLRewrite" as const,
  urlRewrite: { path: { type: "ReplacePrefixMatch" as const, replacePrefixMatch: "/" } },
};
