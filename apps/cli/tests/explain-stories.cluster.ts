import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { aim, aimDefaults, createAim } from "@trivium/aim";
import type { ServingDialect } from "@trivium/domain";
import { gather } from "@trivium/explain";
import {
  type AnyObject,
  type CustomResourceDefinition,
  gatewayApiCrds,
  isReason,
  type Kind,
  KServeClusterServingRuntime,
  KServeInferenceService,
  KServeServingRuntime,
  OpenTelemetryCollector,
  ScaledObject,
} from "@trivium/kube";
import { createLlmkube, llmkube, llmkubeDefaults } from "@trivium/llmkube";
import { createOme, modelStoreOf, ome, omeDefaults } from "@trivium/ome";
import { isObject, type Json } from "@trivium/std";
import {
  type Backend,
  type EmbeddedOptions,
  embeddedBackend,
  pickStories,
  playStory,
  readStories,
  type Step,
  type Story,
} from "@trivium/testkit";
import { NoCluster } from "../../../tools/cluster/build.ts";
import { thirdPartyApiDefinitions } from "../../../tools/cluster/third-party/definitions.ts";
import { printExplanation } from "../src/explain/print.ts";
import { standingOf } from "../src/explain/state.ts";

/**
 * Every story of every dialect, played to its end: whenever a story looks at an object that is not ready, `explain` of that object must
 * name the cause in the words that the story expects. There is no list of stories: a new one is played because it exists.
 */
interface Stage {
  readonly dialect: ServingDialect;
  readonly stories: readonly Story[];
  optionsFor(story: Story): Omit<EmbeddedOptions, "onError">;
}

const gatewayApis = await gatewayApiCrds();
const storiesOf = (dialect: string): Story[] => readStories(join(import.meta.dirname, "../../../stories", dialect));

/** The kinds that a story installs, with any fields. */
const installed: Readonly<Record<string, readonly CustomResourceDefinition[]>> = {
  kserve: [KServeInferenceService, KServeServingRuntime, KServeClusterServingRuntime].map(permissive),
  keda: [ScaledObject, OpenTelemetryCollector].map(permissive),
};

function permissive({ group, version, kind, plural, namespaced }: Kind): CustomResourceDefinition {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } as const;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      scope: namespaced ? "Namespaced" : "Cluster",
      versions: [{ name: version, served: true, storage: true, schema, subresources: { status: {} } }],
    },
  };
}

/** Stories of OME that are about kinds of others. */
const withForeignKinds = ["multi-node", "routes", "scale-to-zero", "serverless", "canary", "autoscaler-classes"];
const foreign = [
  "leaderworkersets.",
  "scaledobjects.keda.sh",
  "services.serving.knative.dev",
  "httproutes.",
  "gatewayclasses.",
  "virtualservices.",
];

const definitions = (): readonly CustomResourceDefinition[] | string => {
  try {
    return thirdPartyApiDefinitions(() => {}).filter(({ metadata }) =>
      foreign.some((name) => metadata.name?.startsWith(name)),
    );
  } catch (error) {
    if (error instanceof NoCluster) return error.message;
    throw error;
  }
};
const found = definitions();

const stages: readonly Stage[] = [
  {
    dialect: aim,
    stories: storiesOf("aim"),
    optionsFor: ({ given }) => ({
      kinds: [...aim.kinds] as never,
      thirdPartyApis: [...gatewayApis, ...(given.installs ?? []).flatMap((name) => installed[name] ?? [])],
      operator: (given, { namespace }) =>
        createAim({ ...aimDefaults, operatorNamespace: namespace, ...given }).reconcilers,
    }),
  },
  {
    dialect: ome,
    stories: storiesOf("ome"),
    optionsFor: (story) => ({
      kinds: [...ome.kinds] as never,
      thirdPartyApis: withForeignKinds.includes(story.name) ? (found as CustomResourceDefinition[]) : [],
      operator: (given, { namespace }) => createOme({ ...omeDefaults, namespace, ...given }).reconcilers,
      modelStore: ({ namespace }) => modelStoreOf({ ...omeDefaults, namespace }),
    }),
  },
  {
    dialect: llmkube,
    stories: storiesOf("llmkube"),
    optionsFor: () => ({
      kinds: [...llmkube.kinds] as never,
      thirdPartyApis: gatewayApis,
      operator: (given) =>
        createLlmkube({ ...llmkubeDefaults, ...given, cache: { ...llmkubeDefaults.cache, ...(given.cache as object) } })
          .reconcilers,
    }),
  },
];

interface Cell {
  readonly backend: Backend;
  readonly dialect: ServingDialect;
}

