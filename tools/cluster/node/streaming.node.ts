// A real kubelet is the judge of exec, cp, attach, run, debug and port-forward: it passes the tests that our node passes.
import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { api, Pod, PodSpec } from "@trivium/kube";
import { findKubectls } from "../../../packages/platform/node/tests/find-kubectls.ts";
import type { StreamingNode } from "../../../packages/platform/node/tests/streaming-stage.ts";
import { testStreaming } from "../../../packages/platform/node/tests/streaming-suite.ts";
import { startOrSkip } from "../e2e/installed.ts";

const image = "docker.io/library/busybox:1.37.0";
const patience = 240_000;

const shell = (name: string, script: string): api.Container => ({ name, image, command: ["/bin/sh", "-c", script] });

/** No kubelet serves a port that only loopback has, so it listens on all addresses. */
const web = (port: number): api.Container =>
  shell(
    "web",
    `mkdir /www; printf 'hello from the pod' > /www/index.html; echo listening; exec httpd -f -p ${port} -h /www`,
  );

for (const kubectl of findKubectls().slice(0, 1))
  testStreaming(kubectl, async (t): Promise<StreamingNode | undefined> => {
    const cluster = await startOrSkip(t);
    if (cluster === undefined) return undefined;
    const call = async (args: readonly string[], input = ""): Promise<string> => {
      const running = promisify(execFile)(kubectl.path, args, {
        env: { ...process.env, KUBECONFIG: cluster.kubeconfig },
      });
      running.child.stdin?.end(input);
      return (await running).stdout;
    };
    return {
      kubeconfig: cluster.kubeconfig,
      root: cluster.folder,
      image,
      endsOrphans: false,
      nodeName: undefined,
      shell,
      web,
      create: (name: string, script: string, spec: Partial<PodSpec> = {}) =>
        call(
          ["create", "-f", "-"],
          JSON.stringify({
            apiVersion: "v1",
            kind: "Pod",
            metadata: { name },
            spec: { terminationGracePeriodSeconds: 1, containers: [shell("main", script)], ...spec },
          }),
        ),
      async until(name: string, holds: (pod: Pod) => boolean): Promise<Pod> {
        for (const end = Date.now() + patience; ; await sleep(300)) {
          const pod = JSON.parse(await call(["get", "pod", name, "-o", "json"])) as Pod;
          if (holds(pod)) return pod;
          if (Date.now() > end) throw new Error(`Pod ${name} is not so: ${JSON.stringify(pod.status)}`);
        }
      },
    };
  });
