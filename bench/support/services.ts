import { aim } from "@trivium/aim";
import { apiVersionOf } from "@trivium/kube";

/** Where the objects of a measurement live; not `default`, which a real server makes at its leisure. */
export const namespace = "bench";
export const servicesPath = `/apis/aim.silogen.ai/v1alpha1/namespaces/${namespace}/aimservices`;

const found = aim.kinds.find((one) => one.kind === "AIMService");
if (found === undefined) throw new Error("there is no AIMService");
const kind = found;

/** An AIMService of about 2 KB. */
export function service(name: string, at: number): string {
  const env = Array.from({ length: 16 }, (_, index) => ({ name: `SETTING_${index}`, value: `${"x".repeat(60)}${at}` }));
  return JSON.stringify({
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: {
      name,
      labels: { app: "bench", shard: String(at % 10) },
      annotations: { note: "n".repeat(200) },
    },
    spec: { model: { ref: "bench-model" }, replicas: 1, env },
  });
}