/** The object that a story looks at, where it is one of the dialect and exists. */
async function findObject({ backend, dialect }: Cell, subject: string): Promise<[AnyObject, string] | undefined> {
  const [, word = "", name = "", namespace = backend.namespace] = /^(\w+)\/([^@]+)(?:@(.+))?$/.exec(subject) ?? [];
  const kind = dialect.kinds.find(({ singular, plural, shortNames }) =>
    [singular, plural, ...shortNames].includes(word),
  );
  if (kind === undefined) return undefined;
  try {
    const object = await backend.client.get(kind, { name, ...(kind.namespaced ? { namespace } : {}) });
    const gathered = await gather(backend.client, { kind, name }, { namespace, dialects: [dialect] });
    return [object as unknown as AnyObject, printExplanation(gathered, Date.now())];
  } catch (error) {
    if (isReason(error, "NotFound")) return undefined;
    throw error;
  }
}

/** Patterns of messages that a story expects, with the condition that has each. */
const messagesIn = (expected: Json): string[] =>
  isObject(expected)
    ? Object.entries(expected).flatMap(([path, inner]) =>
        typeof inner === "string" ? (/(?:[mM]essage|details)$/.test(path) ? [inner] : []) : messagesIn(inner as Json),
      )
    : [];

interface ReportedStatus {
  readonly conditions?: readonly { readonly status?: string; readonly message?: string }[];
  /** Of kinds without conditions. */
  readonly details?: string;
  readonly failureMessage?: string;
}

const matcherOf = (expected: string): ((text: string) => boolean) => {
  if (!/^\/.*\/$/s.test(expected)) return (text) => text.includes(expected);
  const pattern = new RegExp(expected.slice(1, -1).replaceAll(/^\^|\$$/g, ""));
  return (text) => pattern.test(text);
};

/** What `explain` leaves out of what the story planted. */
async function faultsOf(cell: Cell, [subject, expected]: [string, Json], counts: Counts): Promise<string[]> {
  const both = await findObject(cell, subject);
  if (both === undefined) return [];
  const [object, text] = both;
  const standing = standingOf(object);
  // A benchmark that runs lacks nothing.
  if (standing.is === "ready" || standing.is === "idle" || standing.word === "Running") return [];
  counts.cells += 1;
  const headline = text.split("\n")[0] ?? "";
  const why = /\n\nWhy\n {2}(.*)\n/.exec(text)?.[1] ?? "";
  const missing = why === "" ? [`${subject} has no cause: ${headline}`] : [];
  const planted: string[] = [];
  const { conditions: all = [], ...status } = (object.status ?? {}) as ReportedStatus;
  const reported = [
    ...all.filter((one) => one.status !== "True").map(({ message }) => message),
    status.details,
    status.failureMessage,
  ];
  for (const message of messagesIn(expected)) {
    const isMet = matcherOf(message);
    // The message of a condition that holds is no cause.
    if (!reported.some((one = "") => isMet(one))) continue;
    planted.push(message);
    if (!isMet(text)) missing.push(`${subject} is explained without ${message}:\n${text}`);
  }
  if (planted.length === 0) return missing;
  // Beside it, a story can expect what follows from the cause.
  counts.causes += 1;
  if (planted.some((message) => matcherOf(message)(why))) return missing;
  return [...missing, `${subject} is explained by "${why}", and the story plants ${planted.join(" and ")}`];
}

interface Counts {
  cells: number;
  causes: number;
}

/** Plays a story, and explains after each step everything that the step looks at. */
async function explainStory({ dialect, optionsFor }: Stage, story: Story, counts: Counts): Promise<void> {
  const errors: string[] = [];
  let round = 0;
  await playStory(story, async (opened) => {
    const backend = await embeddedBackend({ ...optionsFor(story), onError: (message) => errors.push(message) })(opened);
    const settle: Backend["settle"] = async (find) => {
      const step: Step | undefined = story.steps[round];
      round += 1;
      const faults = await backend.settle(find);
      if (faults.length > 0) return faults;
      const looked = Object.entries(step?.sees ?? {});
      return (await Promise.all(looked.map((one) => faultsOf({ backend, dialect }, one, counts)))).flat();
    };
    return { ...backend, settle };
  });
  assert.equal(round, story.steps.length);
  assert.deepEqual(errors, []);
}

for (const stage of stages)
  describe(`explain names the cause that each story plants: ${stage.dialect.name}`, () => {
    const counts: Counts = { cells: 0, causes: 0 };
    for (const story of pickStories(stage.stories, [])) {
      const skip =
        stage.dialect === ome && withForeignKinds.includes(story.name) && typeof found === "string" ? found : false;
      test(story.name, { skip }, () => explainStory(stage, story, counts));
    }
    const isPart = process.env.STORY !== undefined && "only a part of the stories was played";
    test("the stories plant causes", { skip: isPart }, () => {
      assert.ok(counts.cells > 70 && counts.causes > 50, `${counts.cells} objects, ${counts.causes} causes`);
    });
  });
