import assert from "node:assert/strict";
import { type Condition, ConfigMap, Deployment, type KubeClient, type KubeObject } from "@trivium/kube";
import { Palette, palette, Sample } from "@trivium/testkit";
import { namespace, type Stage } from "./stage.ts";

export const ref = (name: string) => ({ namespace, name });

export function inSampleNamespace<O extends KubeObject>(object: O): O {
  return { ...object, metadata: { ...object.metadata, namespace } };
}

export async function edit(client: KubeClient, name: string, spec: { flowers: number }): Promise<void> {
  await client.patch(Sample, ref(name), { type: "merge", body: { spec } });
}

export async function paint(client: KubeClient, colour: string): Promise<void> {
  await client.apply(Palette, inSampleNamespace(palette("spring", colour)), { fieldManager: "story", force: true });
}

export async function readyOf(client: KubeClient, name: string): Promise<Condition | undefined> {
  const { status } = await client.get(Sample, ref(name));
  return status?.conditions?.find(({ type }) => type === "Ready") as Condition | undefined;
}

/** Asserts that there are exactly the children that the samples want, and that every sample says so. */
export async function assertInOrder({ client, server }: Stage): Promise<void> {
  const samples = (await client.list(Sample, { namespace })).items;
  const { colour } = (await client.get(Palette, ref("spring"))).spec;
  for (const { metadata, spec, status } of samples) {
    assert.equal(metadata.deletionTimestamp, undefined, "what was deleted is gone");
    const [ready] = status?.conditions ?? [];
    assert.deepEqual(
      [status?.flowers, status?.price, ready?.status, ready?.observedGeneration],
      [spec.flowers, colour.length, "True", metadata.generation],
    );
  }
  const owners = new Set(samples.map(({ metadata }) => metadata.uid));
  // Where nobody collects garbage, children of samples that are gone stay, and are nobody's.
  const counts = ({ metadata }: KubeObject) =>
    server.collectsGarbage || (metadata.ownerReferences ?? []).some(({ uid }) => owners.has(uid));
  const flowers = (await client.list(ConfigMap, { namespace })).items.filter(({ data }) => data?.colour !== undefined);
  const vases = (await client.list(Deployment, { namespace })).items;
  const found = [
    ...flowers.filter(counts).map(({ metadata, data }) => `${metadata.name} ${data?.colour}`),
    ...vases.filter(counts).map(({ metadata, spec }) => `${metadata.name} ${imageOf(spec)}`),
  ];
  assert.deepEqual(found.sort(), samples.flatMap((each) => wantedBy(each, colour)).sort());
}

function imageOf(spec: Deployment["spec"]): string | undefined {
  return spec?.template.spec?.containers[0]?.image;
}

function wantedBy({ metadata: { name }, spec }: Sample, colour: string): string[] {
  const flowers = Array.from({ length: spec.flowers }, (_, i) => `${name}-${i} ${colour}`);
  return [...flowers, `${name}-vase vase:${colour}`];
}
