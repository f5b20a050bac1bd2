import assert from "node:assert/strict";
import test from "node:test";
import type { AnyObject } from "@trivium/kube";
import { customResources } from "../crd/resources.ts";
import type { Resource } from "../resource.ts";
import { refuseNulls } from "./applied-nulls.ts";

const [resource] = customResources(
  {
    metadata: { name: "things.x.example" },
    spec: {
      group: "x.example",
      scope: "Namespaced",
      names: { kind: "Thing", plural: "things" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "object",
                  properties: {
                    size: { type: "integer" },
                    count: { type: "integer", default: 1 },
                    note: { type: "string", nullable: true },
                  },
                },
              },
            },
          },
        },
      ],
    },
  } as never,
  1,
) as [Resource];
const thing = (spec: object) =>
  ({
    apiVersion: "x.example/v1",
    kind: "Thing",
    metadata: { name: "a", namespace: "n" },
    spec,
  }) as unknown as AnyObject;

test("a null that is applied where none belongs is refused", () => {
  assert.throws(() => refuseNulls(resource, thing({ size: null })), {
    message: /Thing.x.example "a" is invalid: .*spec.size in body must be of type integer: "null"/,
  });
});

test("a null that is allowed, or that a default replaces, is taken", () => {
  refuseNulls(resource, thing({ note: null, count: null }));
  refuseNulls(resource, thing({ size: 1 }));
});
