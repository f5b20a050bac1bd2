/** A reporter for `node --test`: the files of the tests that failed, a line each. @param {AsyncIterable<{type: string, data: {file?: string}}>} events */
export default async function* failedFiles(events) {
  for await (const { type, data } of events)
    if (type === "test:fail" && data.file !== undefined) yield `${data.file}\n`;
}
