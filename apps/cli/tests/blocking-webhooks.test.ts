import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type AnyObject,
  ApiError,
  CustomResourceDefinition,
  EndpointSlice,
  emitCrd,
  type Kind,
  type KubeClient,
  MutatingWebhookConfiguration,
  Namespace,
  Service,
  ValidatingWebhookConfiguration,
} from "@trivium/kube";
import { InferenceService, ome } from "@trivium/ome";
import { startCluster } from "@trivium/testkit";
import { findBlockers } from "../src/adopt/blockers.ts";
import { printAdoption } from "../src/adopt/print.ts";
import { findBlockingWebhooks } from "../src/cluster/blocking-webhooks.ts";
import { checkWebhooks } from "../src/doctor/cluster.ts";
import { printFindings } from "../src/doctor/command.ts";

const dialects = [ome];
const namespace = "ome";

interface Given {
  readonly name: string;
  readonly kind?: Kind;
  readonly service?: { readonly namespace: string; readonly name: string };
  readonly failurePolicy?: "Fail" | "Ignore";
  readonly rule?: { readonly apiGroups: string[]; readonly resources: string[] };
  readonly label?: string;
}

const services = { apiGroups: ["ome.io"], resources: ["inferenceservices"] };

/** As the charts of upstream operators install them. */
function configurationOf({ name, kind = ValidatingWebhookConfiguration, failurePolicy, ...given }: Given): AnyObject {
  const { service = { namespace, name: "webhook" }, rule = services, label } = given;
  const rules = [{ ...rule, apiVersions: ["*"], operations: ["CREATE", "UPDATE"] }];
  const webhook = {
    name: `${name}.validator.example.com`,
    clientConfig: { service: { ...service, path: "/validate" }, caBundle: "Cg==" },
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    rules,
    ...(failurePolicy && { failurePolicy }),
    ...(label && { objectSelector: { matchExpressions: [{ key: label, operator: "Exists" }] } }),
  };
  const apiVersion = "admissionregistration.k8s.io/v1";
  return { apiVersion, kind: kind.kind, metadata: { name }, webhooks: [webhook] } as unknown as AnyObject;
}

async function install(client: KubeClient, given: Given): Promise<void> {
  await client.create(given.kind ?? ValidatingWebhookConfiguration, configurationOf(given) as never);
}

const named = async (client: KubeClient): Promise<string[]> =>
  (await findBlockingWebhooks(client, dialects)).map(({ kind, name }) => `${kind} ${name}`).sort();

test("webhooks whose Service is gone are named by the plan and by doctor, with what they refuse and the command", async (t) => {
  const { client, close } = await startCluster(ome.kinds);
  t.after(close);
  assert.equal(
    printFindings(await checkWebhooks(client, dialects)).split("\n")[0],
    "ok   webhooks   none of these APIs fails",
  );
  await install(client, { name: "inferenceservice.ome.io" });
  await install(client, { name: "lenient", failurePolicy: "Ignore" });
  await install(client, { name: "of-another-api", rule: { apiGroups: ["example.com"], resources: ["widgets"] } });
  await install(client, { name: "all-pods", rule: { apiGroups: [""], resources: ["pods"] } });
  const rule = { apiGroups: [""], resources: ["pods"] };
  await install(client, { name: "pods", kind: MutatingWebhookConfiguration, rule, label: "ome.io/inferenceservice" });
  const rows = await findBlockers(client, dialects);
  assert.deepEqual(
    rows.map(({ kind, name, outcome }) => [kind, name, outcome]),
    [
      ["MutatingWebhookConfiguration", "pods", "blocking"],
      ["ValidatingWebhookConfiguration", "inferenceservice.ome.io", "blocking"],
    ],
  );
  const text = printAdoption(rows, "safe");
  assert.match(text, /^Blocks the take-over until you delete it \(2\)\n/);
  assert.match(
    text,
    /ValidatingWebhookConfiguration inferenceservice\.ome\.io: webhook inferenceservice\.ome\.io\.validator\.example\.com calls Service ome\/webhook, which does not exist; then the API server refuses changes of inferenceservices\.ome\.io; run: kubectl delete validatingwebhookconfiguration inferenceservice\.ome\.io/,
  );
  assert.match(text, /changes of pods of services; run: kubectl delete mutatingwebhookconfiguration pods/);
  const findings = await checkWebhooks(client, dialects);
  assert.deepEqual(
    findings.map(({ is }) => is),
    ["problem", "problem"],
  );
  assert.match(printFindings(findings), /run kubectl delete validatingwebhookconfiguration inferenceservice\.ome\.io/);
});

