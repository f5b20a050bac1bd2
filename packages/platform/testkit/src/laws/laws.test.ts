import assert from "node:assert/strict";
import { test } from "node:test";
import { type Condition, ConfigMap, type KubeObject } from "@trivium/kube";
import { type Decision, type Desired, plainStatusGuide, type Refusal, type StatusGuide } from "@trivium/reconcile";
import type { Fact, Instant } from "@trivium/std";
import { type LawName, type Vocabulary, violationsOf } from "./index.ts";

interface Lamp extends KubeObject {
  spec: { since: Instant };
  status?: object;
}
interface Observed {
  readonly bulb: Fact<string>;
  readonly names: readonly string[];
}
type Decide = (lamp: Lamp, observed: Observed, now: Instant) => Decision<object>;

const object: Lamp = { apiVersion: "x/v1", kind: "Lamp", metadata: { name: "a", namespace: "n" }, spec: { since: 0 } };
const observed: Observed = { bulb: { is: "known", value: "led" }, names: ["p", "q", "r"] };
const child = (name: string): Desired => {
  const made: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "n" } };
  return { kind: ConfigMap, object: made };
};
const condition = (reason: string) => ({ type: "Ready", status: "True", reason, message: "Lit" });
const words: Vocabulary = { conditions: { Ready: ["Lit", "Dark", "Refused"] }, notes: ["Lit"] };

type Refuse = (lamp: Lamp, status: object, refusals: readonly Refusal[]) => object;
const refused: Refuse = (_, status, [first]) => ({
  ...status,
  conditions: [{ ...condition("Refused"), message: `${first?.child.name}: ${first?.message}; change the lamp` }],
});

const good: Decide = (_, { bulb, names }) => {
  if (bulb.is !== "known") return { do: "hold", status: { conditions: [condition("Dark")] } };
  return { do: "converge", children: names.map(child), status: { bulb: bulb.value, conditions: [condition("Lit")] } };
};

function broken(decide: Decide, names?: Vocabulary, refuse: Refuse | undefined = refused): LawName[] {
  const found = violationsOf<Lamp, Observed>(
    { name: "lamp", decide, ...(refuse === undefined ? {} : { refused: refuse }) },
    [{ name: "case", object, observed, now: 1_000 }],
    names ?? words,
  );
  return [...new Set(found.map(({ law }) => law))];
}

test("a good reconciler breaks no law", () => {
  assert.deepEqual(broken(good), []);
});

test("pure: chance, and writing into what was given", () => {
  let calls = 0;
  assert.ok(
    broken((...args) => ({ ...good(...args), status: { calls: calls++ } }) as Decision<object>).includes("pure"),
  );
  const scribble: Decide = (lamp, ...rest) => {
    lamp.spec.since += 1;
    return good(lamp, ...rest);
  };
  assert.ok(broken(scribble).includes("pure"));
});

test("blind: dropping a child, converging on nothing, and releasing when a fact goes dark", () => {
  const forgetful: Decide = (lamp, facts, now) =>
    facts.bulb.is === "known" ? good(lamp, facts, now) : { do: "converge", children: [child("p")], status: {} };
  assert.deepEqual(broken(forgetful), ["blind"]);
  const careless: Decide = (lamp, facts, now) =>
    facts.bulb.is === "known" ? good(lamp, facts, now) : { do: "release" };
  assert.deepEqual(broken(careless), ["blind"]);
  const [violation] = violationsOf<Lamp, Observed>({ name: "lamp", decide: forgetful }, [
    { name: "case", object, observed, now: 0 },
  ]);
  assert.equal(violation?.what, "bulb pending: drops configmaps n/q, configmaps n/r");
});

test("order: taking the first of what was found", () => {
  assert.deepEqual(
    broken((_, { names }) => ({ do: "hold", status: { first: names[0] } })),
    ["order"],
  );
});

test("fixpoint: a status that counts its own passes", () => {
  const counting: Decide = (lamp) => ({ do: "hold", status: { n: ((lamp.status as { n?: number })?.n ?? 0) + 1 } });
  assert.deepEqual(broken(counting), ["fixpoint"]);
});

test("recalls: a decision that follows from its own status, which it does not recall", () => {
  const remembering: Decide = (lamp) => {
    const { wasLit } = (lamp.status ?? {}) as { wasLit?: boolean };
    return { do: "converge", children: wasLit ? [child("p")] : [], status: { wasLit: true } };
  };
  const cases = [{ name: "case", object: { ...object, status: {} }, observed, now: 0 }];
  const violated = (recalls: (lamp: Lamp) => unknown) =>
    violationsOf<Lamp, Observed>({ name: "lamp", decide: remembering, recalls }, cases).map(({ law }) => law);
  assert.ok(violated(() => undefined).includes("recalls"));
  assert.ok(!violated(({ status }) => status).includes("recalls"));
});

