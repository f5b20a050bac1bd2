import assert from "node:assert/strict";
import { request } from "node:https";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { issueCertificate } from "@trivium/apiserver";
import { applyJsonPatch, ConfigMap, type JsonPatchOperation } from "@trivium/kube";
import type { Admission } from "@trivium/reconcile";
import { Admitter, Caches, emitWebhooks, FieldRecord, serveWebhooks, silentLog } from "@trivium/runtime";
import type { WebhookServer } from "../src/admission/webhook.ts";

/** Every ConfigMap gets a colour; blue ones are refused, loud ones warned of, and one is beyond us. */
const paint: Admission<ConfigMap, null> = {
  kind: { ...ConfigMap, group: "garden.example" },
  verbs: ["create", "update"],
  reads: [],
  observe: () => null,
  fill: ({ object }) => {
    if (typeof object.data !== "object") throw new TypeError("nobody has looked at the object yet");
    return { ...object, data: { colour: "red", ...object.data } };
  },
  judge: ({ object }) => {
    if (object.data?.colour === "none") throw new Error("a fault of ours");
    const isBlue = object.data?.colour === "blue";
    return {
      faults: isBlue ? [{ reason: "FieldValueInvalid", field: "data.colour", value: "blue", detail: "not today" }] : [],
      warnings: object.data?.colour === "loud" ? ["x".repeat(1000)] : [],
    };
  },
};
const [mutate, validate] = ["/mutate-garden-example-v1-configmap", "/validate-garden-example-v1-configmap"];

const now = new Date();
const authority = issueCertificate({ commonName: "ca", use: { is: "authority" }, days: 2, now });
const certificate = (name: string) =>
  issueCertificate({ commonName: name, use: { is: "server", names: ["127.0.0.1"] }, days: 1, now }, authority);

let server: WebhookServer;
before(async () => {
  const admitter = new Admitter([paint], new Caches([], new FieldRecord([]), () => {}));
  server = await serveWebhooks({ host: "127.0.0.1", port: 0, pair: certificate("one"), admitter, log: silentLog });
});
after(() => server.close());

interface Answer {
  readonly code: number;
  readonly text: string;
  readonly subject: string;
}

function send(path: string, body: string | undefined, method = "POST"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port: server.port, path, method, ca: authority.cert, agent: false as const };
    const call = request(options, (response) => {
      const subject = (
        response.socket as unknown as { getPeerCertificate(): { subject: { CN: string } } }
      ).getPeerCertificate().subject.CN;
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => resolve({ code: response.statusCode ?? 0, text, subject }));
    });
    call.on("error", reject);
    call.end(body);
  });
}

const object = (data: Record<string, string> = {}) => ({
  apiVersion: "garden.example/v1",
  kind: "ConfigMap",
  metadata: { name: "a" },
  data,
});
const review = (request: object) =>
  JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: { uid: "u1", ...request } });

async function responseTo(path: string, request: object) {
  const { code, text } = await send(path, review(request));
  assert.equal(code, 200, text);
  const { apiVersion, kind, response } = JSON.parse(text);
  assert.deepEqual([apiVersion, kind, response.uid], ["admission.k8s.io/v1", "AdmissionReview", "u1"]);
  return response;
}

describe("reviews", () => {
  test("what is left out comes as a patch; what is whole without one", async () => {
    const filled = await responseTo(mutate, { operation: "CREATE", object: object({ "a/b~c": "x" }) });
    assert.deepEqual([filled.allowed, filled.patchType], [true, "JSONPatch"]);
    const patch: JsonPatchOperation[] = JSON.parse(Buffer.from(filled.patch, "base64").toString());
    assert.deepEqual(patch, [{ op: "add", path: "/data/colour", value: "red" }]);
    assert.deepEqual(applyJsonPatch(object({ "a/b~c": "x" }), patch), object({ "a/b~c": "x", colour: "red" }));
    const whole = await responseTo(mutate, {
      operation: "UPDATE",
      object: object({ colour: "x" }),
      oldObject: object(),
    });
    assert.deepEqual(whole, { uid: "u1", allowed: true });
  });

  test("what its schema will refuse is left for it to refuse", async () => {
    const odd = await responseTo(mutate, { operation: "CREATE", object: { ...object(), data: 7 } });
    assert.deepEqual(odd, { uid: "u1", allowed: true });
  });

  test("what is refused says which field and why, in the form of the server's own refusals", async () => {
    const { allowed, status } = await responseTo(validate, { operation: "CREATE", object: object({ colour: "blue" }) });
    assert.equal(allowed, false);
    assert.deepEqual([status.code, status.reason, status.details.causes[0].field], [422, "Invalid", "data.colour"]);
    assert.equal(
      status.message,
      'ConfigMap.garden.example "a" is invalid: data.colour: Invalid value: "blue": not today',
    );
  });

  test("warnings are as long as a server hands on", async () => {
    const { allowed, warnings } = await responseTo(validate, {
      operation: "CREATE",
      object: object({ colour: "loud" }),
    });
    assert.deepEqual([allowed, warnings.length, warnings[0].length], [true, 1, 256]);
  });

  test("a deletion that nobody judges is allowed", async () => {
    const answer = await responseTo(validate, { operation: "DELETE", object: null, oldObject: object() });
    assert.equal(answer.allowed, true);
  });
});

