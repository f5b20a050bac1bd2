import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyObject } from "@trivium/kube";
import { plainStatusGuide } from "@trivium/reconcile";
import { failingConditions, standingOf } from "./standing.ts";

const podThatEnded = (message: string | undefined): AnyObject =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "fetch", namespace: "a" },
    status: {
      phase: "Running",
      containerStatuses: [{ name: "fetch", state: { terminated: { exitCode: 7, reason: "Error", message } } }],
    },
  }) as never;
const whyOf = (message: string | undefined) => standingOf(podThatEnded(message), plainStatusGuide).why;

test("of a download that ended, the message of its last error is the cause, not its lines of JSON", () => {
  const error =
    '{"event":"error","kind":"unreachable","reason":"Unreachable","message":"https://hub.example: no response"}';
  assert.equal(whyOf(`{"event":"start","bytes":12}\n${error}`), "https://hub.example: no response");
  assert.equal(whyOf("out of memory\n"), "out of memory");
  assert.equal(whyOf(undefined), "exit code 7");
});

test("a condition about a stop on purpose is not a failing one", () => {
  const guide = {
    ...plainStatusGuide,
    faults: ["Degraded", "Suspended"],
    meanings: { ...plainStatusGuide.meanings, idle: ["Stopped"] },
  };
  const conditionOf = (type: string, reason: string) => ({ type, status: "True", reason, message: reason });
  const conditions = [conditionOf("Suspended", "Stopped"), conditionOf("Degraded", "EngineCrashed")];
  const service = { apiVersion: "a/v1", kind: "Service", metadata: { name: "s" }, status: { conditions } } as never;
  assert.deepEqual(failingConditions(service, guide), [conditions[1]]);
});