test("clock: rechecks in vain, too late, or not asked for", () => {
  const late: Decide = (_, __, now) => ({ do: "hold", status: { isOld: now > 60_000 } });
  assert.deepEqual(broken(late), ["clock"]);
  const exact: Decide = (...args) =>
    ({ ...late(...args), ...(args[2] > 60_000 ? {} : { recheckIn: 60_001 - args[2] }) }) as Decision<object>;
  assert.deepEqual(broken(exact), []);
  assert.deepEqual(
    broken(() => ({ do: "hold", status: {}, recheckIn: 1_000 })),
    ["clock"],
  );
  const tooLate: Decide = (...args) => ({ ...exact(...args), recheckIn: 100_000 }) as Decision<object>;
  assert.deepEqual(broken(tooLate), ["clock"]);
});

test("words: reasons, conditions and notes that nobody declared, and forms the API refuses", () => {
  const say =
    (more: object): Decide =>
    () =>
      ({ do: "hold", status: {}, ...more }) as Decision<object>;
  assert.deepEqual(broken(say({ status: { conditions: [condition("Burning")] } })), ["words"]);
  assert.deepEqual(broken(say({ status: { conditions: [{ ...condition("Lit"), type: "Warm" }] } })), ["words"]);
  assert.deepEqual(broken(say({ status: { conditions: [condition("Lit"), condition("Lit")] } })), ["words"]);
  assert.deepEqual(broken(say({ status: { conditions: [{ ...condition("Lit"), status: "true" }] } })), ["words"]);
  assert.deepEqual(broken(say({ notes: [{ type: "Normal", reason: "Huh", message: "" }] })), ["words"]);
});

test("a decision that throws is a violation, not an accident", () => {
  const found = violationsOf<Lamp, Observed>(
    {
      name: "lamp",
      decide() {
        throw new Error("oops");
      },
    },
    [{ name: "case", object, observed, now: 0 }],
  );
  assert.equal(found[0]?.what, "throws: oops");
});

test("refused: children without a word for their refusal, a refusal that is not named, and one without a remedy", () => {
  const lawsOf = (refuse: Refuse | undefined) =>
    violationsOf<Lamp, Observed>({ name: "lamp", decide: good, ...(refuse === undefined ? {} : { refused: refuse }) }, [
      { name: "case", object, observed, now: 0 },
    ]).map(({ law }) => law);
  assert.deepEqual(lawsOf(undefined), ["refused"]);
  assert.ok(lawsOf((_, status) => status).every((law) => law === "refused"));
  const silent: Refuse = (_, status, [first]) => ({ ...status, why: `${first?.child.name}: ${first?.message}` });
  assert.ok(lawsOf(silent).length > 0);
  assert.deepEqual(lawsOf(refused), []);
});

const guide: StatusGuide = {
  ...plainStatusGuide,
  faults: ["Degraded"],
  meanings: { ...plainStatusGuide.meanings, action: ["Dark"] },
};

function remedyFaults(report: Partial<Condition>): string[] {
  const reported = { ...condition("Dark"), status: "False", ...report };
  const decide: Decide = () => ({ do: "hold", status: { conditions: [reported] } });
  const cases = [{ name: "case", object, observed, now: 1_000 }];
  const found = violationsOf<Lamp, Observed>({ name: "lamp", decide }, cases, undefined, guide);
  return found.filter(({ law }) => law === "remedy").map(({ what }) => what);
}

test("remedy: what a person must act on names an object and says what to do", () => {
  const message = "Secret key not found; create it, or change spec.secretName";
  assert.deepEqual(remedyFaults({ message }), []);
  const silent = "Secret key not found";
  assert.deepEqual(remedyFaults({ message: silent }), [`Ready (Dark) says nothing of what to do: ${silent}`]);
  const vague = "Something is wrong; create it";
  assert.deepEqual(remedyFaults({ message: vague }), [`Ready (Dark) names no object and no field: ${vague}`]);
  assert.deepEqual(remedyFaults({ type: "Degraded", status: "True", message: silent }).length, 1);
  // Nothing is asked of a person: all is well, it is under way, or another condition sums up.
  assert.deepEqual(remedyFaults({ status: "True", message: silent }), []);
  assert.deepEqual(remedyFaults({ reason: "Starting", message: "Starting" }), []);
  assert.deepEqual(remedyFaults({ type: "Degraded", message: silent }), []);
});
