import { playOnControlPlane } from "../../../../tools/cluster/stories/play-stories.ts";
import { thirdPartyApiDefinitions } from "../../../../tools/cluster/third-party/definitions.ts";
import { ome } from "../src/index.ts";
import { modelStore, operator, stories } from "./story-operator.ts";

await playOnControlPlane({
  dialect: ome,
  stories: stories(),
  definitions: () => thirdPartyApiDefinitions(() => {}),
  operator,
  modelStore,
  // Each with the file that uses it.
  otherUses: {
    ...Object.fromEntries(
      Object.entries({
        "ingresses.networking.k8s.io": "inference-service/traffic/kubernetes-ingress.ts",
        "virtualservices.networking.istio.io": "inference-service/traffic/virtual-service.ts",
      }).flatMap(([resource, file]) =>
        ["create", "delete", "patch"].map((verb) => [`${verb} ${resource}`, `stories route by HTTPRoute; ${file}`]),
      ),
    ),
    "delete leaderworkersets.leaderworkerset.x-k8s.io":
      "a service that no longer spans nodes; inference-service/roles/group-component.ts",
    "delete services.serving.knative.dev":
      "a service that no longer scales to zero; inference-service/roles/serverless-component.ts",
    "update clusterbasemodels.ome.io/finalizers":
      "owner of the Job that inspects a claim; model/weights/claim-reading.ts",
  },
});
