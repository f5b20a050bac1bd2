import type { PortableEngine, PortableKey, PortableService } from "@trivium/domain";
import {
  engineOfImage,
  type FieldPlace,
  type FieldReader,
  formatLaunch,
  parseLaunch,
  splitRoleOptions,
  takeEnv,
  takeFirst,
} from "@trivium/engines";

/** The engine of a service: what it states itself takes precedence over its runtime. */
export function readComponent(service: FieldReader, runtime: FieldReader | undefined): Partial<PortableService> {
  const places: FieldPlace[] = [[service, "spec", "engine"]];
  if (runtime !== undefined) places.push([runtime, "spec", "engineConfig"]);
  const component = <T>(key: PortableKey, ...path: string[]) => takeFirst<T>(key, below(places, ...path));
  const image = component<string>("image", "runner", "image");
  const engine = image === undefined ? undefined : engineOfImage(image);
  return {
    image,
    engine,
    ...readRunner(below(places, "runner"), { engine: engine ?? "generic", isOfPair: hasDecoder(service, runtime) }),
    nodeSelector: component("nodeSelector", "nodeSelector"),
    tolerations: component("tolerations", "tolerations"),
    affinity: component("affinity", "affinity"),
    serviceAccountName: component("serviceAccountName", "serviceAccountName"),
    imagePullSecrets: component<{ name?: string }[]>("imagePullSecrets", "imagePullSecrets")?.flatMap(
      ({ name }) => name ?? [],
    ),
  };
}

/** Other APIs have one server for a request: what computes prompts for a decoder would never answer alone. */
const hasDecoder = (service: FieldReader, runtime: FieldReader | undefined): boolean =>
  service.peek(["spec", "decoder"]) !== undefined || runtime?.peek(["spec", "decoderConfig"]) !== undefined;

interface Server {
  readonly engine: PortableEngine;
  /** One half of a pair of servers that split the work on each request. */
  readonly isOfPair: boolean;
}

const below = (places: readonly FieldPlace[], ...path: string[]): FieldPlace[] =>
  places.map(([reader, ...place]) => [reader, ...place, ...path]);

function readRunner(places: readonly FieldPlace[], server: Server): Partial<PortableService> {
  // Each API names its container, its port and its probes itself; what the service changes of them is its own.
  const [, runtime] = places;
  if (runtime !== undefined)
    for (const field of ["name", "ports", "readinessProbe"]) runtime[0].skip(...(runtime.slice(1) as string[]), field);
  const { env } = takeEnv(below(places, "env"));
  const resources = readResources(places);
  return {
    ...readArguments(places, server, resources.gpuCount),
    command: takeFirst("command", below(places, "command")),
    env: env.length === 0 ? undefined : env,
    ...resources,
  };
}

const onlyOfPair =
  "one half of a pair of servers for prompts and answers; the converted service is one server for both";

function readArguments(
  places: readonly FieldPlace[],
  { engine, isOfPair }: Server,
  gpuCount: number | undefined,
): Partial<PortableService> {
  for (const [reader, ...place] of below(places, "args")) {
    const stated = reader.skip<string[]>(...place);
    if (stated === undefined) continue;
    const { args: own, ofRole } = isOfPair ? splitRoleOptions(stated) : { args: stated, ofRole: [] };
    if (ofRole.length > 0) reader.leave(place, [...ofRole], `${ofRole.join(" ")}: ${onlyOfPair}`);
    const { args, file, ...parsed } = parseLaunch(engine, withParallelism(own, gpuCount));
    if (file !== undefined)
      reader.note(
        "files",
        place,
        own.filter((word) => word.includes(file)),
      );
    for (const [key, words] of Object.entries(formatLaunch(engine, parsed)))
      reader.note(key as PortableKey, place, words);
    if (args.length > 0) reader.note("args", place, [...args]);
    return { ...parsed, ...(file === undefined ? {} : { files: [file] }), args: args.length === 0 ? undefined : args };
  }
  return {};
}

/** OME sets this variable in its pods, and no other API does. */
const withParallelism = (args: readonly string[], gpuCount: number | undefined): readonly string[] =>
  gpuCount === undefined ? args : args.map((word) => word.replaceAll("$(PARALLELISM_SIZE)", String(gpuCount)));

const isGpu = (resource: string): boolean => resource.includes("/") && /gpu|i915|mig-|dri-render/.test(resource);

function readResources(places: readonly FieldPlace[]): Partial<PortableService> {
  const stated = (list: "requests" | "limits", resource: string) => below(places, "resources", list, resource);
  const gpu = findGpu(places);
  const counts = gpu === undefined ? [] : [...stated("limits", gpu), ...stated("requests", gpu)];
  const gpuCount = takeFirst<string | number>("gpuCount", counts);
  return {
    cpu: textOf(takeFirst("cpu", stated("requests", "cpu"))),
    cpuLimit: textOf(takeFirst("cpuLimit", stated("limits", "cpu"))),
    memory: textOf(takeFirst("memory", stated("requests", "memory"))),
    memoryLimit: textOf(takeFirst("memoryLimit", stated("limits", "memory"))),
    ...(Number(gpuCount) > 0 ? { gpuCount: Number(gpuCount), gpuResource: gpu } : {}),
  };
}

function findGpu(places: readonly FieldPlace[]): string | undefined {
  return places
    .flatMap(([reader, ...path]) => ["limits", "requests"].map((list) => reader.peek([...path, "resources", list])))
    .flatMap((resources) => Object.keys((resources ?? {}) as object))
    .find(isGpu);
}

const textOf = (value: string | number | undefined): string | undefined =>
  value === undefined ? undefined : String(value);
