import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { findK9s } from "../../../tools/cluster/neighbours/k9s.ts";
import { openScreen, type Screen, withoutScreen } from "./screen.ts";
import { Machine, missingKubectl } from "./serving/machine.ts";
import { modelManifest } from "./serving/manifests.ts";

const k9s = findK9s();
const unbuilt = k9s === undefined && "k9s is not built; npm run cluster:neighbours builds it";
const skip = (await missingKubectl()) ?? (withoutScreen || unbuilt);

describe("with k9s", { skip }, () => {
  const machine = new Machine();
  let folder = "";
  let screen: Screen;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "trivium-k9s-"));
    await machine.up();
    await machine.apply(modelManifest({ name: "chat" }));
    await machine.kubectl("rollout", "status", "deploy/chat");
    const place = ["--kubeconfig", join(machine.home, "kubeconfig"), "--namespace", "default", "--command", "pods"];
    const settings = { HOME: folder, K9SCONFIG: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
    screen = await openScreen([k9s ?? "", "--headless", "--logoless", ...place], settings);
  });
  after(async () => {
    await screen?.close();
    await machine.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it("lists the pods, with what each uses", async () => {
    await screen.shows(/chat-\S+ .*1\/1 .*Running/);
  });

  it("follows the log of a pod", async () => {
    await screen.press("l");
    await screen.shows(/model loaded.*listening on/);
    await screen.press("Escape");
    await screen.shows(/1\/1 .*Running/);
  });

  it("opens a shell in a pod, and comes back", async () => {
    await screen.press("s");
    await screen.shows(/[$#] *$/m);
    await screen.press("echo answer-$((40+2)) in $HOSTNAME", "Enter");
    await screen.shows(/^answer-42 in/m);
    await screen.press("exit", "Enter");
    await screen.shows(/1\/1 .*Running/);
    assert.doesNotMatch(await screen.read(), /rror/);
  });

  it("describes a pod", async () => {
    await screen.press("d");
    await screen.shows(/Containers:|Name: +chat-/);
    await screen.press("Escape");
    await screen.shows(/1\/1 .*Running/);
  });
});
