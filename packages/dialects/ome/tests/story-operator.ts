import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AnyObject } from "@trivium/kube";
import { type ModelStoreFactory, type Operator, readStories, type Story } from "@trivium/testkit";
import { parseAllDocuments } from "yaml";
import { createOme, modelStoreOf, omeDefaults } from "../src/index.ts";

const root = join(import.meta.dirname, "../../../..");

/** The dialect as a story wants it, at home where the story is. */
export const operator: Operator = (given, { namespace }) =>
  createOme({ ...omeDefaults, namespace, ...given }).reconcilers;

/** The agents of nodes, of the same home. */
export const modelStore: ModelStoreFactory = ({ namespace }) => modelStoreOf({ ...omeDefaults, namespace });

const wanted = (process.env.STORY ?? "").split(",");

export const stories = (): Story[] =>
  [...readStories(join(root, "stories/ome")), ...orders()].filter(({ name }) =>
    wanted.some((word) => name.includes(word)),
  );

/** Stories that are about kinds of others, which must be there for them. */
export const hasThirdPartyApis = ({ name }: Story): boolean =>
  ["multi-node", "routes", "scale-to-zero", "serverless", "canary", "autoscaler-classes"].includes(name);

/** The least that serves, in every order, with time in between: each ends in the same. */
function orders(): Story[] {
  const text = readFileSync(join(root, "examples/ome/minimal.yaml"), "utf8");
  const objects = parseAllDocuments(text).map((each) => each.toJS() as AnyObject);
  return permutations(objects).map((order) => {
    const words = order.map(
      ({ kind }) => ({ ClusterBaseModel: "model", InferenceService: "service" })[kind] ?? "runtime",
    );
    return {
      name: `order-${words.join("-")}`,
      given: { about: `The ${words.join(", then the ")}`, nodes: [{ name: "node-a" }] },
      steps: [
        ...order.map((object, at) => ({ step: words[at] ?? "", apply: [object], passes: "20s" })),
        {
          step: "All is well",
          passes: "60s",
          sees: {
            "isvc/llama": { "status.conditions.Ready.status": "True", "status.modelStatus.lastFailureInfo": "absent" },
            "deployment/llama-engine": { "metadata.generation": 1, "status.readyReplicas": 1 },
            "clusterbasemodel/llama-3-8b": { "status.state": "Ready" },
          },
          writes: 60,
        },
        { step: "Nothing is written at rest", passes: "5m", writes: 0 },
      ],
    };
  });
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((first, at) => permutations(items.toSpliced(at, 1)).map((rest) => [first, ...rest]));
}
