import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe } from "node:test";
import type { ArtifactReport, WantedArtifact } from "@trivium/domain";
import { HubServer } from "@trivium/testkit";
import { ArtifactManager, type ArtifactManagerOptions, Store } from "../src/index.ts";

/** What the test that runs has for itself. */
export let hub: HubServer;
export let root: string;
let keepers: ArtifactManager[];
/** Tests of artifact managers, each with a hub and an empty folder. */
export function describeManager(title: string, define: () => void): void {
  describe(title, () => {
    beforeEach(async () => {
      hub = await new HubServer().listen();
      hub.files.set("config.json", { content: Buffer.from('{"model_type":"llama"}'), isLarge: false });
      hub.files.set("weights.bin", { content: Buffer.alloc(100_000, 7), isLarge: true });
      root = mkdtempSync(join(tmpdir(), "keeper-"));
      keepers = [];
    });
    afterEach(async () => {
      for (const manager of keepers) await manager.stop();
      await hub.close();
      rmSync(root, { recursive: true, force: true });
    });
    define();
  });
}

interface Heard {
  readonly manager: ArtifactManager;
  readonly reports: ArtifactReport[];
  readonly gone: string[];
  /** Runs what waits for its time. */
  retry(): void;
  until(is: (report: ArtifactReport) => boolean): Promise<ArtifactReport>;
}

export function open(more: Partial<ArtifactManagerOptions> = {}): Heard {
  const reports: ArtifactReport[] = [];
  const gone: string[] = [];
  const later: (() => void)[] = [];
  const waiting = new Set<() => void>();
  const manager = new ArtifactManager({
    store: new Store(join(root, "store")),
    environment: { HF_ENDPOINT: hub.endpoint, HOME: root },
    addresses: "any",
    folderOf: async (path) => join(root, path),
    records: join(root, "store/holdings.json"),
    secretsOf: async () => ({}),
    onReport: (report) => {
      reports.push(report);
      for (const check of [...waiting]) check();
    },
    onGone: (key) => void gone.push(key),
    onError: (what, error) => assert.fail(`${what}: ${error}`),
    now: Date.now,
    schedule: (_, run) => {
      later.push(run);
      return () => void later.splice(later.indexOf(run), 1);
    },
    ...more,
  });
  keepers.push(manager);
  const until = (is: (report: ArtifactReport) => boolean) =>
    new Promise<ArtifactReport>((resolve) => {
      const check = (): void => {
        const found = reports.find(is);
        if (found === undefined) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      check();
    });
  const retry = (): void => {
    for (const run of later.splice(0)) run();
  };
  return { manager, reports, gone, retry, until };
}

export const request = (more: Partial<WantedArtifact> = {}): WantedArtifact => ({
  key: "m",
  source: { is: "fetched", uri: "hf://org/repo" },
  path: "/models/m",
  settings: {},
  reading: "headers",
  afterwards: "remove",
  ...more,
});
export const states = (reports: readonly ArtifactReport[]) => reports.map(({ is }) => is);
