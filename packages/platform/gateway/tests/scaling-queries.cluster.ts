import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Deployment, EndpointSlice, HTTPRoute, Service } from "@trivium/kube";
import { startPrometheus } from "@trivium/testkit";
import { addService, completes, deployment, endpoints, service, startFixture, startModel } from "./fixture.ts";

/** What the dialects give autoscalers to ask: docs/reference/gateway.md has both. */
const concurrency = 'sum(trivium_gateway_in_flight{model=~"default/(chat|chat-engine)"})';
const rate = 'sum(rate(trivium_gateway_requests_total{model=~"default/(chat|chat-engine)"}[1m]))';
/** A way in that leads past the Service that the model is listed by. */
const route: HTTPRoute = {
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "HTTPRoute",
  metadata: { name: "chat", namespace: "default" },
  spec: {
    parentRefs: [{ name: "nobodys" }],
    rules: [
      {
        matches: [{ path: { type: "PathPrefix", value: "/routed" } }],
        backendRefs: [{ name: "chat-engine", port: 80 }],
      },
    ],
  },
};
/** It scrapes five times a second; this is for a machine that has much else to do. */
const tries = 400;

test("a real Prometheus that scrapes the gateway answers what autoscalers ask it", async (t) => {
  const model = await startModel(completes);
  t.after(() => model.close());
  const fixture = await startFixture({
    before: async (client) => {
      await client.create(Deployment, deployment("chat", 0));
      await client.create(Service, service("chat"));
      await addService(client, "chat-engine", [model.port], { annotations: { "trivium.dev/models": "" } });
      await client.create(HTTPRoute, route);
    },
    orphans: "adopt",
  });
  t.after(() => fixture.close());
  const prometheus = await startPrometheus([new URL(fixture.gateway.adminUrl ?? "").host]);
  if (prometheus.is === "missing") return void t.skip(`skipped: ${prometheus.why}`);
  t.after(() => prometheus.stop());
  const answers = async (query: string, isSo: (value: number | undefined) => boolean) => {
    let last: number | undefined;
    for (let left = tries; left > 0; left -= 1) {
      last = await prometheus.query(query);
      if (isSo(last)) return;
      await sleep(50);
    }
    assert.fail(`${query} came to ${last}`);
  };

  await answers("up", (value) => value === 1);
  // Nothing was ever asked of it: no series, which an autoscaler takes for none.
  assert.equal(await prometheus.query(concurrency), undefined);
  const ask = () =>
    fetch(`${fixture.gateway.url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "chat", messages: [] }),
    });
  const held = [ask(), ask(), ask()];
  // Nobody answers yet, and all the same it can be seen that somebody should.
  await answers(concurrency, (value) => value === 3);
  for (const slice of endpoints("chat", [model.port])) await fixture.client.create(EndpointSlice, slice);
  for (const answer of await Promise.all(held)) assert.equal(answer.status, 200);
  await answers(concurrency, (value) => value === 0);
  await answers("sum(trivium_gateway_requests_total)", (value) => value === 3);
  // What comes in by a route is of the same service.
  const before = model.requests.length;
  assert.equal((await fetch(`${fixture.gateway.url}/routed`)).status, 200);
  assert.equal(model.requests.length, before + 1);
  await answers('sum(trivium_gateway_requests_total{model=~"default/(chat|chat-engine)"})', (value) => value === 4);
  // A rate is seen between two scrapes.
  assert.equal((await ask()).status, 200);
  await answers(rate, (value) => value !== undefined && value > 0);
});
