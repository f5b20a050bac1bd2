import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { InferenceService } from "@trivium/llmkube";
import { startChromium } from "@trivium/testkit";
import type { Page } from "playwright-core";
import { goTo } from "../apps/dashboard/tests/stage/open.ts";
import { startStage } from "../apps/dashboard/tests/stage/stage.ts";
import { printTable } from "./support/table.ts";

/**
 * The dashboard in Chromium with many services: bytes of the first load, time from a change of an object to the picture, and how long frames
 * take while a person scrolls and services change. The trace of the browser is kept for its own tools.
 *
 *   npm run bench -- dashboard [--services=1000]
 */
const count = Number(process.argv.find((word) => word.startsWith("--services="))?.split("=")[1] ?? 1_000);
const folder = "dist/bench";
const chromium = await startChromium();
if (chromium.is === "missing") throw new Error(chromium.why);
const stage = await startStage();
const nameOf = (at: number): string => `service-${String(at).padStart(4, "0")}`;
for (let at = 0; at < count; at += 1)
  await stage.client.create(InferenceService, {
    apiVersion: "inference.llmkube.dev/v1alpha1",
    kind: "InferenceService",
    metadata: { name: nameOf(at), namespace: "default" },
    spec: { modelRef: "tiny", replicas: 1 },
  } as never);

const { page, close } = await chromium.open();
const loaded = await firstLoad(page);
await goTo(page, "#/services", "Services");
await page.getByText(`${count} services`).waitFor();
const delays = await measureDelays(page);
const trace = await recordTrace(page);
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "dashboard-trace.json"), trace.file);
printTable([
  ["what", "measured", "aim"],
  ["first load, compressed", `${(loaded.bytes / 1000).toFixed(1)} KB in ${loaded.files} files`, "at most 150 KB"],
  ["first load to the services of the overview", `${Math.round(loaded.time)} ms`, ""],
  ["API call to picture, p50 / p95 / max", delays.map((one) => `${Math.round(one)} ms`).join(" / "), "under 100 ms"],
  ["frames while scrolling and 50 changes/s", `${trace.frames}`, ""],
  ["… over 50 ms", `${trace.late} (longest ${Math.round(trace.longest)} ms)`, "none"],
  ["… longest task of the page's thread, processor time", `${trace.task.toFixed(1)} ms`, "at most 50 ms"],
  ["… all of its tasks, processor time", `${Math.round(trace.tasks)} ms of 10 s`, ""],
]);
console.log(`trace of the browser: ${join(folder, "dashboard-trace.json")}`);
await close();
await chromium.stop();
await stage.close();
process.exit(0);

async function firstLoad(page: Page): Promise<{ bytes: number; files: number; time: number }> {
  const network = await page.context().newCDPSession(page);
  await network.send("Network.enable");
  let [bytes, files] = [0, 0];
  const assets = new Set<string>();
  network.on("Network.responseReceived", ({ requestId, response, type }) => {
    if (["Document", "Script", "Stylesheet", "Image"].includes(type) && response.status === 200) assets.add(requestId);
  });
  network.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (!assets.has(requestId)) return;
    bytes += encodedDataLength;
    files += 1;
  });
  const began = performance.now();
  await page.goto(stage.address());
  // What the overview itself needs; the code that decides is loaded when the page is complete.
  await page.locator(".figures-list .figure").first().waitFor();
  const [time, sum] = [performance.now() - began, { bytes, files }];
  await network.detach();
  return { ...sum, time };
}

function report(at: number, message: string): Promise<unknown> {
  const time = { lastTransitionTime: new Date().toISOString(), observedGeneration: 1 };
  const condition = { type: "Available", status: "False", reason: "CrashLoop", message, ...time };
  const patch = { type: "merge", body: { status: { phase: "Failed", conditions: [condition] } } } as never;
  const ref = { namespace: "default", name: nameOf(at) };
  return stage.client.patch(InferenceService, ref, patch, { subresource: "status" });
}

/** From before the call of the API to the frame after the one in which the text is in the document. */
async function measureDelays(page: Page): Promise<number[]> {
  const delays: number[] = [];
  for (let at = 0; at < 60; at += 1) {
    const text = `Change number ${at} of this service`;
    const shown = page.evaluate(`new Promise((resolve) => {
      const look = () => document.querySelector("tbody")?.textContent.includes(${JSON.stringify(text)})
        ? requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now()))
        : requestAnimationFrame(look);
      look();
    })`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const began = performance.timeOrigin + performance.now();
    await report(0, text);
    delays.push(Number(await shown) - began);
  }
  delays.sort((a, b) => a - b);
  return [0.5, 0.95, 1].map((share) => delays[Math.ceil(delays.length * share) - 1] ?? 0);
}

interface Trace {
  readonly file: Buffer;
  readonly frames: number;
  readonly late: number;
  readonly longest: number;
  /** Processor time of the longest task, and of all: what other programs take of a busy machine does not count. */
  readonly task: number;
  readonly tasks: number;
}

/** Ten seconds of scrolling through all rows while services change. */
async function recordTrace(page: Page): Promise<Trace> {
  if (chromium.is === "missing") throw new Error(chromium.why);
  await chromium.browser.startTracing(page, {
    categories: ["devtools.timeline", "disabled-by-default-devtools.timeline"],
  });
  const scrolled = page.evaluate(`new Promise((resolve) => {
    const box = document.querySelector(".table-box"), times = [];
    const began = performance.now();
    const step = (now) => {
      times.push(now);
      box.scrollTop = ((now - began) / 10000) * (box.scrollHeight - box.clientHeight);
      if (now - began < 10000) requestAnimationFrame(step);
      else resolve(times);
    };
    requestAnimationFrame(step);
  })`) as Promise<number[]>;
  for (let at = 0; at < 500; at += 1) {
    void report(at % count, `Change ${at}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const times = await scrolled;
  const file = await chromium.browser.stopTracing();
  const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
  return {
    file,
    frames: gaps.length,
    late: gaps.filter((gap) => gap > 50).length,
    longest: Math.max(...gaps),
    ...tasksIn(file),
  };
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

function tasksIn(file: Buffer): Pick<Trace, "task" | "tasks"> {
  const { traceEvents } = JSON.parse(String(file)) as { readonly traceEvents: readonly TraceEvent[] };
  const isPage = ({ name, args }: TraceEvent): boolean => name === "thread_name" && args?.name === "CrRendererMain";
  const threads = new Set(traceEvents.filter(isPage).map(({ pid, tid }) => `${pid} ${tid}`));
  const times = traceEvents
    .filter(({ name, ph, pid, tid }) => name === "RunTask" && ph === "X" && threads.has(`${pid} ${tid}`))
    .map(({ tdur = 0 }) => tdur / 1000);
  return { task: Math.max(0, ...times), tasks: times.reduce((sum, time) => sum + time, 0) };
}
