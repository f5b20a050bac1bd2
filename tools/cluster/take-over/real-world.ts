import type { StageTable } from "@trivium/node";
import { isObject, type Json, type JsonObject } from "@trivium/std";
import type { Sights, UpstreamWorld, UpstreamWrite } from "./world.ts";

const image = "docker.io/library/busybox:1.37.0";

/** The same world for a real node: its pods run, with a small server in the place of each engine, and name that node. */
export function asReal(world: UpstreamWorld, nodeName: string): UpstreamWorld {
  const renamed = world.nodes.reduce((text, { name }) => text.replaceAll(name, nodeName), JSON.stringify(world));
  const named = JSON.parse(renamed) as UpstreamWorld;
  const ends = new Set((world.stages ?? []).filter(isEnding).map(({ match }) => match?.container ?? ""));
  return {
    ...named,
    edit: { ...named.edit, sees: withoutStatus(named.edit.sees) },
    people: named.people.map((object) =>
      object.kind === "ClusterServingRuntime" ? withServers(object, ends) : object,
    ),
    upstream: named.upstream.map((write): UpstreamWrite => {
      if (!("object" in write) || !["Deployment", "Job"].includes(write.object.kind)) return write;
      return { ...write, object: withServers(write.object, ends) };
    }),
  };
}

/** What an edit brings are our pods, whose images the node does not have. */
const withoutStatus = (sees: Sights): Sights =>
  Object.fromEntries(
    Object.entries(sees)
      .filter(([name]) => name.startsWith("deployment/") || name.includes("serving.kserve.io"))
      .map(([name, wanted]) => [name, isObject(wanted) ? withoutKeys(wanted as JsonObject) : wanted]),
  );

const withoutKeys = (wanted: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(wanted).filter(([path]) => !path.startsWith("status")));

const isEnding = ({ life }: StageTable[number]): boolean => [life].flat().some((one) => "exit" in one);

/** Whatever looks like a container. A real node has neither the image nor the memory for an engine. */
function withServers<T>(part: T, ends: ReadonlySet<string>): T {
  if (Array.isArray(part)) return part.map((one: Json) => withServers(one, ends)) as T;
  if (!isObject(part)) return part;
  const object = part as JsonObject;
  if (typeof object.name === "string" && typeof object.image === "string") return servedBy(object, ends) as T;
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, withServers(value, ends)])) as T;
}

function servedBy({ resources: _, ...container }: JsonObject, ends: ReadonlySet<string>): JsonObject {
  const script = ends.has(String(container.name)) ? "exit 0" : serverOf(container);
  return { ...container, image, command: ["/bin/sh", "-c", script] };
}

/** Answers what the probes ask. */
function serverOf(container: JsonObject): string {
  const [port] = Array.isArray(container.ports) ? container.ports.filter(isObject) : [];
  const probes = [container.livenessProbe, container.readinessProbe, container.startupProbe].filter(isObject);
  const paths = probes.flatMap(({ httpGet }) => (isObject(httpGet) && httpGet.path ? [String(httpGet.path)] : []));
  const files = [...new Set(paths)].map((path) => `mkdir -p $(dirname /tmp/www${path}); echo ok > /tmp/www${path}; `);
  return `mkdir -p /tmp/www; ${files.join("")}exec httpd -f -p ${port?.containerPort ?? 8080} -h /tmp/www`;
}
