import { type CustomResourceDefinition, OpenTelemetryCollector } from "@trivium/kube";
import { pickStories, readStories, type Story } from "@trivium/testkit";
import { playOnControlPlane } from "../../../../tools/cluster/stories/play-stories.ts";
import { thirdPartyApiDefinitions } from "../../../../tools/cluster/third-party/definitions.ts";
import { aim } from "../src/index.ts";
import { operator, permissive, storyFolder, thirdPartyApis } from "./story-operator.ts";

const installs = ({ given }: Story, name: string): boolean => given.installs?.includes(name) === true;

/** Those that stay once they are installed, and with which services of other stories would be served differently, come last. */
const rank = (story: Story): number => Number(installs(story, "keda")) + 2 * Number(installs(story, "kserve"));

const definitionsOf = (group: string): CustomResourceDefinition[] =>
  thirdPartyApiDefinitions(() => {}).filter(({ spec }) => spec.group === group);

await playOnControlPlane({
  dialect: aim,
  stories: pickStories(readStories(storyFolder), []).sort((a, b) => rank(a) - rank(b)),
  definitions: () => thirdPartyApis,
  definitionsOf: (story) => [
    ...(installs(story, "keda") ? [...definitionsOf("keda.sh"), permissive(OpenTelemetryCollector)] : []),
    ...(installs(story, "kserve") ? definitionsOf("serving.kserve.io") : []),
  ],
  operator,
  otherUses: {},
});
