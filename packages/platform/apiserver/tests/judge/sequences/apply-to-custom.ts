import { gadgets } from "../fixtures.ts";
import { type Sequence, sequence } from "../sequence.ts";

const spec = (fields: object) => ({ spec: fields as never });

/** Server-side apply to custom resources: what their schema says of lists and maps. */
export const applyToCustom: Sequence[] = [
  sequence(
    "apply/custom: set of two managers",
    gadgets.apply("a", spec({ tags: ["x", "y"] }), "one"),
    gadgets.apply("a", spec({ tags: ["y", "z"] }), "two"),
    gadgets.apply("a", spec({ tags: ["x"] }), "one"),
    gadgets.apply("a", spec({}), "two"),
  ),
  sequence("apply/custom: set with duplicates", gadgets.apply("a", spec({ tags: ["x", "x"] }))),
  sequence(
    "apply/custom: set order",
    gadgets.apply("a", spec({ tags: ["c", "a"] }), "one"),
    gadgets.apply("a", spec({ tags: ["b", "a"] }), "two"),
    gadgets.apply("a", spec({ tags: ["a", "c"] }), "one"),
  ),
  sequence(
    "apply/custom: plain list is atomic",
    gadgets.apply("a", spec({ words: ["x"] }), "one"),
    gadgets.apply("a", spec({ words: ["y"] }), "two"),
    gadgets.force("a", spec({ words: ["y"] }), "two"),
    gadgets.apply("a", spec({}), "two"),
  ),
  sequence(
    "apply/custom: atomic map",
    gadgets.apply("a", spec({ atom: { a: "1" } }), "one"),
    gadgets.apply("a", spec({ atom: { b: "1" } }), "two"),
    gadgets.force("a", spec({ atom: { b: "1" } }), "two"),
    gadgets.get("a"),
  ),
  sequence(
    "apply/custom: list-map with default key",
    gadgets.apply("a", spec({ ports: [{ number: 1 }] }), "one"),
    gadgets.apply("a", spec({ ports: [{ number: 1, protocol: "TCP", name: "x" }] }), "two"),
    gadgets.apply("a", spec({ ports: [{ number: 1, protocol: "UDP" }] }), "one"),
    gadgets.apply("a", spec({}), "two"),
  ),
  sequence(
    "apply/custom: list-map duplicates",
    gadgets.apply("a", spec({ ports: [{ number: 1 }, { number: 1, protocol: "TCP" }] })),
  ),
  sequence("apply/custom: list-map key missing", gadgets.apply("a", spec({ ports: [{ name: "x" }] }))),
  sequence(
    "apply/custom: list-map order",
    gadgets.apply("a", spec({ ports: [{ number: 3 }, { number: 1 }] }), "one"),
    gadgets.apply("a", spec({ ports: [{ number: 2 }, { number: 1 }] }), "two"),
    gadgets.apply("a", spec({ ports: [{ number: 1 }, { number: 3 }] }), "one"),
  ),
  sequence(
    "apply/custom: map of two managers",
    gadgets.apply("a", spec({ settings: { a: 1 } }), "one"),
    gadgets.apply("a", spec({ settings: { b: 2 } }), "two"),
    gadgets.apply("a", spec({ settings: { a: 2, b: 3 } }), "three"),
    gadgets.apply("a", spec({ settings: {} }), "one"),
    gadgets.apply("a", spec({}), "two"),
  ),
  sequence(
    "apply/custom: free-form object",
    gadgets.apply("a", spec({ free: { x: { y: 1 }, l: [1, 2] } }), "one"),
    gadgets.apply("a", spec({ free: { x: { z: 1 }, l: [3] } }), "two"),
    gadgets.apply("a", spec({ free: { x: { z: 2 } } }), "two"),
    gadgets.apply("a", spec({}), "one"),
  ),
  sequence(
    "apply/custom: unknown field",
    gadgets.apply("a", spec({ nope: 1, size: 2 })),
    gadgets.apply("b", spec({ nope: 1 }), "one", "fieldValidation=Strict"),
    gadgets.get("a"),
  ),
  sequence("apply/custom: wrong type", gadgets.apply("a", spec({ size: "x" })), gadgets.apply("a", { spec: [] })),
  sequence(
    "apply/custom: default comes back",
    gadgets.apply("a", spec({ replicas: 5 })),
    gadgets.apply("a", spec({})),
    gadgets.get("a"),
  ),
  sequence("apply/custom: null", gadgets.apply("a", spec({ size: null, nothing: null })), gadgets.get("a")),
  sequence(
    "apply/custom: status dropped on the main path",
    gadgets.apply("a", { spec: { size: 1 }, status: { phase: "New" } }),
    gadgets.apply("a/status", { status: { phase: "Done" } }, "one"),
    gadgets.apply("a", { spec: { size: 1 } }, "one"),
    gadgets.get("a"),
  ),
  sequence(
    "apply/custom: spec dropped on the status path",
    gadgets.apply("a", { spec: { size: 1 } }),
    gadgets.apply("a/status", { spec: { size: 2 }, status: { phase: "Done" } }, "one"),
    gadgets.get("a"),
  ),
  sequence(
    "apply/custom: invalid after merge",
    gadgets.apply("a", spec({ low: 5 }), "one"),
    gadgets.apply("a", spec({ high: 3 }), "two"),
    gadgets.get("a"),
  ),
  sequence(
    "apply/custom: update after apply",
    gadgets.apply("a", spec({ size: 1, tags: ["x"] }), "one"),
    gadgets.put("a", {
      metadata: { resourceVersion: "$1.metadata.resourceVersion" },
      spec: { size: 2, tags: ["x", "y"] },
    }),
    gadgets.apply("a", spec({ size: 1, tags: ["x"] }), "one"),
    gadgets.apply("a", spec({ tags: ["x"] }), "one"),
  ),
];
