import { bool, int32, obj, oneOf, opt, str } from "@trivium/schema";

const GatewayRef = obj("The Gateway to publish on", {
  name: str("Name of the Gateway"),
  namespace: opt(str("Its namespace; that of the service when not set")),
});

const Gateway = obj("Publishes the service through an Envoy AI Gateway", {
  enabled: opt(bool("Whether it is published")),
  gatewayRef: GatewayRef,
  modelName: opt(str("Model name that callers ask for; the name of the service when not set")),
});

export const Endpoint = obj("How the service is reached", {
  port: opt(int32("Port of the Service", { default: 8080, minimum: 1, maximum: 65535 })),
  path: opt(
    str("Path that `status.endpoint` shows; also tells the serving mode when `mode` is not set", {
      default: "/v1/chat/completions",
    }),
  ),
  type: opt(oneOf("Type of the Service", ["ClusterIP", "NodePort", "LoadBalancer"], { default: "ClusterIP" })),
  nodePort: opt(int32("Fixed port on the nodes, for `NodePort`", { minimum: 30000, maximum: 32767 })),
  gateway: opt(Gateway),
});

export const Slo = obj(
  "A service level objective, kept by Pyrra",
  {
    name: opt(str("Name of the objective; that of the service when not set")),
    objective: str("Share of good requests in percent, from 50 to 99.999", {
      pattern: "^[0-9]+(\\.[0-9]+)?$",
      rules: [
        {
          rule: "double(self) >= 50.0 && double(self) <= 99.999",
          message: "objective must be between 50 and 99.999",
        },
      ],
    }),
    window: opt(
      str("Time over which the share is counted: `28d`, `12h`", { default: "28d", pattern: "^[0-9]+[mhdw]$" }),
    ),
    indicator: opt(
      oneOf("What makes a request good: that it succeeded, or that it was fast enough", ["availability", "latency"], {
        default: "availability",
      }),
    ),
    latencyThreshold: opt(
      str("Longest time of a good request, in seconds; for `latency`", { pattern: "^[0-9]+(\\.[0-9]+)?$" }),
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
