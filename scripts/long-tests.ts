const session = "a whole session; run.test.ts, serving-laptop.test.ts and serving-openai.test.ts are the short ones";

/**
 * What takes long is left to `npm run test:long`, so that `npm test` ends within five minutes on two processors: how a path starts, and why
 * it takes long or where the same is covered in less time.
 */
export const longTests: Readonly<Record<string, string>> = {
  "apps/cli/tests/commands.":
    "types every command, with a hundred processes; run.test.ts and mistakes.test.ts have the first of them",
  "apps/cli/tests/crds.": "reads seven megabytes of YAML; npm run check compares the files",
  "apps/cli/tests/dashboard-browser.": "a session in a browser; dashboard.test.ts is the one without",
  "apps/cli/tests/documents.": "types every command of the documentation; run.test.ts has the first of them",
  "apps/cli/tests/explain-mistakes.": "plays every mistake of each API; explain.test.ts has a few",
  "apps/cli/tests/package.": "packs and installs the npm package",
  "apps/cli/tests/run-gpu.": session,
  "apps/cli/tests/run-proxy.": session,
  "apps/cli/tests/run-s3.": session,
  "apps/cli/tests/serving-aim.": session,
  "apps/cli/tests/serving-chaos.": session,
  "apps/cli/tests/serving-disk.": session,
  "apps/cli/tests/serving-full-disk.": session,
  "apps/cli/tests/serving-k9s.": session,
  "apps/cli/tests/serving-kubectl.": session,
  "apps/cli/tests/serving-ome.": session,
  "apps/cli/tests/serving-waking.": session,
  "apps/cli/tests/up-stopped.": "stops a start at a dozen moments; up.test.ts has one start and one stop",
  "apps/dashboard/tests/failures.": "a session in a browser; pages.test.ts opens every page",
  "apps/dashboard/tests/live.": "a session in a browser; pages.test.ts opens every page",
  "apps/dashboard/tests/rights.": "a session in a browser; pages.test.ts opens every page",
  "apps/operator/tests/storm.": "a story with failures; calm.test.ts is the one without",
  "packages/dialects/llmkube/tests/faults.":
    "plays every fault with a real node and engine; the cases have the messages",
  "packages/platform/apiserver/tests/judge/": "hundreds of sequences on two servers; tests/api has the answers",
  "packages/platform/apiserver/tests/kubectl/":
    "hundreds of calls of kubectl; tests/http has the requests that it sends",
  "packages/platform/apiserver/tests/store/kill.": "kills a server repeatedly while it writes",
  "packages/platform/engine/tests/differential-embeddings.":
    "asks a real llama-server for vectors too; surface.test.ts has ours",
  "packages/platform/engine/tests/differential.":
    "sends every request to a real llama-server too; surface.test.ts has ours",
  "packages/platform/engine/tests/own.": "starts the program dozens of times; surface.test.ts has the requests",
  "packages/platform/gateway/tests/workers.":
    "kills processes that serve together; program.test.ts has the one process",
  "packages/platform/node/tests/process-adoption.":
    "kills agents and supervisors; process-life.test.ts has the rest of a process",
  "packages/platform/weights/tests/fuzz.": "150,000 wrong inputs; src/reading has those that matter",
  "packages/platform/weights/tests/real-python.": "installs packages of Python; real-nginx.test.ts needs none",
  "scripts/generate-crds.": "reads seven megabytes of YAML twice; npm run check compares the files",
  "tools/images/images.": "builds images, one of them twice",
};

export function isLong(path: string): boolean {
  return Object.keys(longTests).some((start) => path.startsWith(start));
}
