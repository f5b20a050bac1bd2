import type { RealCluster } from "./installed.ts";

/** The gateway of an installation, as a client outside of it sees it. */
export interface GatewayClient {
  /** Status and text of the answer to one question. */
  ask(model: string, headers?: Record<string, string>): Promise<{ status: number; text: string }>;
}

export const key = "sk-for-the-test";

/** The Secret with the key that clients need. */
export const keySecret = (namespace: string): object => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "gateway-keys", namespace },
  stringData: { team: key },
});

const question = { max_tokens: 8, temperature: 0, messages: [{ role: "user", content: "What is Trivium?" }] };

/** The text of the answer of an engine at the address of its pod. */
export async function askEngine(address: string): Promise<string> {
  const answer = await fetch(`http://${address}:8080/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(question),
    signal: AbortSignal.timeout(60_000),
  });
  return answer.text();
}

export async function openGateway({ kubectl }: RealCluster, namespace: string): Promise<GatewayClient> {
  const address = await kubectl([
    ...["get", "pods", "--namespace", namespace, "--selector", "app.kubernetes.io/component=gateway"],
    ...["--output", "jsonpath={.items[0].status.podIP}"],
  ]);
  return {
    async ask(model, headers = { authorization: `Bearer ${key}` }) {
      const answer = await fetch(`http://${address}:8080/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ model, ...question }),
        signal: AbortSignal.timeout(180_000),
      });
      return { status: answer.status, text: await answer.text() };
    },
  };
}
