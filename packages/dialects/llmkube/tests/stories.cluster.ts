import { readStories } from "@trivium/testkit";
import { playOnControlPlane } from "../../../../tools/cluster/stories/play-stories.ts";
import { llmkube } from "../src/index.ts";
import { operator, storyFolder, thirdPartyApis } from "./story-operator.ts";

await playOnControlPlane({
  dialect: llmkube,
  stories: readStories(storyFolder).filter(({ name }) => name.includes(process.env.STORY ?? "")),
  definitions: () => thirdPartyApis,
  operator,
  // Each with the file that uses it.
  otherUses: {
    "create pods/eviction": "maxPodLifetimeSeconds; inference-service/roles/pod-lifetime.ts",
    "patch pods": "startup protection on nodes of Karpenter; inference-service/roles/disruption.ts",
    "delete configmaps": "the record of a cache whose budget is removed; cache-budget/reconciler.ts",
    "delete httproutes.gateway.networking.k8s.io":
      "the route of a service whose Gateway is no longer set; inference-service/traffic/canary.ts",
    "delete persistentvolumeclaims":
      "the claim of a service that moves to the shared cache; inference-service/weights/storage.ts",
  },
});
