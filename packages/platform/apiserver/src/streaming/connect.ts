import type { AnyObject } from "@trivium/kube";
import { attributesOf } from "../authorization/attributes.ts";
import { impersonate } from "../authorization/impersonation.ts";
import type { Backend } from "../call.ts";
import type { Identity } from "../identity.ts";
import { badRequest, notFound, refusal, unknownResource } from "../refusals.ts";
import { isTrue, queryOf } from "../request.ts";
import type { Resource } from "../resource.ts";
import { objectAt } from "../storage/storage.ts";
import { containerOf } from "./choose-container.ts";
import type { Connection } from "./connection.ts";
import type { PodStreams } from "./pod-streams.ts";
import { parseProxyPath, resolveProxy } from "./resolve-proxy.ts";

export interface ConnectRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

const streamed: ReadonlySet<string> = new Set(["exec", "attach", "portforward"]);

/** What a request for streams of a pod, or for a proxy, reaches. Throws an `ApiError` where the caller lacks the right or nothing is there. */
export function connect(backend: Backend, caller: Identity, request: ConnectRequest): Connection {
  const { authorizer, podStreams } = backend;
  const identity = impersonate(authorizer, caller, request.headers);
  const asked = attributesOf({ method: request.method as "GET", path: request.path });
  authorizer.demand(identity, asked);
  if (asked.is !== "resource" || asked.group !== "") throw unknownResource();
  const isStream = asked.resource === "pods" && streamed.has(asked.subresource);
  // A GET changes as much as a POST does here, so it needs the same right.
  if (isStream && asked.verb !== "create") authorizer.demand(identity, { ...asked, verb: "create" });
  if (podStreams === undefined) throw noNode(asked.subresource);
  const proxied = parseProxyPath(request.path);
  if (proxied !== undefined) return resolveProxy(backend, podStreams, proxied);
  if (!isStream) throw badRequest(`${asked.resource}/${asked.subresource} does not support connections`);
  const pods = backend.registry.find("", "v1", "pods") as Resource;
  const stored = backend.storage.get(pods, asked.namespace, asked.name);
  if (stored === undefined) throw notFound(pods, asked.name);
  return connectPod(podStreams, objectAt(pods, stored), asked.subresource, queryOf(request.path));
}

export const noNode = (subresource: string) =>
  refusal(501, undefined, `${subresource} is not available: this API server runs without a node agent`);

function connectPod(streams: PodStreams, pod: AnyObject, subresource: string, query: URLSearchParams): Connection {
  const { nodeName = "" } = pod.spec as { nodeName?: string };
  if (nodeName === "") throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
  if (subresource === "portforward") {
    const ports = query.getAll("ports").flatMap((list) => list.split(","));
    return {
      is: "ports",
      pod: pod.metadata.name ?? "",
      ports: ports.map(portOf),
      addressOf: (port) => streams.addressOf(pod, port),
    };
  }
  const container = containerOf(pod, query.get("container") ?? "");
  const [stdin, stdout, tty] = ["stdin", "stdout", "tty"].map((name) => isTrue(query.get(name))) as [
    boolean,
    boolean,
    boolean,
  ];
  const stderr = isTrue(query.get("stderr")) && !tty;
  if (!stdin && !stdout && !stderr) throw badRequest("you must specify at least one of stdin, stdout, stderr");
  const request = { container, stdin, tty };
  const common = { is: "command", stdin, stdout, stderr, tty } as const;
  if (subresource === "attach") return { ...common, run: streams.attach(pod, request) };
  const command = query.getAll("command");
  if (command.length === 0) throw badRequest("you must specify at least 1 command for the pod");
  return { ...common, run: streams.exec(pod, { ...request, command }) };
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^[0-9]{1,5}$/.test(text) && port > 0 && port <= 0xffff) return port;
  throw badRequest(`invalid port ${JSON.stringify(text)}`);
}
