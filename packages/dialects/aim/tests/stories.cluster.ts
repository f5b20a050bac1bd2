import type { CustomResourceDefinition } from "@trivium/kube";
import { readStories, type Story } from "@trivium/testkit";
import { playOnControlPlane } from "../../../../tools/cluster/stories/play-stories.ts";
import { thirdPartyApiDefinitions } from "../../../../tools/cluster/third-party/definitions.ts";
import { aim } from "../src/index.ts";
import { operator, storyFolder, thirdPartyApis } from "./story-operator.ts";

const hasKserve = ({ given }: Story): boolean => given.installs?.includes("kserve") === true;

const kserveDefinitions = (): CustomResourceDefinition[] =>
  thirdPartyApiDefinitions(() => {}).filter(({ spec }) => spec.group === "serving.kserve.io");

await playOnControlPlane({
  dialect: aim,
  stories: readStories(storyFolder)
    .filter(({ name }) => name.includes(process.env.STORY ?? ""))
    .sort((a, b) => Number(hasKserve(a)) - Number(hasKserve(b))),
  definitions: () => thirdPartyApis,
  definitionsOf: (story) => (hasKserve(story) ? kserveDefinitions() : []),
  operator,
  // Each with the file that uses it.
  otherUses: {
    ...Object.fromEntries(
      ["scaledobjects.keda.sh", "opentelemetrycollectors.opentelemetry.io"].flatMap((resource) =>
        ["create", "delete", "list", "patch", "watch"].map((verb) => [
          `${verb} ${resource}`,
          "spec.autoScaling where both are installed; service/roles/plan-role.ts",
        ]),
      ),
    ),
    ...Object.fromEntries(
      ["clusterservingruntimes", "servingruntimes", "inferenceservices"].map((plural) => [
        `delete ${plural}.serving.kserve.io`,
        "--aim-backend=deployment after a time with KServe; template/roles/children.ts, service/roles/plan-role.ts",
      ]),
    ),
    ...Object.fromEntries(
      ["aimclusterservicetemplates", "aimservicetemplates"].map((plural) => [
        `delete ${plural}.aim.silogen.ai`,
        "custom templates that spec no longer has; model/templates/children.ts",
      ]),
    ),
    "delete aimmodels.aim.silogen.ai": "the model of a former spec.model.image; service/selection/let-go.ts",
    "delete persistentvolumeclaims": "the temporary claim once a cache is used; service/roles/kept-children.ts",
    "patch aimclustermodelsources.aim.silogen.ai/status": "model-source/raise.ts; catalog.cluster.ts",
    "update aimclustermodelsources.aim.silogen.ai/finalizers": "owner of AIMClusterModels; catalog.cluster.ts",
    "update aimclusterimages.aim.silogen.ai/finalizers": "owner of templates by a former name; model/names/scopes.ts",
    "update aimimages.aim.silogen.ai/finalizers": "owner of templates by a former name; model/names/scopes.ts",
  },
});
