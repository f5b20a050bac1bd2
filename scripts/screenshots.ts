/**
 * Takes the pictures of the dashboard in docs/pictures/dashboard, on a small cluster that is written for it.
 *
 *   npm run screenshots [word …]     all of them, or those whose name contains one of the words
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startChromium } from "@trivium/testkit";
import { startModelGateway } from "../apps/dashboard/tests/stage/model-gateway.ts";
import { goTo } from "../apps/dashboard/tests/stage/open.ts";
import { startStage } from "../apps/dashboard/tests/stage/stage.ts";
import { seedWorld } from "../apps/dashboard/tests/stage/world.ts";

const folder = "docs/pictures/dashboard";
const words = process.argv.slice(2);
const fonts = `:root { --font: "Liberation Sans", sans-serif; --mono: "Liberation Mono", monospace; }`;

const manifest = `apiVersion: ome.io/v1beta1
kind: InferenceService
metadata: { name: assistant, namespace: default }
spec:
  model: { name: llama-3-1-8b }
  engine: { minReplicas: 2 }
`;

interface Picture {
  readonly name: string;
  readonly route: string;
  readonly heading: string;
  readonly colours?: "light" | "dark";
  readonly isPhone?: boolean;
  /** What is filled in and pressed before the picture is taken. */
  readonly text?: string;
}

const vision = { route: "#/services/llmkube/team-a/vision", heading: "vision" };
const chat = { route: "#/services/llmkube/team-a/chat", heading: "chat" };
const pictures: readonly Picture[] = [
  { name: "overview", route: "#/overview", heading: "Overview" },
  { name: "overview-dark", route: "#/overview", heading: "Overview", colours: "dark" },
  { name: "services", route: "#/services", heading: "Services" },
  { name: "services-phone", route: "#/services", heading: "Services", isPhone: true },
  { name: "service", ...vision },
  { name: "service-ready", ...chat },
  { name: "service-timeline", ...vision, route: `${vision.route}/timeline` },
  { name: "service-yaml", ...vision, route: `${vision.route}/yaml` },
  { name: "service-metrics", ...chat, route: `${chat.route}/metrics` },
  { name: "service-chat", ...chat, route: `${chat.route}/chat`, text: "What is Trivium?" },
  { name: "service-phone", ...vision, isPhone: true },
  { name: "service-dark", ...vision, colours: "dark" },
  { name: "models", route: "#/models", heading: "Models and weights" },
  { name: "nodes", route: "#/nodes", heading: "Nodes" },
  { name: "plan", route: "#/plan", heading: "Plan", text: manifest },
  { name: "benchmarks", route: "#/benchmarks", heading: "Benchmarks" },
];

const chromium = await startChromium();
if (chromium.is === "missing") throw new Error(chromium.why);
const gateway = await startModelGateway("team-a/chat");
const stage = await startStage({ gateway: gateway.port });
await seedWorld(stage.client);
mkdirSync(folder, { recursive: true });
for (const picture of pictures.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))) {
  await take(picture);
  console.log(join(folder, `${picture.name}.png`));
}
await chromium.stop();
await stage.close();
await gateway.close();
process.exit(0);

/** What `trivium bench` would write for an engine that gains less with each further request at once. */
function resultsOf(name: string, speed: number): { name: string; mimeType: string; buffer: Buffer } {
  const runs = [1, 2, 4, 8, 16].map((concurrency) => {
    const tokens = (speed * concurrency) / (1 + concurrency / 8);
    return {
      scenario: "D(100,100)",
      concurrency,
      outputTokensPerSecond: tokens,
      requestsPerSecond: tokens / 100,
      timeToFirstToken: { p50: 60 + (1_200 * concurrency) / speed },
      timePerOutputToken: { p50: (1_000 * concurrency) / tokens },
    };
  });
  const text = JSON.stringify({ schema: "trivium.dev/benchmark/v1", runs });
  return { name, mimeType: "application/json", buffer: Buffer.from(text) };
}

async function take({ name, route, heading, colours = "light", isPhone = false, text }: Picture): Promise<void> {
  if (chromium.is === "missing") return;
  const viewport = isPhone ? { width: 390, height: 780 } : { width: 1280, height: 820 };
  const { page, close } = await chromium.open({
    viewport,
    colorScheme: colours,
    locale: "en-GB",
    bypassCSP: true,
  });
  await page.goto(stage.address());
  // The system has no font of its own here.
  await page.addStyleTag({ content: fonts });
  await goTo(page, route, heading);
  if (text !== undefined) {
    await page.getByRole("textbox").first().fill(text);
    await page.getByRole("button", { name: /^(Plan|Send)$/ }).click();
    await page.getByText(/^Apply |first token after/).waitFor();
  }
  if (name === "service-chat") await page.getByRole("button", { name: "Send" }).waitFor();
  // The first reading is two seconds after the page was opened, and a line needs some of them.
  if (name === "service-metrics") await page.waitForTimeout(12_000);
  if (["service", "service-ready", "service-dark", "service-phone"].includes(name))
    await page.getByRole("heading", { name: "Objects" }).waitFor();
  // Rates are differences of two readings.
  if (heading === "Overview") await page.locator("li", { hasText: /[1-9]\d* tokens/ }).waitFor();
  if (name === "benchmarks") {
    await page.locator("input[type=file]").setInputFiles([resultsOf("before.json", 30), resultsOf("after.json", 42)]);
    await page.locator("canvas").first().waitFor();
  }
  if (heading === "Overview" || heading === "Models and weights") await page.getByText(/left$/).first().waitFor();
  await page.getByText("Live", { exact: true }).waitFor();
  // The focus of the heading is for readers of screens.
  await page.evaluate("document.activeElement?.blur()");
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await close();
}
