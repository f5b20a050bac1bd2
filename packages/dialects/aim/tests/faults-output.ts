import assert from "node:assert/strict";
import { test } from "node:test";
import { embeddedBackend, playStory, type Story } from "@trivium/testkit";
import { aim } from "../src/index.ts";
import { operator, thirdPartyApis } from "./story-operator.ts";

const apiVersion = "aim.silogen.ai/v1alpha1";
const found =
  '[{"profile":{"metadata":{"engine":"vllm","type":"optimized"}},"models":[{"name":"acme/foo","source":"hf://acme/foo","size_gb":1}]}]';
const tenMegabytes = Array.from({ length: 100 }, (_, i) => ({ text: `${i} hf_s3cret [[[{{{ `.padEnd(100_000, "[{x") }));

const dryRun = (image: string, lines: readonly { text: string }[]) => ({
  name: image,
  match: { container: "discovery", image },
  life: { log: lines, exit: { after: "1s", code: 0 } },
});

const modelWithTemplate = (name: string) => [
  {
    apiVersion,
    kind: "AIMModel",
    metadata: { name },
    spec: { image: `registry.example/${name}:1.0`, discovery: { enabled: false } },
  },
  { apiVersion, kind: "AIMServiceTemplate", metadata: { name }, spec: { modelName: name } },
];

/** A story, but for what a container prints: that is more than anybody would write down. */
const story: Story = {
  name: "much-output",
  given: {
    about: "Dry runs print ten megabytes, one of them with the answer at the end",
    nodes: [{ name: "node-a" }],
    stages: [dryRun("*/noise:*", tenMegabytes), dryRun("*/buried:*", [...tenMegabytes, { text: found }])],
  },
  steps: [
    {
      step: "Both have run",
      apply: [...modelWithTemplate("noise"), ...modelWithTemplate("buried")],
      passes: "20s",
      sees: {
        "aimservicetemplate/buried": { "status.status": "Ready", "status.profile.metadata.engine": "vllm" },
        "aimservicetemplate/noise": {
          "status.status": "Degraded",
          "status.conditions.Failure": {
            status: "True",
            reason: "DiscoveryParseFailed",
            message: "/^Discovery Job .{1,80}, but the output has no JSON list.{1,100}$/",
          },
        },
      },
      writes: 100,
    },
    { step: "Until it is asked again nothing is written", passes: "30s", writes: 0 },
  ],
};

test("only the end of a dry run of ten megabytes is read, and its output is not shown", async () => {
  const errors: string[] = [];
  const onError = (message: string, fields: object) => errors.push(`${message} ${Object.values(fields).join(" ")}`);
  await playStory(story, embeddedBackend({ kinds: [...aim.kinds] as never, thirdPartyApis, operator, onError }));
  assert.deepEqual(errors, []);
});
