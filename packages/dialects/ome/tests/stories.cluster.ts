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
  otherUses: {},
});
