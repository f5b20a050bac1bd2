import assert from "node:assert/strict";
import { after, test } from "node:test";
import { ClusterRole, type KubeClient, RoleBinding } from "@trivium/kube";
import { startChromium } from "@trivium/testkit";
import { goTo } from "./stage/open.ts";
import { startStage } from "./stage/stage.ts";
import { seedWorld } from "./stage/world.ts";

const chromium = await startChromium();
const skip = chromium.is === "missing" ? `skipped: ${chromium.why}` : false;
after(async () => {
  if (chromium.is === "running") await chromium.stop();
});

const rbac = "rbac.authorization.k8s.io";
const yaml = "#/services/llmkube/team-a/vision/yaml";

/** A user who can read everything in one namespace, and nothing else. */
async function allowReading(client: KubeClient, user: string, namespace: string): Promise<void> {
  const metadata = { name: "reader" };
  const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "watch"] }];
  await client.create(ClusterRole, { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata, rules });
  await client.create(RoleBinding, {
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    metadata: { ...metadata, namespace },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: metadata.name },
    subjects: [{ kind: "User", apiGroup: rbac, name: user }],
  });
}

test("a user of one namespace sees that namespace, and what he cannot do is shown before he tries", {
  skip,
}, async () => {
  assert.ok(chromium.is === "running");
  const stage = await startStage({ user: { user: "ann", groups: ["system:authenticated"] }, namespace: "team-a" });
  await seedWorld(stage.client);
  await allowReading(stage.client, "ann", "team-a");
  const { page, close } = await chromium.open();
  await page.goto(stage.address());
  await page.getByText("These pages show namespace team-a.").waitFor();
  await page.getByRole("link", { name: "Services", exact: true }).first().click();
  await page.getByRole("link", { name: "vision" }).waitFor();
  assert.equal(await page.getByRole("link", { name: "assistant" }).count(), 0, "of namespace default");

  await goTo(page, yaml, "vision");
  await page.getByText("ann cannot patch inferenceservices.inference.llmkube.dev in namespace team-a").waitFor();
  assert.ok(await page.getByRole("button", { name: "Edit" }).isDisabled());
  await goTo(page, "#/nodes", "Nodes");
  await page.getByText(/nodes is forbidden: User "ann" cannot list/).waitFor();
  await goTo(page, "#/plan", "Plan");
  await page
    .getByRole("textbox", { name: /Manifests/ })
    .fill("apiVersion: inference.llmkube.dev/v1alpha1\nkind: Model\nmetadata: { name: new }\nspec: { source: a/b }\n");
  await page.getByRole("button", { name: "Plan" }).click();
  await page.getByText(/is forbidden: User "ann" cannot patch/).waitFor();
  assert.ok(await page.getByRole("button", { name: /Apply/ }).isDisabled());

  await page.getByText("ann", { exact: true }).first().click();
  await page.getByRole("combobox", { name: "Namespace" }).fill("default");
  await page.keyboard.press("Tab");
  await goTo(page, "#/services", "Services");
  await page
    .getByText(/cannot list .* in API group .* in the namespace "default"/)
    .first()
    .waitFor();
  await close();
  await stage.close();
});

test("a read-only dashboard offers no change, and says so", { skip }, async () => {
  assert.ok(chromium.is === "running");
  const stage = await startStage({ isReadOnly: true });
  await seedWorld(stage.client);
  const { page, close } = await chromium.open();
  await page.goto(stage.address());
  await page.getByText("Read only").waitFor();
  await goTo(page, yaml, "vision");
  await page.getByText("This dashboard is read-only").waitFor();
  assert.ok(await page.getByRole("button", { name: "Edit" }).isDisabled());
  await goTo(page, "#/models", "Models and weights");
  await page.getByRole("button", { name: "Evict" }).first().waitFor();
  for (const button of await page.getByRole("button", { name: "Evict" }).all()) assert.ok(await button.isDisabled());
  await close();
  await stage.close();
});

test("after logging out the page asks for a log-in, and the session is over", { skip }, async () => {
  assert.ok(chromium.is === "running");
  const stage = await startStage();
  const { page, close } = await chromium.open();
  await page.goto(stage.address());
  assert.ok(!page.url().includes("start="), "the token leaves the address at once");
  await page.getByText("tester", { exact: true }).first().click();
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByText("Open the address that the terminal printed").waitFor();
  assert.equal(await page.evaluate("fetch('./k8s/api/v1/pods').then(({ status }) => status)"), 401);
  await close();
  await stage.close();
});
