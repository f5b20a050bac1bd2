import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { decodeProtobuf } from "./decode.ts";
import table from "./generated/messages.json" with { type: "json" };
import type { Messages } from "./messages.ts";
import { WireError } from "./wire.ts";

const messages = table as unknown as Messages;
const decode = (base64: string) => decodeProtobuf(Buffer.from(base64, "base64"), messages);

/** Bodies as kubectl 1.32 sends them. */
const sent = {
  deployment:
    "azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50ErgBCh8KA3dlYhIAGgAiACoAMgA4AEIAWgoKA2FwcBIDd2ViEoYBCAASDAoKCgNhcHASA3dlYhpsChwKABIAGgAiACoAMgA4AEIAWgoKA2FwcBIDd2ViEkwSLgoFbmdpbngSBW5naW54KgAyCgoAEAAYUCIAKgBCAGoAcgCAAQCIAQCQAQCiAQAaADIAQgBKAFIAWABgAGgAggEAigEAmgEAwgEAIgIKACgAOAAaDAgAEAAYACAAKAA4ABoAIgA=",
  secret: "azhzAAoMCgJ2MRIGU2VjcmV0Eh0KEQoBcxIAGgAiACoAMgA4AEIAEgYKAWsSAXYaABoAIgA=",
  budget:
    "azhzAAogCglwb2xpY3kvdjESE1BvZERpc3J1cHRpb25CdWRnZXQSNgoRCgFwEgAaACIAKgAyADgAQgASFQoJCAEQABoDNTAlEggKBgoBYRIBYhoKCAAYACAAKAAwABoAIgA=",
  quota: "azhzAAoTCgJ2MRINUmVzb3VyY2VRdW90YRImChEKAXESABoAIgAqADIAOABCABIPCg0KA2NwdRIGCgQ1MDBtGgAaACIA",
};

describe("protobuf bodies", () => {
  it("keep a zero that was said and drop one that was not", () => {
    assert.deepEqual(decode(sent.deployment), {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", labels: { app: "web" } },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: { containers: [{ name: "nginx", image: "nginx", ports: [{ containerPort: 80 }], resources: {} }] },
        },
        strategy: {},
      },
      status: {},
    });
  });

  it("have bytes in base64, quantities and int-or-strings in their JSON form", () => {
    assert.deepEqual(decode(sent.secret).data, { k: "dg==" });
    assert.deepEqual(decode(sent.quota).spec, { hard: { cpu: "500m" } });
    assert.deepEqual(decode(sent.budget).spec, { minAvailable: "50%", selector: { matchLabels: { a: "b" } } });
  });

  it("are refused when they are no envelope or of a kind that has no such form", () => {
    assert.throws(() => decode(Buffer.from('{"kind":"Pod"}').toString("base64")), WireError);
    const crd = Buffer.concat([
      Buffer.from("k8s\0"),
      field(1, Buffer.concat([field(1, "a.io/v1"), field(2, "Thing")])),
    ]);
    assert.throws(() => decodeProtobuf(crd, messages), /a\.io\/v1 Thing has no protobuf form here; send JSON/);
  });

  it("cannot reach the prototype of anything by a map key", () => {
    const entry = Buffer.concat([field(1, "__proto__"), field(2, "evil")]);
    const map = Buffer.concat([Buffer.from("k8s\0"), envelope("v1", "ConfigMap", field(2, entry))]);
    const object = decodeProtobuf(map, messages);
    assert.deepEqual(Object.entries(object.data as object), [["__proto__", "evil"]]);
    assert.equal(({} as { evil?: string }).evil, undefined);
  });

  it("fail cleanly on a thousand levels of nesting", () => {
    let schema: Buffer = Buffer.alloc(0);
    for (let level = 0; level < 1000; level++) schema = field(26, schema);
    const version = Buffer.concat([field(1, "v1"), field(4, field(1, schema))]);
    const crd = envelope("apiextensions.k8s.io/v1", "CustomResourceDefinition", field(2, field(7, version)));
    assert.throws(() => decodeProtobuf(Buffer.concat([Buffer.from("k8s\0"), crd]), messages), WireError);
  });

  it("never end in anything but an object or a WireError, whatever the bytes", () => {
    const bodies = Object.values(sent).map((text) => Buffer.from(text, "base64"));
    const mutation = fc.tuple(fc.constantFrom(...bodies), fc.nat(), fc.nat(255), fc.nat());
    fc.assert(
      fc.property(mutation, ([body, at, byte, cut]) => {
        const broken = Buffer.from(body.subarray(0, 4 + (cut % (body.length - 3))));
        if (broken.length > 4) broken[4 + (at % (broken.length - 4))] = byte;
        try {
          assert.equal(typeof decodeProtobuf(broken, messages), "object");
        } catch (error) {
          assert.ok(error instanceof WireError, String(error));
        }
      }),
      { numRuns: 2000 },
    );
  });
});

function envelope(apiVersion: string, kind: string, raw: Buffer): Buffer {
  return Buffer.concat([field(1, Buffer.concat([field(1, apiVersion), field(2, kind)])), field(2, raw)]);
}

function field(number: number, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}
