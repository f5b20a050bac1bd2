import { Refusal } from "@trivium/local";
import { createProgram } from "./program.ts";

try {
  await createProgram().parseAsync(process.argv);
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
