import { namespace } from "../support/services.ts";

export interface LargeCase {
  readonly what: string;
  readonly method: "POST" | "PUT" | "PATCH";
  readonly path: string;
  readonly body: string;
  readonly type: string;
  /** Whether the object must be there already. */
  readonly on: "nothing" | "object";
}

const json = "application/json";
const apply = "application/apply-patch+yaml";
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const pods = `/api/v1/namespaces/${namespace}/pods`;
export const large = "large";
const applied = `/${large}?fieldManager=bench&force=true`;

const configMap = (data: Record<string, string>): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: large }, data });
const keys = (count: number, value: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`key-${at}`, value]));
/** For a node that does not exist, so that nothing runs it. */
const pod = (containers: number, variables: number): string => {
  const env = Array.from({ length: variables }, (_, at) => ({ name: `NAME_${at}`, value: `value-${at}` }));
  const container = (at: number) => ({ name: `container-${at}`, image: "example.com/app", env });
  const spec = {
    nodeSelector: { none: "none" },
    containers: Array.from({ length: containers }, (_, at) => container(at)),
  };
  return JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: large }, spec });
};

/** The largest that are accepted of each form, and larger ones, which are refused. */
export function largeCases(): LargeCase[] {
  const many = configMap(keys(20_000, "v"));
  const changed = configMap(keys(20_000, "w"));
  const more = configMap(keys(180_000, ""));
  const create = (what: string, path: string, body: string): LargeCase => ({
    ...{ what: `${what}: create`, method: "POST", type: json, on: "nothing" },
    ...{ path, body },
  });
  const applyTo = (what: string, path: string, body: string, on: LargeCase["on"]): LargeCase => ({
    ...{ what: `${what}: apply ${on === "nothing" ? "first" : "again"}`, method: "PATCH", type: apply, on },
    ...{ path: `${path}${applied}`, body },
  });
  return [
    create("ConfigMap of one string, 0.9 MB", configMaps, configMap({ one: "x".repeat(900_000) })),
    create("ConfigMap of 20,000 keys", configMaps, many),
    {
      ...{ what: "ConfigMap of 20,000 keys: update", method: "PUT", type: json, on: "object" },
      ...{ path: `${configMaps}/${large}`, body: changed },
    },
    applyTo("ConfigMap of 20,000 keys", configMaps, many, "nothing"),
    applyTo("ConfigMap of 20,000 keys", configMaps, changed, "object"),
    create("ConfigMap of 180,000 keys, 2.7 MB", configMaps, more),
    applyTo("ConfigMap of 180,000 keys, 2.7 MB", configMaps, more, "nothing"),
    create("Pod of 20,000 environment variables", pods, pod(1, 20_000)),
    applyTo("Pod of 20,000 environment variables", pods, pod(1, 20_000), "nothing"),
    create("Pod of 30 containers with 1,000 variables each", pods, pod(30, 1_000)),
    applyTo("Pod of 30 containers with 1,000 variables each", pods, pod(30, 1_000), "nothing"),
    create("Pod of 60,000 environment variables", pods, pod(1, 60_000)),
  ];
}
