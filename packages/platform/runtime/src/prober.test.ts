import assert from "node:assert/strict";
import { test } from "node:test";
import { answer, defineQuery } from "@trivium/reconcile";
import { FakeClock, turns } from "@trivium/testkit";
import { Prober, type ProberOptions } from "./prober.ts";

const size = defineQuery<{ of: string }, number>("size", { ttl: 10_000 });

function rig(find: (of: string) => Promise<number | undefined>, options: Partial<ProberOptions> = {}) {
  const clock = new FakeClock(0);
  const calls: string[] = [];
  const woken: string[] = [];
  const answers = [
    answer(size, ({ of }) => {
      calls.push(of);
      return find(of);
    }),
  ];
  const prober = new Prober({
    clock,
    random: () => 0.5,
    answers,
    isWanted: () => true,
    onAnswer: (key) => woken.push(key),
    ...options,
  });
  return { clock, calls, woken, prober };
}

test("one call for equal arguments; the answer is frozen and wakes once", async () => {
  const { prober, calls, woken, clock } = rig(async () => 7);
  assert.deepEqual(prober.ask(size, { of: "a" }), { is: "pending" });
  assert.deepEqual(prober.ask(size, { of: "a" }), { is: "pending" });
  await turns();
  assert.deepEqual(prober.ask(size, { of: "a" }), { is: "known", value: 7 });
  assert.deepEqual([calls, woken], [["a"], ['size {"of":"a"}']]);
  await clock.advance(35_000);
  assert.equal(calls.length, 4, "found anew each time it got old");
  assert.equal(woken.length, 1, "an answer that is the same wakes nobody");
});

test("absent, unreachable with growing delays, and back again", async () => {
  const replies: (() => Promise<number | undefined>)[] = [
    async () => undefined,
    async () => {
      throw new Error("connection refused");
    },
    async () => {
      throw new Error("connection refused");
    },
    async () => 3,
  ];
  const { prober, calls, clock } = rig(async () => (replies.shift() ?? (async () => 4))());
  prober.ask(size, { of: "a" });
  await turns();
  assert.deepEqual(prober.ask(size, { of: "a" }), { is: "absent" });
  await clock.advance(10_000);
  assert.deepEqual(prober.ask(size, { of: "a" }), { is: "unreachable", why: "connection refused" });
  await clock.advance(1_000);
  assert.equal(calls.length, 3);
  await clock.advance(1_999);
  assert.equal(calls.length, 3);
  await clock.advance(1);
  assert.deepEqual(prober.ask(size, { of: "a" }), { is: "known", value: 3 });
});

test("a call without an answer is given up after its time", async () => {
  const { prober, clock } = rig(() => new Promise(() => {}));
  prober.ask(size, { of: "a" });
  await clock.advance(30_000);
  assert.deepEqual(prober.ask(size, { of: "a" }), { is: "unreachable", why: "no response within 30s" });
});

test("whoever asks for patience gets it, up to an hour, and only once for each refusal", async () => {
  const refused = (retryAfterMs: number) => Object.assign(new Error("too many requests"), { retryAfterMs });
  const replies = [refused(120_000), refused(10 ** 9), new Error("connection refused")];
  const { prober, calls, clock } = rig(async () => {
    throw replies[calls.length - 1] ?? new Error("connection refused");
  });
  prober.ask(size, { of: "a" });
  await clock.advance(119_000);
  assert.equal(calls.length, 1);
  await clock.advance(1_000);
  assert.equal(calls.length, 2);
  await clock.advance(3_600_000);
  assert.equal(calls.length, 3);
  await clock.advance(4_000);
  assert.equal(calls.length, 4, "the third time nobody asked for any, so the usual delay is enough");
});

test("a question that nobody answers is unreachable, in words", () => {
  const { prober } = rig(async () => 1);
  const fact = prober.ask(defineQuery<null, number>("weather", { ttl: 1 }), null);
  assert.deepEqual(fact, { is: "unreachable", why: 'no answer function for query "weather"' });
});

test("answers that nobody depends on are dropped, at their end or when room is needed", async () => {
  const wanted = new Set<string>();
  const { prober, clock } = rig(async () => 1, { maxAnswers: 3, isWanted: (key) => wanted.has(key) });
  wanted.add('size {"of":"a"}');
  for (const name of ["a", "b", "c", "d", "e"]) {
    prober.ask(size, { of: name });
    await turns();
  }
  assert.equal(prober.size, 3);
  assert.equal(prober.ask(size, { of: "a" }).is, "known");
  await clock.advance(10_000);
  assert.equal(prober.size, 1);
});

test("no more calls at a time than allowed, and none after the stop", async () => {
  let inFlight = 0;
  let most = 0;
  const { prober, calls, clock } = rig(
    async () => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await turns(2);
      inFlight -= 1;
      return 1;
    },
    { maxInFlight: 3 },
  );
  for (let i = 0; i < 12; i += 1) prober.ask(size, { of: String(i) });
  await turns(12);
  assert.equal(most, 3);
  assert.equal(calls.length, 12);
  prober.stop();
  await clock.advance(60_000);
  assert.equal(calls.length, 12);
});

test("a call ends when its last reader is gone, one that waits is not made, and both are asked again later", async () => {
  const ended: string[] = [];
  const answers = [
    answer(size, ({ of }, { signal }) => {
      const { promise, reject } = Promise.withResolvers<number>();
      signal.addEventListener("abort", () => {
        ended.push(of);
        reject(signal.reason);
      });
      return promise;
    }),
  ];
  const { prober, woken } = rig(async () => 1, { answers, maxInFlight: 1 });
  prober.ask(size, { of: "a" });
  prober.ask(size, { of: "b" });
  prober.release('size {"of":"b"}');
  prober.release('size {"of":"a"}');
  await turns();
  assert.deepEqual([ended, woken, prober.size], [["a"], [], 0]);
  assert.deepEqual(prober.ask(size, { of: "a" }), { is: "pending" });
  prober.stop();
});

test("what is known stays known without a reader, also while it is found out again", async () => {
  const replies = [Promise.resolve(7), Promise.withResolvers<number>().promise];
  const { prober, clock, calls } = rig(() => replies.shift() ?? Promise.resolve(0));
  prober.ask(size, { of: "a" });
  await turns();
  prober.release('size {"of":"a"}');
  assert.deepEqual(prober.ask(size, { of: "a" }), { is: "known", value: 7 });
  await clock.advance(10_000);
  assert.equal(calls.length, 2);
  prober.release('size {"of":"a"}');
  assert.deepEqual(prober.ask(size, { of: "a" }), { is: "known", value: 7 });
  prober.stop();
});
