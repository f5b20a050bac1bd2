import type { api } from "@trivium/kube";
import { componentLabel, labelValueOf, serviceLabel, serviceNameOf } from "../../names.ts";
import type { ComponentName, ComponentSpec } from "../roles/component.ts";

/** Whose load is measured, and with which container it is served. */
export interface Measured {
  readonly service: { readonly name: string; readonly namespace: string };
  readonly component: ComponentName;
  /** The Service of the component where requests come in. */
  readonly entry: string;
  /** Name of the component's objects. */
  readonly object: string;
  readonly main: api.Container;
}

/** Model servers by what is in their image or command, and how they tell how many requests wait. */
const servers: readonly { readonly sign: RegExp; readonly waiting: string }[] = [
  { sign: /sglang/i, waiting: "sglang:num_queue_reqs" },
  { sign: /vllm/i, waiting: "vllm:num_requests_waiting" },
  { sign: /text-generation-(?:inference|launcher)|\btgi\b/i, waiting: "tgi_queue_size" },
  { sign: /llama\.cpp|llama-server/i, waiting: "llamacpp:requests_deferred" },
];

/** A question to Prometheus, where nobody wrote one: what the server says waits; of one that is not known, what the gateway has under way. */
export function defaultQuery(measured: Measured, metric: ComponentSpec["scaleMetric"]): string {
  if (metric === "rps") return requestRate(measured);
  if (metric === "concurrency" || measured.component === "router") return requestsUnderWay(measured);
  const { image = "", command = [], args = [] } = measured.main;
  const text = [image, ...command, ...args].join(" ");
  const server = servers.find(({ sign }) => sign.test(text));
  return server === undefined ? requestsUnderWay(measured) : `sum(${server.waiting}{${podsOf(measured)}})`;
}

/** Whether only our gateway can answer a question. */
export const isOfGateway = (query: string): boolean => query.includes("trivium_gateway_");

/** Requests that are held while nobody runs count too: it is what wakes those that sleep. */
export const requestsUnderWay = (measured: Measured): string => `sum(trivium_gateway_in_flight{${entryOf(measured)}})`;

const requestRate = (measured: Measured): string =>
  `sum(rate(trivium_gateway_requests_total{${entryOf(measured)}}[1m]))`;

/** By name requests come to the Service of the service, by a route straight to that of a component. */
const entryOf = ({ service, entry }: Measured): string =>
  `model=~"${service.namespace}/(${serviceNameOf(service.name)}|${entry})"`;

/** Labels of pods as Prometheus spells them. */
const podsOf = ({ service, component }: Measured): string =>
  [
    `namespace="${service.namespace}"`,
    `${metricLabelOf(serviceLabel)}="${labelValueOf(service.name)}"`,
    `${metricLabelOf(componentLabel)}="${component}"`,
  ].join(",");

const metricLabelOf = (label: string): string => label.replace(/[^A-Za-z0-9_]/g, "_");

/** What people may refer to in a question of their own; `%s` is the older way to say whose it is. */
export function fillQuery(query: string, { service, component, object }: Measured): string {
  const values: Readonly<Record<string, string>> = {
    Name: service.name,
    Namespace: service.namespace,
    Component: component,
  };
  return query
    .replace(/\{\{\s*\.(Name|Namespace|Component)\s*\}\}/g, (_, name: string) => values[name] ?? "")
    .replaceAll("%s", object);
}
