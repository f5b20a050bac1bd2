import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { registryAnswers } from "@trivium/probes";
import {
  embeddedBackend,
  type PushPlace,
  playStory,
  pushImage,
  type RegistryOptions,
  startRegistry,
  TokenServer,
} from "@trivium/testkit";
import { aim } from "../src/index.ts";
import { registryStory } from "./registry-story.ts";
import { operator, thirdPartyApisOf } from "./story-operator.ts";

const login = "user:pass";
const htpasswd = "user:$2y$05$abcdefghijklmnopqrstuuZFBUbfXoM8LFiPx8LYlO/sXZB/Cwk3K\n";

const deployments = '[{"gpuModel":"MI300X","gpuCount":1,"metric":"latency","precision":"fp8"}]';
const recommends = { "com.amd.aim.model.recommendedDeployments": deployments };

/** The images that the story tells of. */
async function fill(place: PushPlace): Promise<void> {
  for (const tag of ["0.9.0", "1.0.0", "latest"]) await pushImage(place, `acme/aim-foo:${tag}`, recommends);
  await pushImage(place, "acme/aim-bar:2.0.0", {
    "org.amd.silogen.model.canonicalName": "acme/Bar",
    "org.amd.silogen.model.deployments": deployments,
  });
  await pushImage(place, "acme/other:1.0.0", {});
}

async function play(t: TestContext, auth: RegistryOptions, installs: readonly string[]): Promise<void> {
  const registry = await startRegistry(auth);
  if (registry.is === "missing") return void t.skip(`skipped: ${registry.why}`);
  t.after(() => registry.stop());
  const host = `127.0.0.1:${registry.port}`;
  await fill({ host, login });
  const story = registryStory({ host, login }, installs);
  const errors: string[] = [];
  const backend = embeddedBackend({
    kinds: [...aim.kinds] as never,
    thirdPartyApis: thirdPartyApisOf(story.given),
    operator,
    outside: (client, clock) => registryAnswers({ client, environment: {}, addresses: "any", now: () => clock.now() }),
    onError: (message, fields) => errors.push(`${message} ${Object.values(fields).join(" ")}`),
  });
  await playStory(story, backend);
  assert.deepEqual(errors, []);
}

test("from the labels in a registry with a password to the server", async (t) => {
  await play(t, { logins: htpasswd }, []);
});

test("from the labels in a registry with tokens to KServe", async (t) => {
  const tokens = new TokenServer(login);
  t.after(() => tokens.close());
  const { service, issuer, cert } = tokens;
  await play(t, { tokens: { realm: await tokens.listen(), service, issuer, cert } }, ["kserve"]);
});
