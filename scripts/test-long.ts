// Runs the long tests, which a plain `npm test` leaves out. With arguments, only the files whose path contains one of them.
import { isLong } from "./long-tests.ts";
import { findTestFiles, runTests } from "./run-tests.ts";

const wanted = process.argv.slice(2);
const files = findTestFiles()
  .filter(isLong)
  .filter((path) => wanted.length === 0 || wanted.some((word) => path.includes(word)));
process.exitCode = await runTests(files);
