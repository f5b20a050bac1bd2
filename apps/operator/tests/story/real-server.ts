import { dirname } from "node:path";
import { createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import { interruptProcess, isRunning } from "../../../../tools/cluster/processes.ts";
import type { ServerUnderTest } from "./server.ts";
import { until } from "./until.ts";

const program = "kube-apiserver";

/** The cluster that the tests were given. It may be stopped only where our own tools have started it. */
export async function openRealServer(): Promise<ServerUnderTest> {
  const kubeconfig = process.env.KUBECONFIG_UNDER_TEST;
  if (kubeconfig === undefined) throw new Error("KUBECONFIG_UNDER_TEST names no cluster: run `npm run test:cluster`");
  const access = await loadKubeconfig(kubeconfig);
  const folder = dirname(kubeconfig);
  const interrupt = async () => {
    const startAgain = await interruptProcess(folder, program);
    return async () => {
      startAgain();
      const transport = httpTransport(access);
      await until(() => createClient(transport).discover());
      await transport.close();
    };
  };
  return {
    access,
    collectsGarbage: isRunning(folder, "kube-controller-manager"),
    isPatient: true,
    quiet: 2_000,
    interrupt: isRunning(folder, program) ? interrupt : undefined,
    close: async () => {},
  };
}
