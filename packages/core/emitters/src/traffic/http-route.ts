import type { RoutePlan } from "@trivium/domain";
import { HTTPRoute } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { metadataOf } from "../metadata.ts";

/** One rule: everything below the path goes to the Services, without the path. */
export function emitHttpRoute(plan: RoutePlan): Desired<HTTPRoute> {
  const { parent, hostnames, path, backends, timeout } = plan;
  const object: HTTPRoute = {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: metadataOf(plan),
    spec: {
      parentRefs: [{ ...parent }],
      ...(hostnames === undefined ? {} : { hostnames: [...hostnames] }),
      rules: [
        {
          matches: [{ path: { type: "PathPrefix", value: path ?? "/" } }],
          ...(path === undefined ? {} : { filters: [withoutPath] }),
          backendRefs: backends.map((backend) => ({ group: "", kind: "Service", ...backend })),
          ...(timeout === undefined ? {} : { timeouts: { request: timeout } }),
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