test("a webhook with a Service blocks while no endpoint is ready; one of the upstream operator also while it answers", async (t) => {
  const { client, close } = await startCluster(ome.kinds);
  t.after(close);
  for (const name of ["ome", "policies"])
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const serve = async (place: string, ready: boolean): Promise<void> => {
    const metadata = { namespace: place, name: "webhook" };
    const spec = { ports: [{ port: 443 }] };
    await client.apply(Service, { apiVersion: "v1", kind: "Service", metadata, spec } as Service, {
      fieldManager: "t",
      force: true,
    });
    const slice = {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { ...metadata, labels: { "kubernetes.io/service-name": "webhook" } },
      addressType: "IPv4",
      endpoints: [{ addresses: ["192.0.2.7"], conditions: { ready } }],
    };
    await client.apply(EndpointSlice, slice as EndpointSlice, { fieldManager: "t", force: true });
  };
  await install(client, { name: "policy", service: { namespace: "policies", name: "webhook" } });
  await install(client, { name: "upstream" });
  await serve("policies", false);
  await serve("ome", true);
  assert.deepEqual(await named(client), [
    "ValidatingWebhookConfiguration policy",
    "ValidatingWebhookConfiguration upstream",
  ]);
  await serve("policies", true);
  const [left, ...none] = await findBlockingWebhooks(client, dialects);
  assert.deepEqual(none, []);
  assert.equal(left?.isDead, false);
  assert.match(
    left?.why ?? "",
    /which stops answering with OME; then the API server refuses changes of inferenceservices/,
  );
  assert.equal((await checkWebhooks(client, dialects))[0]?.is, "ok", "doctor names only what fails now");
});

test("a conversion webhook without a Service is named where the definition has several versions", async (t) => {
  const { client, close } = await startCluster(ome.kinds);
  t.after(close);
  const whole = emitCrd(InferenceService);
  const [version] = whole.spec.versions;
  const conversion = {
    strategy: "Webhook",
    webhook: {
      conversionReviewVersions: ["v1"],
      clientConfig: { service: { namespace, name: "gone", path: "/convert" } },
    },
  };
  const older = { ...version, name: "v1alpha1", storage: false };
  const withVersions = (versions: object[]) =>
    client.patch(
      CustomResourceDefinition,
      { name: whole.metadata.name ?? "" },
      {
        type: "merge",
        body: { spec: { conversion, versions } } as never,
      },
    );
  await withVersions([version as object]);
  assert.deepEqual(await named(client), []);
  await withVersions([version as object, older]);
  const [fault] = await findBlockingWebhooks(client, dialects);
  assert.equal(fault?.name, "inferenceservices.ome.io");
  assert.match(fault?.why ?? "", /^its conversion webhook calls Service ome\/gone, which does not exist; then objects/);
  assert.match(fault?.fix ?? "", /^kubectl patch crd inferenceservices\.ome\.io --type json/);
});

test("a person without rights to webhooks gets the rest of the plan", async () => {
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    reason: "Forbidden",
    code: 403,
  } as const;
  const refuse = () => Promise.reject(new ApiError(status as never));
  assert.deepEqual(await findBlockingWebhooks({ get: refuse, list: refuse } as never, dialects), []);
});
