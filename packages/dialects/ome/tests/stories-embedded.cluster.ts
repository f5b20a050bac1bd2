import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CustomResourceDefinition } from "@trivium/kube";
import { embeddedBackend, playStory } from "@trivium/testkit";
import { NoCluster } from "../../../../tools/cluster/build.ts";
import { thirdPartyApiDefinitions } from "../../../../tools/cluster/third-party/definitions.ts";
import { ome } from "../src/index.ts";
import { hasThirdPartyApis, modelStore, operator, stories } from "./story-operator.ts";

/** Of the definitions of other projects those whose kinds this dialect creates or reads, or why there are none. */
function findDefinitions(): CustomResourceDefinition[] | string {
  try {
    return thirdPartyApiDefinitions(() => {}).filter(({ metadata }) => emitted.includes(metadata.name ?? ""));
  } catch (error) {
    if (error instanceof NoCluster) return error.message;
    throw error;
  }
}

const emitted = [
  "leaderworkersets.leaderworkerset.x-k8s.io",
  "scaledobjects.keda.sh",
  "services.serving.knative.dev",
  "httproutes.gateway.networking.k8s.io",
  "gatewayclasses.gateway.networking.k8s.io",
  "virtualservices.networking.istio.io",
];

const definitions = findDefinitions();
const skip = typeof definitions === "string" ? definitions : false;

describe("stories on the embedded server, with definitions of other projects where they are needed", { skip }, () => {
  for (const story of stories()) {
    test(`${story.name}: ${story.given.about}`, async () => {
      const errors: string[] = [];
      const onError = (message: string, fields: object) => errors.push(`${message} ${Object.values(fields).join(" ")}`);
      const thirdPartyApis = hasThirdPartyApis(story) ? (definitions as CustomResourceDefinition[]) : [];
      const kinds = [...ome.kinds] as never;
      await playStory(story, embeddedBackend({ kinds, thirdPartyApis, operator, modelStore, onError }));
      assert.deepEqual(errors, []);
    });
  }
});
