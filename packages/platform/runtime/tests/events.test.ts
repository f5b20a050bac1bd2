import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap, Event } from "@trivium/kube";
import { startCluster } from "@trivium/testkit";
import { EventRecorder } from "../src/apply/events.ts";

const waiting = 300;

test("300 waiting services whose messages change every second write fewer than 300 Events a minute", async () => {
  const cluster = await startCluster([]);
  let now = Date.UTC(2026, 0, 1);
  const sent: string[] = [];
  const client = {
    ...cluster.client,
    create: (...args: Parameters<typeof cluster.client.create>) => {
      sent.push("create");
      return cluster.client.create(...args);
    },
    patch: (...args: Parameters<typeof cluster.client.patch>) => {
      sent.push("patch");
      return cluster.client.patch(...args);
    },
  } as typeof cluster.client;
  const recorder = new EventRecorder({ client, now: () => now, instance: "test" });
  const services: ConfigMap[] = [];
  for (let i = 0; i < waiting; i += 1) {
    const metadata = { namespace: "default", name: `s${i}` };
    services.push(await cluster.client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata }));
  }
  const tellAll = async (second: number): Promise<void> => {
    for (const service of services) {
      const notes = [
        { type: "Warning", reason: "FailedScheduling", message: `${second} services wait before` } as const,
      ];
      recorder.tell(service.metadata.name ?? "", "test", service, { notes, hasChanged: true });
    }
    await recorder.flush();
  };

  await tellAll(0);
  assert.equal(sent.length, waiting, "each is told once");
  assert.equal((await cluster.client.list(Event, {})).items.length, waiting);
  const minutes: number[] = [];
  for (let minute = 0; minute < 2; minute += 1) {
    sent.length = 0;
    for (let second = 1; second <= 60; second += 1) {
      now += 1_000;
      await tellAll(minute * 60 + second);
    }
    minutes.push(sent.length);
  }
  assert.ok(
    minutes.every((count) => count > 0 && count <= 110),
    `${minutes}`,
  );
  await cluster.close();
});
