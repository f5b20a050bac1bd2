import { join } from "node:path";
import {
  type CustomResourceDefinition,
  gatewayApiCrds,
  type Kind,
  KServeClusterServingRuntime,
  KServeInferenceService,
  KServeServingRuntime,
  OpenTelemetryCollector,
  ScaledObject,
} from "@trivium/kube";
import type { Given, Operator } from "@trivium/testkit";
import { aimDefaults, createAim } from "../src/index.ts";

export const storyFolder = join(import.meta.dirname, "../../../../stories/aim");

/** The dialect as a story wants it, at home where the story is. */
export const operator: Operator = (given, { namespace }) =>
  createAim({ ...aimDefaults, operatorNamespace: namespace, ...given }).reconcilers;

/** Routes, as every cluster with a Gateway has them. */
export const thirdPartyApis: readonly CustomResourceDefinition[] = await gatewayApiCrds();

/** The kinds of KServe, for servers that do not have the real ones: they take everything. */
export const thirdPartyApisOf = ({ installs = [] }: Given): readonly CustomResourceDefinition[] => [
  ...thirdPartyApis,
  ...(installs.includes("kserve") ? kserveKinds.map(permissive) : []),
  ...(installs.includes("keda") ? [ScaledObject, OpenTelemetryCollector].map(permissive) : []),
];

const kserveKinds: readonly Kind[] = [KServeInferenceService, KServeServingRuntime, KServeClusterServingRuntime];

/** A kind of another project with any fields: what a real server says of ours is tested elsewhere. */
export function permissive({ group, version, kind, plural, namespaced }: Kind): CustomResourceDefinition {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } as const;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      scope: namespaced ? "Namespaced" : "Cluster",
      versions: [{ name: version, served: true, storage: true, schema, subresources: { status: {} } }],
    },
  };
}
