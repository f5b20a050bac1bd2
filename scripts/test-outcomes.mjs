/**
 * A reporter for `node --test`, a line each: `failed`, the file that the runner was given and the file that declares the test, and once
 * `passed` with each given file of which a test passed. A test declared in a module that several files import fails in that module, so
 * only the given file says what to run again. A file without tests "passes" as a whole, with no `entryFile`, and is no test that passed.
 *
 * @param {AsyncIterable<{type: string, data: {file?: string, entryFile?: string, skip?: unknown, todo?: unknown, details?: {type?: string}}}>} events
 */
export default async function* testOutcomes(events) {
  const passed = new Set();
  for await (const { type, data } of events) {
    if (type === "test:fail" && data.file !== undefined && data.todo === undefined)
      yield `failed\t${data.entryFile ?? data.file}\t${data.file}\n`;
    if (type !== "test:pass" || passed.has(data.entryFile) || !isTest(data)) continue;
    passed.add(data.entryFile);
    yield `passed\t${data.entryFile}\n`;
  }
}

/** @param {{entryFile?: string, skip?: unknown, todo?: unknown, details?: {type?: string}}} data */
function isTest({ entryFile, skip, todo, details }) {
  return entryFile !== undefined && details?.type !== "suite" && skip === undefined && todo === undefined;
}
