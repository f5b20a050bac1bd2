/** An agent as a program of its own, so that a test can kill it: `process-agent.ts <kubeconfig as JSON>`. */
import { createClient, httpTransport } from "@trivium/client";
import { LogBook, NodeAgent, processSandbox } from "../src/index.ts";
import { plainSetups } from "./process-setup.ts";

const { root, access } = JSON.parse(process.argv[2] ?? "{}");
const client = createClient(httpTransport(access));
const onError = (what: string, error: unknown) => console.error(`${what}: ${error}`);
const sandbox = await processSandbox({ root, setups: plainSetups(root), onError });
const agent = new NodeAgent({
  profile: { name: "node-a", address: "127.0.0.1" },
  client,
  sandbox,
  logs: new LogBook(() => Date.now()),
  backoff: { first: 200, most: 1_000 },
  onError,
});
await agent.start();
console.log("started");
