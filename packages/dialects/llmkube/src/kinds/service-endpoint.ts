import { bool, int32, obj, oneOf, opt, str } from "@trivium/schema";

const GatewayRef = obj("Gateway to attach the route to", {
  name: str("Name of the Gateway"),
  namespace: opt(str("Namespace of the Gateway; defaults to the namespace of the service")),
});

const Gateway = obj("Exposes the service through Envoy AI Gateway", {
  enabled: opt(bool("Enables the route")),
  gatewayRef: GatewayRef,
  modelName: opt(str("Model name that clients use; defaults to the name of the service")),
});

export const Endpoint = obj("Endpoint of the service", {
  port: opt(int32("Port of the Service", { default: 8080, minimum: 1, maximum: 65535 })),
  path: opt(
    str("Path in `status.endpoint`; also determines the serving mode if `mode` is not set", {
      default: "/v1/chat/completions",
    }),
  ),
  type: opt(oneOf("Type of the Service", ["ClusterIP", "NodePort", "LoadBalancer"], { default: "ClusterIP" })),
  nodePort: opt(int32("Port on the nodes, for type `NodePort`", { minimum: 30000, maximum: 32767 })),
  gateway: opt(Gateway),
});

export const Slo = obj(
  "Service level objective for Pyrra",
  {
    name: opt(str("Name of the objective; defaults to the name of the service")),
    objective: str("Target percentage of good requests, from 50 to 99.999", {
      pattern: "^[0-9]+(\\.[0-9]+)?$",
      rules: [
        {
          rule: "double(self) >= 50.0 && double(self) <= 99.999",
          message: "objective must be between 50 and 99.999",
        },
      ],
    }),
    window: opt(
      str("Time window of the objective, such as `28d` or `12h`", { default: "28d", pattern: "^[0-9]+[mhdw]$" }),
    ),
    indicator: opt(
      oneOf(
        "Which requests are good: those that succeed (`availability`), or those that are fast enough (`latency`)",
        ["availability", "latency"],
        {
          default: "availability",
        },
      ),
    ),
    latencyThreshold: opt(
      str("Maximum duration of a good request in seconds; for `latency`", { pattern: "^[0-9]+(\\.[0-9]+)?$" }),
    ),
  },
  {
    rules: [
      {
        rule: "!has(self.indicator) || self.indicator != 'latency' || has(self.latencyThreshold)",
        message: "latencyThreshold is required when indicator is latency",
      },
    ],
  },
);
