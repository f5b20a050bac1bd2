import { createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import {
  type ClusterRole,
  isReason,
  type KubeClient,
  type KubeObject,
  Namespace,
  type RoleBinding,
} from "@trivium/kube";
import { chosenParts, confirmCluster, emitInstallation, parseOptions } from "@trivium/operator";
import type { Dialect } from "@trivium/reconcile";
import { createRuntime, type PolicyRule, silentLog } from "@trivium/runtime";
import { until } from "@trivium/testkit";
import { applyGrants } from "./apply-grants.ts";
import { type Right, rightsOf } from "./right.ts";
import { recordRights } from "./used-rights.ts";

/** The operator of a chart, as the API server knows it. */
export interface OperatorAccount {
  /** Authenticated with a token of the ServiceAccount. */
  readonly client: KubeClient;
  readonly granted: ReadonlySet<Right>;
  /** What was needed so far. */
  readonly used: ReadonlySet<Right>;
  close(): Promise<void>;
}

const namespace = "trivium-system";
const release = "trivium";
const name = `${release}-operator`;

/** Gives a cluster the account of the operator with the rights that the chart grants for one dialect, and logs in as it. */
export async function openOperatorAccount(kubeconfig: string, dialect: Dialect): Promise<OperatorAccount> {
  const access = await loadKubeconfig(kubeconfig);
  const grants = grantsFor(dialect);
  const token = await prepareAccount(kubeconfig, grants);
  const { cert: _cert, key: _key, ...server } = access;
  const transport = httpTransport({ ...server, token });
  const used = new Set<Right>();
  const client = createClient(recordRights(transport, used, [...dialect.kinds, Namespace]));
  await startOnce(client, access, dialect).catch(async (error: unknown) => {
    await transport.close();
    throw error;
  });
  return { client, granted: rightsOf(grants.flatMap(rulesIn)), used, close: () => transport.close() };
}

/** A token of that account. */
export const openOperatorToken = (kubeconfig: string, dialect: Dialect): Promise<string> =>
  prepareAccount(kubeconfig, grantsFor(dialect));

/** What a start needs besides the work of the reconcilers: the checks before it, and the Lease. */
async function startOnce(
  client: KubeClient,
  { server, context }: { readonly server: string; readonly context: string },
  dialect: Dialect,
): Promise<void> {
  const request = parseOptions(["--dialects", dialect.name]);
  if (request.is !== "run") throw new Error("these options do not run an operator");
  const { dialects, namespaces = [] } = chosenParts(request.options);
  const lease = { namespace, name };
  await confirmCluster({ client, server, context, dialects, lease, namespaces, installCrds: false });
  // One that plans a take-over leaves a ConfigMap, and the next one, which does not, deletes it.
  for (const adopt of ["plan", "safe"] as const) {
    const parts = { client, reconcilers: [], answers: [], lease, identity: "stories", log: silentLog };
    const runtime = createRuntime({ ...parts, adopt, planNamespace: namespace });
    await runtime.start();
    // The Lease names it a moment before it knows, and only one that knows gives the Lease back.
    await until(async () => runtime.isLeader());
    await runtime.stop();
  }
}

/** What the chart creates for the account, without what is granted to others. */
function grantsFor(dialect: Dialect): KubeObject[] {
  // The rights of webhooks hold for one Secret and two configurations by name, which no story has.
  const values = { dialects: [dialect.name], "gateway.enabled": false, "webhooks.enabled": false };
  const all = emitInstallation({ release, namespace, values }) as unknown as KubeObject[];
  const bindings = all.filter((object) => subjectsOf(object).includes(name));
  const roles = new Set(bindings.map((object) => (object as RoleBinding).roleRef.name));
  return all.filter(
    (object) =>
      bindings.includes(object) ||
      (/Role$/.test(object.kind) && roles.has(object.metadata.name ?? "")) ||
      (object.kind === "ServiceAccount" && object.metadata.name === name),
  );
}

const subjectsOf = (object: KubeObject): string[] =>
  ((object as RoleBinding).subjects ?? []).map((subject) => subject.name);

const rulesIn = (object: KubeObject): readonly PolicyRule[] =>
  ((object as ClusterRole).rules ?? []) as readonly PolicyRule[];

async function prepareAccount(kubeconfig: string, grants: readonly KubeObject[]): Promise<string> {
  const transport = httpTransport(await loadKubeconfig(kubeconfig));
  const admin = createClient(transport);
  try {
    for (const home of new Set([namespace, "ome"])) await ensureNamespace(admin, home);
    await applyGrants(admin, grants);
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
    const request = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds: 86_400 },
    };
    const headers = { "content-type": "application/json" };
    const { status, body } = await transport({ method: "POST", path, headers, body: JSON.stringify(request) });
    if (status !== 201) throw new Error(`no token for ${name}: ${status} ${String(body)}`);
    return (JSON.parse(String(body)) as { status: { token: string } }).status.token;
  } finally {
    await transport.close();
  }
}

async function ensureNamespace(admin: KubeClient, name: string): Promise<void> {
  await admin.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } }).catch((error: unknown) => {
    if (!isReason(error, "AlreadyExists")) throw error;
  });
}
