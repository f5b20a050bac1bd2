import { type Condition, ConfigMap, Deployment, defineKind, defineTwin, type ObjectOf } from "@trivium/kube";
import { type Decision, type Desired, defineQuery, type Note, type Reconciler } from "@trivium/reconcile";
import { int32, int64, listMap, obj, oneOf, opt, type Static, str, time } from "@trivium/schema";
import type { Fact } from "@trivium/std";

/**
 * The example that is not a model server, to try the ground floor with, on any API server.
 * A sample wants some flowers (ConfigMaps) and a vase (a Deployment). Its colours come from a palette, its price from a market.
 */
const spec = obj("What is wanted", {
  flowers: int32("How many"),
  palette: str("Where the colours come from"),
  card: opt(str("A text that outlives the sample")),
});
const condition = obj("One thing that holds or not", {
  type: str("Which"),
  status: oneOf("Whether", ["True", "False", "Unknown"]),
  reason: str("Why, in a word"),
  message: str("Why, in a sentence"),
  lastTransitionTime: opt(time("Since when")),
  observedGeneration: opt(int64("Of which spec")),
});
const status = obj("What is so", {
  flowers: opt(int32("How many are wanted")),
  price: opt(int32("Of one flower")),
  conditions: opt(listMap("What holds", ["type"], condition)),
});
const group = "garden.example";

export const Sample = defineKind({
  group,
  version: "v1",
  kind: "Sample",
  plural: "samples",
  scope: "Namespaced",
  description: "A sample",
  spec,
  status,
});
export type Sample = ObjectOf<typeof Sample>;

export const palettes = defineTwin({
  group,
  version: "v1",
  namespaced: { kind: "Palette", plural: "palettes", description: "Colours" },
  cluster: { kind: "ClusterPalette", plural: "clusterpalettes", description: "Colours for all" },
  spec: obj("Colours", { colour: str("The one colour") }),
  status: obj("", {}),
});
export const [Palette, ClusterPalette] = palettes;

export const flowerPrice = defineQuery<{ colour: string }, number>("flowerPrice", { ttl: 60_000 });

export interface ObservedSample {
  readonly colour: Fact<string>;
  readonly price: Fact<number>;
  /** ConfigMaps that forbid to throw the sample away. */
  readonly guards: readonly string[];
}

const finalizer = "garden.example/sample";

export const sampleReconciler: Reconciler<Sample, ObservedSample> = {
  name: "garden.sample",
  kind: Sample,
  reads: [...palettes],
  writes: [ConfigMap, Deployment],
  finalizer,
  observe(sample, reader) {
    const { namespace } = sample.metadata;
    const palette = reader.nearest(palettes, { namespace, name: sample.spec.palette });
    const colour: Fact<string> = palette.is === "known" ? { is: "known", value: palette.value.spec.colour } : palette;
    const price = colour.is === "known" ? reader.ask(flowerPrice, { colour: colour.value }) : colour;
    const guards = reader.list(ConfigMap, { namespace, labels: { guard: "yes" } });
    return { colour, price, guards: guards.map(({ metadata }) => metadata.name ?? "") };
  },
  decide(sample, { colour, price, guards }) {
    if (sample.metadata.deletionTimestamp !== undefined) {
      return guards.length === 0 ? { do: "release" } : stored(sample, "Guarded", `Guarded by ${guards.join(", ")}`);
    }
    if (colour.is === "absent")
      return stored(sample, "NoPalette", `Palette ${sample.spec.palette} does not exist; create it`);
    if (colour.is === "pending" || price.is === "pending") return { do: "hold", status: sample.status ?? {} };
    if (colour.is !== "known") return stored(sample, "Waiting", "The palette cannot be read");
    if (price.is !== "known") return stored(sample, "NoPrice", "The market does not answer");
    return {
      do: "converge",
      children: childrenOf(sample, colour.value),
      status: {
        flowers: sample.spec.flowers,
        price: price.value,
        conditions: ready("True", "Bound", "The sample is bound"),
      },
      notes: [note("Bound", `Bound ${sample.spec.flowers} flowers in ${colour.value}`)],
    };
  },
  refused(_, status, [first]) {
    const message = `${first?.child.kind} ${first?.child.name}: ${first?.message}; change the sample`;
    return { ...status, conditions: ready("False", "Refused", message) };
  },
};

function childrenOf(sample: Sample, colour: string): Desired[] {
  const name = sample.metadata.name ?? "";
  const flowers = Array.from({ length: sample.spec.flowers }, (_, i) => configMap(`${name}-${i}`, { colour }));
  const labels = { sample: name };
  const vase: Deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: `${name}-vase`, labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "vase", image: `vase:${colour}`, resources: { requests: { cpu: "1000m" } } }] },
      },
    },
  };
  const { card } = sample.spec;
  const request: Desired[] =
    card === undefined ? [] : [{ ...configMap(`${name}-card`, { text: card }), outlivesOwner: true }];
  return [...flowers, { kind: Deployment, object: vase }, ...request];
}

function configMap(name: string, data: Record<string, string>): Desired<ConfigMap> {
  const object: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
  return { kind: ConfigMap, object };
}

function stored(sample: Sample, reason: string, message: string): Decision<NonNullable<Sample["status"]>> {
  const { conditions: _, ...last } = sample.status ?? {};
  return {
    do: "hold",
    status: { ...last, conditions: ready("False", reason, message) },
    notes: [note(reason, message)],
  };
}

function ready(status: Condition["status"], reason: string, message: string): Static<typeof condition>[] {
  return [{ type: "Ready", status, reason, message }];
}

const note = (reason: string, message: string): Note => ({ type: "Normal", reason, message });

export function sample(name: string, request: Partial<Sample["spec"]> = {}): Sample {
  return {
    apiVersion: "garden.example/v1",
    kind: "Sample",
    metadata: { name, namespace: "default" },
    spec: { flowers: 2, palette: "spring", ...request },
  };
}

export function palette(name: string, colour: string): ObjectOf<typeof Palette> {
  return {
    apiVersion: "garden.example/v1",
    kind: "Palette",
    metadata: { name, namespace: "default" },
    spec: { colour },
  };
}

export function clusterPalette(name: string, colour: string): ObjectOf<typeof ClusterPalette> {
  return { apiVersion: "garden.example/v1", kind: "ClusterPalette", metadata: { name }, spec: { colour } };
}
