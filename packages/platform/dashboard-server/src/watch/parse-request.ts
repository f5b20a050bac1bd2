import type { WatchSpec } from "../contract.ts";
import { Refused } from "../http/fault.ts";
import { parseApiPath } from "../kubernetes/api-path.ts";
import { checkCall } from "../kubernetes/check-call.ts";

const maxWatches = 64;
const parameters: readonly string[] = ["labelSelector", "fieldSelector"];

export interface RequestedWatch {
  readonly id: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly resourceVersion: string | undefined;
  /** Why it cannot be opened: the others can. */
  readonly refused?: Refused;
}

export function parseWatches({ watches }: Readonly<Record<string, unknown>>): RequestedWatch[] {
  if (!Array.isArray(watches) || watches.length === 0 || watches.length > maxWatches)
    throw new Refused("BadRequest", `watches must be a list of 1 to ${maxWatches}`);
  const specs = watches.map(checkSpec);
  if (new Set(specs.map(({ id }) => id)).size !== specs.length)
    throw new Refused("BadRequest", "Each watch needs an id of its own");
  return specs.map(parseSpec);
}

function checkSpec(spec: unknown): WatchSpec {
  const { id, path, resourceVersion } = (spec ?? {}) as Record<string, unknown>;
  const isText = (value: unknown, max: number) => typeof value === "string" && value !== "" && value.length <= max;
  if (!isText(id, 128) || !isText(path, 4096))
    throw new Refused("BadRequest", "Each watch needs an id (up to 128 characters) and a path");
  const isVersion = typeof resourceVersion === "string" && /^[\w.-]{0,64}$/.test(resourceVersion);
  if (resourceVersion !== undefined && !isVersion) throw new Refused("BadRequest", "resourceVersion is not valid");
  return spec as WatchSpec;
}

function parseSpec({ id, path: text, resourceVersion }: WatchSpec): RequestedWatch {
  const [raw = "", search = ""] = text.split("?", 2);
  const query = new URLSearchParams(search);
  try {
    const { path } = checkedTarget(raw, query);
    return { id, path, query, resourceVersion };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { id, path: "", query, resourceVersion, refused: error };
  }
}

function checkedTarget(raw: string, query: URLSearchParams) {
  const target = parseApiPath(raw);
  checkCall({ method: "GET", target, query }, true);
  const isCollection = target.is === "resource" && target.name === undefined;
  if (!isCollection) throw new Refused("BadRequest", "Only collections can be watched; select one object by field");
  const unknown = [...query.keys()].find((name) => !parameters.includes(name));
  if (unknown !== undefined) throw new Refused("BadRequest", `A watch takes no parameter ${unknown}`);
  return target;
}
