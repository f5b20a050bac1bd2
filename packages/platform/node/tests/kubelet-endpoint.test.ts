import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loadOrCreateIdentity } from "@trivium/apiserver";
import type { api, Pod } from "@trivium/kube";
import { LogBook } from "../src/index.ts";
import { serveKubelet } from "../src/logs/kubelet-endpoint.ts";

const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default", uid: "1" },
  spec: {
    containers: [
      { name: "main", image: "x" },
      { name: "late", image: "x" },
    ],
  },
};
const status: api.PodStatus = {
  containerStatuses: [
    {
      name: "main",
      ready: true,
      restartCount: 0,
      image: "x",
      imageID: "",
      containerID: "staged://a",
      state: { running: {} },
    },
    {
      name: "late",
      ready: false,
      restartCount: 0,
      image: "x",
      imageID: "",
      state: { waiting: { reason: "ContainerCreating" } },
    },
  ],
};

test("the endpoint gives logs to who shows the right certificate, refuses in a kubelet's words, and ends followers", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "trivium-kubelet-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const [ours, theirs] = [await loadOrCreateIdentity(join(folder, "a")), await loadOrCreateIdentity(join(folder, "b"))];
  const logs = new LogBook(() => 0);
  logs.register(pod, { statusOf: () => status });
  const run = logs.begin(pod, "main", "staged://a");
  run.write("one\ntwo");
  const endpoint = await serveKubelet({
    logs,
    now: () => 0,
    certificate: ours.server,
    clientAuthority: ours.authority,
  });
  t.after(() => endpoint.close());
  let heard: (text: string) => void = () => undefined;
  const ask = (path: string, pair: { cert?: string; key?: string } = ours.admin, method = "GET") =>
    new Promise<string>((resolve, reject) => {
      const call = request(
        { host: "127.0.0.1", port: endpoint.port, path, method, ca: ours.authority, agent: false, ...pair },
        (answer) => {
          let text = "";
          answer.setEncoding("utf8").on("data", (piece: string) => {
            text += piece;
            heard(text);
          });
          answer.on("end", () => resolve(`${answer.statusCode} ${text}`));
        },
      );
      call.on("error", reject).end();
    });
  assert.equal(await ask("/containerLogs/default/web/main"), "200 one\ntwo\n");
  assert.equal(await ask("/containerLogs/default/web/main?tailLines=1"), "200 two\n");
  assert.equal(
    await ask("/containerLogs/default/web/late"),
    '400 container "late" in pod "web" is waiting to start: ContainerCreating',
  );
  assert.equal(
    await ask("/containerLogs/default/web/main?previous=true"),
    '400 previous terminated container "main" in pod "web" not found',
  );
  assert.equal(await ask("/containerLogs/default/web/none"), '404 container "none" not found in pod "web"');
  assert.equal(await ask("/containerLogs/default/other/main"), '404 pod "other" does not exist');
  assert.match(await ask("/containerLogs/default/web/main?tailLines=-1"), /^400 tailLines/);
  assert.match(await ask("/containerLogs/%zz/web/main"), /^400/);
  assert.match(await ask("/pods"), /^404/);
  assert.match(await ask("/containerLogs/default/web/main", ours.admin, "POST"), /^405/);
  await assert.rejects(ask("/containerLogs/default/web/main", {}), "without a certificate nobody is let in");
  await assert.rejects(ask("/containerLogs/default/web/main", theirs.admin), "nor with one of another authority");
  const isFollowed = new Promise<void>((resolve) => {
    heard = (text) => text === "one\ntwo\n" && resolve();
  });
  const followed = ask("/containerLogs/default/web/main?follow=true");
  await isFollowed;
  run.write("three");
  logs.forget(pod);
  assert.equal(await followed, "200 one\ntwo\nthree\n", "a log ends with its pod");
});
