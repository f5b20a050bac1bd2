import type { AnyObject } from "@trivium/kube";
import { badRequest } from "../refusals.ts";

const annotation = "kubectl.kubernetes.io/default-container";

/** The container that a request means: the named one, the default one, or the only one. */
export function containerOf(pod: AnyObject, wanted: string): string {
  const spec = pod.spec as { [list: string]: { name: string }[] | undefined };
  const names = (list: string) => (spec[list] ?? []).map(({ name }) => name);
  const main = names("containers");
  const all = [...main, ...names("initContainers"), ...names("ephemeralContainers")];
  const name = pod.metadata.name ?? "";
  if (wanted === "") {
    const preferred = pod.metadata.annotations?.[annotation];
    if (preferred !== undefined && all.includes(preferred)) return preferred;
    if (all.length === 1) return main[0] as string;
    const inits = names("initContainers");
    const others = inits.length > 0 ? ` or one of the init containers: [${inits.join(" ")}]` : "";
    throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${main.join(" ")}]${others}`);
  }
  if (!all.includes(wanted)) throw badRequest(`container ${wanted} is not valid for pod ${name}`);
  return wanted;
}