describe("bodies of strangers", () => {
  const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
  const rows: [string, string, number][] = [
    ["nothing", "", 400],
    ["no JSON", "{", 400],
    ["no review", "[]", 400],
    ["null", "null", 400],
    ["another version", review({}).replace("k8s.io/v1", "k8s.io/v1beta1"), 400],
    ["no request", '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}', 400],
    ["no uid", review({ uid: 7, operation: "CREATE", object: object() }), 400],
    ["an operation that is none", review({ operation: "toString", object: object() }), 400],
    ["another kind", review({ operation: "CREATE", object: { ...object(), kind: "Secret" } }), 400],
    ["another group", review({ operation: "CREATE", object: { ...object(), apiVersion: "v1" } }), 400],
    ["no metadata", review({ operation: "CREATE", object: { ...object(), metadata: 3 } }), 400],
    ["much too deep", deep, 400],
    ["a fault of ours", review({ operation: "CREATE", object: object({ colour: "none" }) }), 500],
  ];
  for (const [name, body, expected] of rows) {
    test(name, async () => {
      const { code, text } = await send(validate, body);
      assert.equal(code, expected, text);
      assert.ok(text.length < 200, text);
    });
  }
  test("too long, announced or not", async () => {
    const { code } = await send(validate, "x".repeat(9 * 1024 * 1024)).catch((error: { code: string }) => {
      // Whoever goes on writing may find the door shut before the answer.
      assert.match(error.code, /EPIPE|ECONNRESET/);
      return { code: 413 };
    });
    assert.equal(code, 413);
  });
  test("other paths and methods", async () => {
    assert.equal((await send("/mutate-pods", "{}")).code, 404);
    assert.equal((await send("/__proto__", "{}")).code, 404);
    assert.equal((await send(validate, undefined, "GET")).code, 405);
  });
  test("a caller without TLS, and one that hangs up, harm nobody", async () => {
    const socket = connect(server.port, "127.0.0.1");
    await new Promise((resolve) =>
      socket
        .once("close", resolve)
        .on("error", () => {})
        .write("POST / HTTP/1.1\r\n\r\n"),
    );
    const answer = await responseTo(validate, { operation: "CREATE", object: object() });
    assert.equal(answer.allowed, true);
  });
});

test("a new certificate is shown from then on; one that is none is not taken", async () => {
  assert.equal((await send("/", "")).subject, "one");
  server.renew(certificate("two"));
  assert.equal((await send("/", "")).subject, "two");
  assert.throws(() => server.renew({ cert: "none", key: "none" }));
  assert.equal((await send("/", "")).subject, "two");
});

test("configurations name the paths that are served, and what is to be asked about", () => {
  const common = { name: "garden", authority: "PEM", failurePolicy: "Ignore", timeoutSeconds: 3 } as const;
  const place = { is: "service", namespace: "ops", name: "hooks", port: 9443 } as const;
  const [mutating, validating] = emitWebhooks([paint], { ...common, place, namespace: "team" });
  assert.deepEqual(mutating, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: "garden" },
    webhooks: [
      {
        name: "mutate.configmaps.garden.example",
        admissionReviewVersions: ["v1"],
        clientConfig: {
          service: { namespace: "ops", name: "hooks", port: 9443, path: mutate },
          caBundle: Buffer.from("PEM").toString("base64"),
        },
        rules: [
          {
            apiGroups: ["garden.example"],
            apiVersions: ["v1"],
            operations: ["CREATE", "UPDATE"],
            resources: ["configmaps"],
            scope: "Namespaced",
          },
        ],
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "team" } },
        failurePolicy: "Ignore",
        timeoutSeconds: 3,
        matchPolicy: "Equivalent",
        sideEffects: "None",
      },
    ],
  });
  const firstOf = (object: unknown) =>
    (object as { webhooks: { name: string; clientConfig: { url: string } }[] }).webhooks[0];
  assert.equal(firstOf(validating)?.name, "validate.configmaps.garden.example");
  const [byUrl] = emitWebhooks([paint], { ...common, place: { is: "url", url: "https://127.0.0.1:1/" } });
  assert.equal(firstOf(byUrl)?.clientConfig.url, `https://127.0.0.1:1${mutate}`);
});
