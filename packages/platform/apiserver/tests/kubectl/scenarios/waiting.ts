import assert from "node:assert/strict";
import { before, it } from "node:test";
import { widget } from "../manifests.ts";
import type { Scenario } from "../scenario.ts";

/** Waiting for things, and the events that tell of them. */
export const waiting: Scenario = (stage) => {
  before(async () => {
    await stage().kubectl.given(widget("w", { size: 1 })).ok`create -f -`;
  });

  it("for a condition, a value, creation", async () => {
    const { kubectl } = stage();
    await using condition = kubectl.start`wait wd/w --for=condition=Ready --timeout=20s`;
    await using value = kubectl.start`wait wd/w --for=jsonpath={.status.phase}=Done --timeout=20s`;
    await using creation = kubectl.start`wait wd/later --for=create --timeout=20s`;
    const conditions = [
      { type: "Ready", status: "True", reason: "Tested", lastTransitionTime: "2024-01-01T00:00:00Z" },
    ];
    await kubectl.ok`patch wd w --subresource=status --type=merge -p ${JSON.stringify({ status: { phase: "Done", conditions } })}`;
    await condition.until(/widget\.kubectl\.example\.dev\/w condition met/);
    await value.until(/widget\.kubectl\.example\.dev\/w condition met/);
    await kubectl.given(widget("later", { size: 1 })).ok`create -f -`;
    await creation.until(/later condition met/);
  });

  it("in vain", async () => {
    const { kubectl } = stage();
    assert.match(
      await kubectl.fails`wait wd/w --for=condition=Broken --timeout=1s`,
      /timed out waiting for the condition on widgets\/w/,
    );
  });

  it("for a CRD to be established", async () => {
    const { kubectl } = stage();
    assert.match(
      await kubectl.ok`wait crd/widgets.kubectl.example.dev --for=condition=Established --timeout=10s`,
      /condition met/,
    );
  });

  it("events", async () => {
    const { kubectl } = stage();
    const uid = await kubectl.ok`get wd w -o jsonpath={.metadata.uid}`;
    const event = `apiVersion: v1
kind: Event
metadata: {name: w.1}
involvedObject: {apiVersion: kubectl.example.dev/v1alpha1, kind: Widget, name: w, uid: ${uid}, namespace: ${kubectl.namespace}}
type: Warning
reason: Tested
message: it was looked at
source: {component: tester}
firstTimestamp: "2024-01-01T00:00:00Z"
lastTimestamp: "2024-01-01T00:00:00Z"
count: 3
`;
    await kubectl.given(event).ok`create -f -`;
    assert.match(await kubectl.ok`events --for=widget/w`, /Warning +Tested +Widget\/w +it was looked at/);
    assert.match(
      await kubectl.ok`get events`,
      /^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n\S+ +Warning +Tested +widget\/w +it was looked at\n$/,
    );
    assert.equal(
      await kubectl.ok`get events --field-selector involvedObject.name=w,type=Warning -o name`,
      "event/w.1\n",
    );
    assert.match(await kubectl.ok`describe wd w`, /Warning +Tested +\S+ \(x3 over \S+\) +tester +it was looked at/);
  });
};
