import type { RoutePlan } from "@trivium/domain";
import { HTTPRoute } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";

/** One rule: everything below the path goes to the Service, without the path. */
export function emitHttpRoute(plan: RoutePlan): Desired<HTTPRoute> {
  const { name, labels, annotations, parent, path, backend, timeout } = plan;
  const object: HTTPRoute = {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: {
      name,
      labels: { ...labels },
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    },
    spec: {
      parentRefs: [{ ...parent }],
      rules: [
        {
          matches: [{ path: { type: "PathPrefix", value: path } }],
          filters: [
            { type: "URLRewrite", urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/" } } },
          ],
          backendRefs: [{ group: "", kind: "Service", weight: 1, ...backend }],
          ...(timeout === undefined ? {} : { timeouts: { request: timeout } }),
        },
      ],
    },
  };
  return { kind: HTTPRoute, object };
}
