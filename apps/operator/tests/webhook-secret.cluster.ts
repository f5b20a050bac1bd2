// Certificates that the operator keeps in a Secret, with the rights that it prints and no others.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { connect } from "node:tls";
import { promisify } from "node:util";
import { writeKubeconfig } from "@trivium/apiserver";
import { loadKubeconfig } from "@trivium/client";
import { freePort, until } from "@trivium/testkit";
import { type ControlPlane, startControlPlane } from "../../../tools/cluster/control-plane.ts";
import {
  killLeftovers,
  type OperatorProcess,
  shippedOperator,
  startOperatorProcess,
} from "./story/operator-process.ts";

const plane = await startControlPlane();
const skip = typeof plane === "string" ? plane : false;
const namespace = "ops";
const secret = "webhook-certificates";
const configuration = "ome-admission";
/** Renewed every ten seconds. */
const lifetime = "15s";

const bad = JSON.stringify({
  apiVersion: "ome.io/v1beta1",
  kind: "InferenceService",
  metadata: { name: "chat", namespace: "default" },
  spec: { decoder: {} },
});
const refused = /spec\.decoder: Forbidden: a decoder requires an engine/;

describe("webhook certificates in a Secret", { skip }, () => {
  const { kubectl } = plane as ControlPlane;
  let home: string;
  let port: number;
  let first: OperatorProcess;

  const flagsFor = (at: number): string[] => [
    ...["--dialects", "ome", "--operator-namespace", namespace, "--webhook-listen", `127.0.0.1:${at}`],
    ...["--webhook-cert-secret", secret, "--webhook-cert-lifetime", lifetime, "--webhook-configuration", configuration],
  ];
  const printed = async (what: string): Promise<string> => {
    const args = [shippedOperator, what, ...flagsFor(port), "--webhook-at", `https://127.0.0.1:${port}`];
    return (await promisify(execFile)(process.execPath, args)).stdout;
  };
  const start = async (at: number): Promise<OperatorProcess> => {
    const kubeconfig = ["--kubeconfig", join(home, "kubeconfig"), "--listen", "off", "--identity", `operator-${at}`];
    const operator = startOperatorProcess(shippedOperator, [...kubeconfig, ...flagsFor(at), "--webhook-at", urlOf(at)]);
    await operator.ready();
    return operator;
  };
  const urlOf = (at: number): string => `https://127.0.0.1:${at}`;
  const apply = (text: string): Promise<string> =>
    kubectl(["apply", "--dry-run=server", "-f", "-"], text).catch((error: Error) => error.message);
  const stored = async (key: string): Promise<string> => {
    const path = `jsonpath={.data.${key.replace(".", "\\.")}}`;
    return Buffer.from(await kubectl(["get", "secret", secret, "-n", namespace, "-o", path]), "base64").toString();
  };

  before(async () => {
    home = await mkdtemp(join(tmpdir(), "trivium-webhook-secret-"));
    port = await freePort();
    for (const name of [namespace, "ome"]) await kubectl(["create", "namespace", name]);
    await kubectl(["create", "secret", "generic", secret, "-n", namespace]);
    await kubectl(["apply", "--server-side", "-f", "deploy/crds/ome"]);
    await kubectl(["apply", "-f", "-"], await printed("--print-rbac"));
    await kubectl(["apply", "-f", "-"], await printed("--print-webhooks"));
    const token = (await kubectl(["create", "token", "trivium-operator", "-n", namespace])).trim();
    const { server, ca = "" } = await loadKubeconfig((plane as ControlPlane).kubeconfig);
    const credential = { is: "token", token } as const;
    await writeKubeconfig(join(home, "kubeconfig"), { server, authority: ca, credential });
    first = await start(port);
  });
  after(async () => {
    killLeftovers();
    for (const kind of ["mutatingwebhookconfiguration", "validatingwebhookconfiguration"])
      await kubectl(["delete", kind, configuration, "--ignore-not-found"]);
    await rm(home, { recursive: true, force: true });
    await (plane as ControlPlane).stop();
  });

  test("an object that cannot be served is refused once the authority is published", async () => {
    await until(async () => refused.test(await apply(bad)), "the webhook refuses");
    const key = await stored("tls.key");
    assert.match(key, /PRIVATE KEY/);
    assert.ok(!first.output().includes(key.split("\n")[1] ?? ""), "no key in the log");
  });

  test("certificates are renewed while requests go on, and none of these fails", async () => {
    const certificates = new Set<string>();
    await until(
      async () => {
        certificates.add(new X509Certificate(await stored("tls.crt")).fingerprint256);
        const answers = await Promise.all([apply(bad), apply(bad)]);
        for (const answer of answers) assert.match(answer, refused);
        return certificates.size >= 4;
      },
      "four certificates",
      300_000,
    );
  });

  test("a second replica shows the same certificate, also after it was renewed", async () => {
    const other = await freePort();
    const second = await start(other);
    const before = await shownAt(other);
    for (const change of ["as it is", "renewed"])
      await until(async () => {
        const [one, two] = await Promise.all([shownAt(port), shownAt(other)]);
        return one === two && (change === "as it is" || one !== before);
      }, `the same certificate, ${change}`);
    assert.equal(await second.end("SIGTERM"), 0);
  });

  test("a configuration that is applied without the authority gets it back, and deleted certificates are replaced", async () => {
    const text = await printed("--print-webhooks");
    assert.doesNotMatch(text, /caBundle/);
    const names = "jsonpath={.webhooks[*].clientConfig.caBundle}";
    const bundles = async (): Promise<string> =>
      kubectl(["get", "validatingwebhookconfiguration", configuration, "-o", names]);
    const expected = (await bundles()).split(" ").length;
    await kubectl(["replace", "-f", "-"], text);
    await until(async () => (await bundles()).split(" ").filter((each) => each !== "").length === expected);
    await kubectl(["patch", "secret", secret, "-n", namespace, "--type=merge", "-p", '{"data":null}']);
    await until(async () => (await stored("tls.crt")) !== "" && refused.test(await apply(bad)), "it is refused again");
  });

  test("nothing but its own Secret and configurations can be read or changed", async () => {
    const as = `--as=system:serviceaccount:${namespace}:trivium-operator`;
    const can = async (...args: string[]): Promise<string> =>
      (await kubectl(["auth", "can-i", ...args, as]).catch(() => "no")).trim();
    assert.equal(await can("patch", `secret/${secret}`, "-n", namespace), "yes");
    assert.equal(await can("patch", "secret/another", "-n", namespace), "no");
    assert.equal(await can("watch", "secrets", "-n", namespace), "no");
    assert.equal(await can("patch", `validatingwebhookconfiguration/${configuration}`), "yes");
    assert.equal(await can("patch", "validatingwebhookconfiguration/another"), "no");
    const failures = first
      .lines()
      .filter(({ level }) => level === "error" || level === "warn")
      // On a busy machine the API server serves new kinds a moment after their definitions were accepted.
      .filter(({ msg }) => !/^CustomResourceDefinition not found/.test(msg));
    assert.deepEqual(failures, []);
    assert.equal(await first.end("SIGTERM"), 0);
  });
});

/** The certificate that a server shows now. */
function shownAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? "");
      socket.end();
    });
    socket.on("error", reject);
  });
}
