import { type Sequence, sequence } from "../sequence.ts";
import { deploymentSpec, deployments, maps } from "./kinds.ts";

export const validation: Sequence[] = [
  sequence(
    "validation/unknown field",
    maps.create("a", { nope: 1 }, "fieldValidation=Strict"),
    maps.create("a", { nope: 1 }, "fieldValidation=Warn"),
    maps.create("b", { nope: 1 }, "fieldValidation=Ignore"),
    maps.create("c", { nope: 1 }),
  ),
  sequence(
    "validation/nested and several",
    deployments.create(
      "a",
      {
        nope: 1,
        spec: {
          ...deploymentSpec,
          nope: 2,
          template: {
            ...deploymentSpec.template,
            spec: { containers: [{ name: "a", image: "b", imag: "c", env: [{ name: "A", valu: "x" }] }] },
          },
        },
      },
      "fieldValidation=Strict",
    ),
    deployments.create("a", { nope: 1, spec: { ...deploymentSpec, nope: 2 } }),
  ),
  sequence(
    "validation/keys twice",
    maps.post(
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"1","a":"2"}}',
      "fieldValidation=Strict",
    ),
    maps.post('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"1","a":"2"}}'),
    maps.post('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},"data":{"a":"1"},"data":{"b":"2"}}'),
  ),
  sequence(
    "validation/keys differ in case",
    maps.create("a", { Data: { a: "1" } }),
    maps.create("b", { Data: { a: "1" } }, "fieldValidation=Strict"),
    deployments.create("a", { spec: { ...deploymentSpec, Replicas: 3 } }),
  ),
  sequence("validation/bad value", maps.create("a", {}, "fieldValidation=Nope")),
  sequence(
    "validation/manager",
    maps.create("a", { data: { a: "1" } }, "fieldManager=me"),
    maps.put("a", { data: { a: "2" } }, "fieldManager=you"),
    maps.create("b", {}, "fieldManager=%01"),
  ),
  sequence(
    "validation/on put",
    maps.create("a"),
    maps.put("a", { nope: 1 }, "fieldValidation=Strict"),
    maps.put("a", { nope: 1 }),
  ),
  sequence(
    "validation/status in create",
    deployments.create("a", { spec: deploymentSpec, status: { replicas: 3, nope: 1 } }, "fieldValidation=Strict"),
    deployments.create("a", { spec: deploymentSpec, status: { replicas: 3 } }),
  ),
  sequence(
    "validation/YAML",
    maps.post("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\nnope: 1\nnope: 2\n", "fieldValidation=Strict", {
      "content-type": "application/yaml",
    }),
    maps.post("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\nnope: 1\n", "", {
      "content-type": "application/yaml",
    }),
  ),
];
