import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, ConfigMap, type KubeClient, type KubeList, type StatusReason, type WatchEvent } from "@trivium/kube";
import { FakeClock, turns } from "@trivium/testkit";
import { FieldRecord } from "../apply/field-record.ts";
import { ObjectCache } from "./cache.ts";
import { type ReflectorOptions, reflect } from "./reflector.ts";

const configMap = (name: string, version: number): ConfigMap => {
  const metadata = { name, namespace: "default", uid: `uid-${name}`, resourceVersion: String(version) };
  return { apiVersion: "v1", kind: "ConfigMap", metadata };
};
const refusal = (code: number, reason: StatusReason) =>
  new ApiError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message: reason, reason, code });

type Page = KubeList<ConfigMap> | Error;
const page = (names: readonly string[], version: string, token?: string): KubeList<ConfigMap> => ({
  apiVersion: "v1",
  kind: "ConfigMapList",
  metadata: token === undefined ? { resourceVersion: version } : { resourceVersion: version, continue: token },
  items: names.map((name) => configMap(name, Number(version))),
});

type Step = WatchEvent<ConfigMap> | Error | "end" | "silence";

/** Plays prepared lists and watches, and writes down what was asked. */
function rig(lists: Page[], watches: Step[][], more: Pick<ReflectorOptions, "whenServed"> = {}) {
  const clock = new FakeClock(0);
  const asked: string[] = [];
  const stop = new AbortController();
  const client = {
    async list(_: unknown, options: { limit?: number; continue?: string }) {
      asked.push(`list ${options.limit ?? "all"} ${options.continue ?? ""}`.trim());
      const next = lists.shift() ?? page([], "0");
      if (next instanceof Error) throw next;
      return next;
    },
    async *watch(_: unknown, options: { resourceVersion?: string; signal: AbortSignal }) {
      asked.push(`watch ${options.resourceVersion}`);
      for (const step of watches.shift() ?? ["silence" as const]) {
        await turns(1);
        if (step === "end") return;
        if (step === "silence") await new Promise((resolve) => options.signal.addEventListener("abort", resolve));
        else if (step instanceof Error) throw step;
        else yield step;
      }
    },
  } as unknown as KubeClient;
  const cache = new ObjectCache<ConfigMap>(ConfigMap, new FieldRecord([]), () => {});
  const failure: string[] = [];
  const options = {
    client,
    clock,
    random: () => 0.5,
    onError: (error: unknown) => failure.push((error as Error).message),
    ...more,
  };
  const done = reflect(cache, options, stop.signal);
  const names = () => cache.list({}).map(({ metadata }) => metadata.name);
  return { asked, cache, clock, names, failure, stop: () => end(stop, done) };
}

function end(stop: AbortController, done: Promise<void>): Promise<void> {
  stop.abort();
  return done;
}

test("lists page by page, then watches from the version of the list", async () => {
  const { asked, cache, names, stop } = rig([page(["a", "b"], "7", "next"), page(["c"], "7")], [["silence"]]);
  await turns();
  assert.deepEqual([names(), cache.isSynced], [["a", "b", "c"], true]);
  assert.deepEqual(asked, ["list 500", "list 500 next", "watch 7"]);
  await stop();
});

test("a continue token that got too old is answered with one whole list", async () => {
  const { asked, names, stop } = rig([page(["a"], "7", "next"), refusal(410, "Expired"), page(["a", "b"], "9")], []);
  await turns();
  assert.deepEqual(names(), ["a", "b"]);
  assert.deepEqual(asked, ["list 500", "list 500 next", "list all", "watch 9"]);
  await stop();
});

test("a watch that ends is resumed from its last event or bookmark; one that breaks too, a little later", async () => {
  const bookmark: WatchEvent<ConfigMap> = { type: "BOOKMARK", object: { metadata: { resourceVersion: "12" } } };
  const { asked, clock, names, failure, stop } = rig(
    [page(["a"], "7")],
    [[{ type: "ADDED", object: configMap("b", 9) }, "end"], [bookmark, new Error("reset")], ["silence"]],
  );
  await turns();
  assert.deepEqual(asked, ["list 500", "watch 7", "watch 9"]);
  await clock.advance(300);
  assert.deepEqual(asked.slice(3), ["watch 12"]);
  assert.deepEqual([names(), failure], [["a", "b"], ["reset"]]);
  await stop();
});

test("history that is gone is listed again at once, but not in a circle", async () => {
  const gone = refusal(410, "Expired");
  const { asked, clock, names, stop } = rig(
    [page(["a"], "7"), page(["b"], "20"), page(["c"], "30")],
    [[{ type: "ADDED", object: configMap("x", 8) }, gone], [gone], ["silence"]],
  );
  await turns(10);
  assert.deepEqual(asked, ["list 500", "watch 7", "list 500", "watch 20"]);
  await clock.advance(1_000);
  assert.deepEqual(asked.slice(4), ["list 500", "watch 30"]);
  assert.deepEqual(names(), ["c"]);
  await stop();
});

test("a kind that is not served has no objects, until it is", async () => {
  const { cache, clock, names, failure, stop } = rig([refusal(404, "NotFound"), page(["a"], "3")], [["silence"]]);
  await turns();
  assert.deepEqual([cache.isSynced, cache.isServed, names()], [true, false, []]);
  await clock.advance(1_000);
  assert.deepEqual([cache.isServed, names(), failure], [true, ["a"], []]);
  await stop();
});

test("a kind that was not served for half a minute is listed again when it is known to be served", async () => {
  const served = Promise.withResolvers<void>();
  const denials = Array.from({ length: 8 }, () => refusal(404, "NotFound"));
  const { asked, clock, names, stop } = rig([...denials, page(["a"], "3")], [["silence"]], {
    whenServed: () => served.promise,
  });
  await clock.advance(600_000);
  assert.deepEqual([asked.length, names()], [8, []]);
  served.resolve();
  await turns();
  assert.deepEqual(names(), ["a"]);
  await stop();
});

test("objects that were there are not given up because of one denial", async () => {
  const denial = () => refusal(404, "NotFound");
  const lists = [page(["a"], "3"), denial(), page(["a"], "4"), ...Array.from({ length: 9 }, denial)];
  const { clock, names, stop } = rig(lists, [[denial()], [denial()]]);
  await clock.advance(500);
  assert.deepEqual(names(), ["a"]);
  await clock.advance(30_000);
  assert.deepEqual(names(), []);
  await stop();
});

test("a server that ends every watch at once is not asked without pause", async () => {
  const { asked, clock, stop } = rig(
    [page([], "1")],
    Array.from({ length: 50 }, () => ["end" as const]),
  );
  await clock.advance(10_000);
  assert.ok(asked.length > 3 && asked.length < 12, `${asked.length} calls in ten seconds`);
  await stop();
});

test("a connection that died without a word is given up when the watch should have ended", async () => {
  const { asked, clock, stop } = rig([page([], "5")], [["silence"], ["silence"]]);
  await clock.advance(600_000);
  assert.deepEqual(asked, ["list 500", "watch 5", "watch 5"]);
  await stop();
});
