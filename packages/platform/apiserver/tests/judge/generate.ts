import type { Json, JsonObject } from "@trivium/std";
import fc from "fast-check";
import { gadgets } from "./fixtures.ts";
import type { Handle } from "./handle.ts";
import type { Sequence, Step } from "./sequence.ts";
import { deployments, maps, services } from "./sequences/kinds.ts";

/** A kind that random calls are made on: manifests of it, and places in it that a JSON patch may touch. */
interface Playground {
  readonly kind: string;
  readonly at: Handle;
  readonly manifest: fc.Arbitrary<JsonObject>;
  readonly status?: fc.Arbitrary<JsonObject>;
  readonly places: readonly string[];
  /** Kinds from CRDs know no strategic merge. */
  readonly isBuiltIn: boolean;
}

/** Some of the fields, each with a value of its own. */
const some = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> =>
  fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;
const word = fc.constantFrom("x", "y", "z");
const number = fc.constantFrom(0, 1, 2, 3);
const textMap = some({ a: word, b: word, c: word });
/** Mostly the value; now and then a null, or something of a wrong type. */
const loosely = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 12, arbitrary: value },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(null, "odd", 7, [], {}) },
  );
const listOf = (item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown[]> => fc.array(item, { maxLength: 3 });
/** Never empty: see the row about empty lists in docs/internals/embedded-api.md. */
const someOf = (item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown[]> => fc.array(item, { minLength: 1, maxLength: 3 });
/** Of a custom resource, a real server writes metadata with an empty map once more at the next empty patch: row `empty-lists`. */
const writtenMap = textMap.filter((map) => Object.keys(map).length > 0);
const metadata = some({ labels: writtenMap, annotations: writtenMap });

const uniqueBy = <T>(items: fc.Arbitrary<T>, key: (item: T) => unknown): fc.Arbitrary<T[]> =>
  fc.uniqueArray(items, { minLength: 1, maxLength: 2, selector: key });

const container = fc.record(
  {
    name: fc.constantFrom("main", "side"),
    image: fc.constantFrom("i:1", "i:2"),
    args: someOf(word),
    env: someOf(fc.record({ name: fc.constantFrom("A", "B", "C"), value: word })),
    ports: someOf(
      fc.record(
        { containerPort: fc.constantFrom(80, 81), protocol: fc.constantFrom("TCP", "UDP") },
        { requiredKeys: ["containerPort"] },
      ),
    ),
    resources: some({
      limits: some({ cpu: fc.constantFrom("1", "0.5", "1000m"), memory: fc.constantFrom("1Gi", "1024Mi") }),
    }),
  },
  { requiredKeys: ["name", "image"] },
);
const playgrounds: readonly Playground[] = [
  {
    kind: "maps",
    at: maps,
    isBuiltIn: true,
    manifest: some({ metadata, data: loosely(textMap), immutable: fc.constantFrom(false, false, false, true) }),
    places: [
      "/data",
      "/data/a",
      "/data/b",
      "/metadata/labels",
      "/metadata/labels/a",
      "/metadata/annotations/b",
      "/nope",
    ],
  },
  {
    kind: "gadgets",
    at: gadgets,
    isBuiltIn: false,
    manifest: some({
      metadata,
      spec: some({
        size: loosely(fc.integer({ min: 0, max: 5 })),
        replicas: loosely(number),
        colour: loosely(fc.constantFrom("red", "green", "pink")),
        tags: loosely(fc.uniqueArray(word, { maxLength: 3 })),
        words: loosely(listOf(word)),
        ports: loosely(
          listOf(
            fc.record(
              { number, protocol: fc.constantFrom("TCP", "UDP"), name: word, options: textMap },
              { requiredKeys: ["number"] },
            ),
          ),
        ),
        atom: loosely(some({ a: word, b: word })),
        nested: loosely(some({ mode: word, level: number, deep: some({ on: fc.boolean() }) })),
        settings: loosely(some({ a: number, b: number })),
        nothing: fc.constantFrom(null, "x"),
        free: loosely(some({ a: word, b: some({ c: number }), d: listOf(number) })),
        fixed: word,
        low: number,
        high: number,
        nope: number,
      }),
    }),
    status: some({
      phase: fc.constantFrom("New", "Done", "Odd"),
      replicas: number,
      conditions: uniqueBy(
        fc.record({ type: fc.constantFrom("A", "B"), status: fc.constantFrom("True", "False") }),
        (item) => item.type,
      ),
    }),
    places: [
      "/spec",
      "/spec/size",
      "/spec/tags",
      "/spec/tags/-",
      "/spec/tags/0",
      "/spec/ports/0",
      "/spec/settings/a",
      "/spec/nested/level",
      "/spec/free/b",
      "/metadata/labels/a",
      "/status/phase",
    ],
  },
  {
    kind: "deployments",
    at: deployments,
    isBuiltIn: true,
    manifest: fc.record(
      {
        metadata,
        spec: fc.record(
          {
            replicas: loosely(number),
            paused: fc.boolean(),
            strategy: fc.constantFrom<JsonObject>(
              { type: "Recreate" },
              { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
              {},
            ),
            selector: fc.constant({ matchLabels: { app: "x" } }),
            template: fc.record({
              metadata: fc.constant({ labels: { app: "x" } }),
              spec: fc.record({
                automountServiceAccountToken: fc.constant(false),
                containers: uniqueBy(container, (item) => item.name),
              }),
            }),
          },
          { requiredKeys: ["selector", "template"] },
        ),
      },
      { requiredKeys: ["spec"] },
    ) as fc.Arbitrary<JsonObject>,
    status: some({ replicas: number, observedGeneration: number }),
    places: [
      "/spec/replicas",
      "/spec/paused",
      "/spec/template/spec/containers/0/image",
      "/spec/template/spec/containers/0/env",
      "/spec/template/spec/containers/1",
      "/spec/strategy",
      "/metadata/labels/a",
    ],
  },
  {
    kind: "services",
    at: services,
    isBuiltIn: true,
    manifest: fc.record(
      {
        metadata,
        spec: fc.record(
          {
            selector: textMap,
            sessionAffinity: fc.constantFrom("None", "ClientIP"),
            publishNotReadyAddresses: fc.boolean(),
            ports: uniqueBy(
              fc.record(
                {
                  name: fc.constantFrom("a", "b"),
                  port: fc.constantFrom(80, 81),
                  targetPort: fc.constantFrom<unknown>(80, "http"),
                  protocol: fc.constantFrom("TCP", "UDP"),
                },
                { requiredKeys: ["name", "port"] },
              ),
              (item) => item.name,
            ),
          },
          { requiredKeys: ["ports"] },
        ),
      },
      { requiredKeys: ["spec"] },
    ) as fc.Arbitrary<JsonObject>,
    places: ["/spec/ports/0/port", "/spec/ports/-", "/spec/selector", "/spec/selector/a", "/metadata/labels/a"],
  },
];

const name = fc.constantFrom("a", "a", "a", "b");
const manager = fc.constantFrom("one", "two", "three");

/** Calls on one kind. The manifests of creates and applies are whole, those of patches partial. */
function callOn({ at, manifest, status, places, isBuiltIn }: Playground): fc.Arbitrary<Step> {
  const operation = fc.record({
    op: fc.constantFrom("add", "replace", "remove", "test"),
    path: fc.constantFrom(...places),
    value: fc.oneof(word, number, textMap) as fc.Arbitrary<unknown>,
  });
  const calls: fc.WeightedArbitrary<Step>[] = [
    { weight: 3, arbitrary: fc.tuple(name, manifest).map(([n, body]) => at.create(n, body)) },
    { weight: 8, arbitrary: fc.tuple(name, manifest, manager).map(([n, body, who]) => at.apply(n, body, who)) },
    { weight: 3, arbitrary: fc.tuple(name, manifest, manager).map(([n, body, who]) => at.force(n, body, who)) },
    {
      weight: 3,
      arbitrary: fc.tuple(name, manifest, manager).map(([n, body, who]) => at.put(n, body, `fieldManager=${who}`)),
    },
    { weight: 3, arbitrary: fc.tuple(name, manifest).map(([n, body]) => at.merge(n, body)) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(name, fc.array(operation, { minLength: 1, maxLength: 3 }))
        .map(([n, body]) => at.json(n, body as Json)),
    },
    { weight: 1, arbitrary: name.map((n) => at.get(n)) },
    { weight: 1, arbitrary: fc.constantFrom("", "labelSelector=a%3Dx", "limit=1").map((query) => at.list(query)) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(name, fc.constantFrom<JsonObject | undefined>(undefined, { propagationPolicy: "Background" }))
        .map(([n, options]) => at.remove(n, options)),
    },
  ];
  if (isBuiltIn)
    calls.push({ weight: 3, arbitrary: fc.tuple(name, manifest).map(([n, body]) => at.strategic(n, body)) });
  if (status !== undefined) {
    calls.push(
      {
        weight: 2,
        arbitrary: fc
          .tuple(name, status, manager)
          .map(([n, body, who]) => at.apply(`${n}/status`, { status: body }, who)),
      },
      { weight: 1, arbitrary: fc.tuple(name, status).map(([n, body]) => at.merge(`${n}/status`, { status: body })) },
    );
  }
  return fc.oneof(...calls);
}

/** What every object of a generated sequence ends with: an object by which a watch knows that it has seen everything. */
const last = "zz-last";

/** Random calls on one kind, and a watch over all of them. */
export function generatedSequences(): fc.Arbitrary<Sequence> {
  return fc.oneof(
    ...playgrounds.map((playground) =>
      fc.array(callOn(playground), { minLength: 1, maxLength: 12 }).map(
        (calls): Sequence => ({
          name: `generated/${playground.kind}`,
          steps: [
            playground.at.list(),
            ...calls,
            ending(playground),
            playground.at.watch("all", "resourceVersion=$1.metadata.resourceVersion"),
            { is: "collect", watch: "all", until: { named: last } },
          ],
        }),
      ),
    ),
  );
}

const endings: Record<string, JsonObject> = {
  maps: {},
  gadgets: {},
  deployments: {
    spec: {
      selector: { matchLabels: { app: "x" } },
      template: { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  },
  services: { spec: { ports: [{ port: 1 }] } },
};

const ending = ({ kind, at }: Playground): Step => at.create(last, endings[kind] as JsonObject);
