import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "@trivium/kube";
import { sourcesOf } from "./command.ts";

function podWith(server: object): Pod {
  const [prepare, serve] = [{ name: "model-downloader" }, { name: "llama-server" }];
  return {
    metadata: { name: "chat-a" },
    spec: { initContainers: [prepare], containers: [serve] },
    status: {
      initContainerStatuses: [{ ...prepare, state: { terminated: { exitCode: 0 } } }],
      containerStatuses: [{ ...serve, ...server }],
    },
  } as unknown as Pod;
}

const namesOf = (server: object, wanted?: string): string[] =>
  sourcesOf([podWith(server)], wanted).map(({ container }) => container);

test("the log of a service is that of its model server, once that has started", () => {
  assert.deepEqual(namesOf({ state: { running: {} } }), ["llama-server"]);
  assert.deepEqual(namesOf({ state: { waiting: {} }, lastState: { terminated: { exitCode: 1 } } }), ["llama-server"]);
  assert.equal(sourcesOf([podWith({ state: { running: {} } })], undefined)[0]?.prefix, "");
});

test("until then it is that of the download; a container that is named is read in any case", () => {
  assert.deepEqual(namesOf({ state: { waiting: { reason: "PodInitializing" } } }), [
    "model-downloader",
    "llama-server",
  ]);
  assert.deepEqual(namesOf({ state: { running: {} } }, "model-downloader"), ["model-downloader"]);
});
