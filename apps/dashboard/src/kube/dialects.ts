import { apis } from "virtual:apis";
import {
  aimStatusGuide,
  aimWeightsReader,
  eaiStatusGuide,
  eaiWeightsReader,
  summarizeAimService,
  summarizeEaiService,
} from "@trivium/aim";
import { createStatusReader } from "@trivium/explain";
import { llmkubeStatusGuide, llmkubeWeightsReader, summarizeLlmkubeService } from "@trivium/llmkube";
import { omeStatusGuide, omeWeightsReader, summarizeOmeService } from "@trivium/ome";
import { type ApiTable, collectionPathOf, serviceKindOf, type TableKind } from "./apis.ts";
import { scope } from "./scope.ts";

const guides = { aim: aimStatusGuide, "aim-eai": eaiStatusGuide, ome: omeStatusGuide, llmkube: llmkubeStatusGuide };

/** Reads the status of objects of all dialects, without the code that decides. */
export const reader = createStatusReader(
  apis.map(({ api, group }) => ({ group, statusGuide: guides[api as keyof typeof guides] })),
);

const summaries = {
  aim: summarizeAimService,
  "aim-eai": summarizeEaiService,
  ome: summarizeOmeService,
  llmkube: summarizeLlmkubeService,
};

/** What a list shows of the services of a dialect. */
export const summaryOf = (api: string) => summaries[api as keyof typeof summaries];

const weights = {
  aim: aimWeightsReader,
  "aim-eai": eaiWeightsReader,
  ome: omeWeightsReader,
  llmkube: llmkubeWeightsReader,
};

/** What objects of a dialect report of their weights. */
export const weightsOf = (api: string) => weights[api as keyof typeof weights];

export { apis };

/** Where the services of each dialect are watched, in the namespaces that the pages show. */
export const servicePaths = (): readonly string[] =>
  apis.map((one) => collectionPathOf(serviceKindOf(one), scope.value));

export const apiOf = (name: string): ApiTable | undefined => apis.find(({ api }) => api === name);

/** The kind of an object of any dialect. */
export const kindOf = (apiVersion: string, kind: string): TableKind | undefined =>
  apis.flatMap(({ kinds }) => kinds).find((one) => one.kind === kind && `${one.group}/${one.version}` === apiVersion);
