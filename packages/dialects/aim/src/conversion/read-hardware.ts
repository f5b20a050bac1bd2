import type { PortableKey, PortableService } from "@trivium/domain";
import { type FieldPlace, type FieldReader, takeFirst } from "@trivium/engines";
import type { ServiceReaders } from "./read-service.ts";

/** Places that state hardware in this API, the one that takes precedence first. */
function hardwarePlaces({ service, model, template }: ServiceReaders): FieldPlace[] {
  const places: FieldPlace[] = [
    [service, "spec", "overrides", "hardware"],
    [service, "spec", "model", "custom", "hardware"],
  ];
  if (template !== undefined) places.push([template, "spec", "hardware"]);
  if (model !== undefined) places.push([model, "spec", "custom", "hardware"]);
  return places;
}

function selectorPlaces({ service, template }: ServiceReaders): FieldPlace[] {
  const places: FieldPlace[] = [[service, "spec", "overrides", "gpuSelector"]];
  if (template !== undefined) places.push([template, "spec", "gpuSelector"]);
  return places;
}

const below = (places: readonly FieldPlace[], ...path: string[]): FieldPlace[] =>
  places.map(([reader, ...place]) => [reader, ...place, ...path]);

export function readHardware(readers: ServiceReaders): Partial<PortableService> {
  const hardware = hardwarePlaces(readers);
  const selectors = selectorPlaces(readers);
  const gpu = <T>(key: PortableKey, field: string, older: string) =>
    takeFirst<T>(key, [...below(hardware, "gpu", field), ...below(selectors, older)]);
  const gpuCount = gpu<number>("gpuCount", "requests", "count") || undefined;
  const resource = gpu<string>("gpuResource", "resourceName", "resourceName");
  const models = [
    ...(takeFirst<string[]>("gpuModels", below(hardware, "gpu", "models")) ?? []),
    ...[gpu<string>("gpuModels", "model", "model") ?? []].flat(),
  ];
  return {
    gpuCount,
    gpuResource: gpuCount === undefined ? undefined : (resource ?? "amd.com/gpu"),
    gpuModels: models.length === 0 ? undefined : models,
    gpuMemory: textOf(takeFirst("gpuMemory", below(hardware, "gpu", "minVram"))),
    ...readResources(readers, hardware),
  };
}

function readResources({ service, model, template }: ServiceReaders, hardware: FieldPlace[]): Partial<PortableService> {
  const readers: FieldReader[] = [service, template, model].flatMap((one) => one ?? []);
  const stated = (list: "requests" | "limits", resource: string): FieldPlace[] =>
    readers.map((reader) => [reader, "spec", "resources", list, resource]);
  return {
    cpu: textOf(takeFirst("cpu", [...stated("requests", "cpu"), ...below(hardware, "cpu", "requests")])),
    cpuLimit: textOf(takeFirst("cpuLimit", [...stated("limits", "cpu"), ...below(hardware, "cpu", "limits")])),
    memory: textOf(takeFirst("memory", stated("requests", "memory"))),
    memoryLimit: textOf(takeFirst("memoryLimit", stated("limits", "memory"))),
  };
}

/** A quantity can be written as a number. */
const textOf = (value: string | number | undefined): string | undefined =>
  value === undefined ? undefined : String(value);
