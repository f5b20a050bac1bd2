import type { Command } from "commander";
import { homeOption, outputOption } from "../commands/options.ts";
import { countOption } from "../commands/values.ts";
import { print } from "../print.ts";
import type { InspectOptions } from "./inspect.ts";
import type { StoreOptions } from "./stores.ts";

/** Weights on this machine, and weights elsewhere before they are downloaded. */
export function declareModels(program: Command): void {
  const models = program.command("models").description("list, download, inspect and remove weights of this machine");
  models
    .command("ls")
    .description("list the weights that this machine has downloaded, with what uses them")
    .addOption(homeOption())
    .addOption(outputOption("table", "json"))
    .action(async (options: StoreOptions & { output: string }) => {
      print(await (await import("./stores.ts")).listModels(options));
    });
  models
    .command("pull")
    .description("download weights before they are needed; OME models with storage.path find them")
    .argument("<model>", "org/repo[:quantization], or an hf://, https:// or s3:// address")
    .option("--include <glob>", "only matching files; repeatable", collect, [])
    .addOption(homeOption())
    .action(async (model: string, options: StoreOptions & { include: string[] }) => {
      await (await import("./stores.ts")).pullModel(model, options);
    });
  models
    .command("inspect")
    .description("show a model without downloading it: architecture, parameters, quantizations, context, memory")
    .argument("<model>", "GGUF file, org/repo[:quantization], or an hf://, https:// or s3:// address")
    .option("--context <tokens>", "context size to compute the memory for", countOption)
    .option("--slots <number>", "requests served at once to compute the memory for", countOption)
    .addOption(outputOption("text", "json"))
    .action(async (model: string, options: InspectOptions) => {
      print(await (await import("./inspect.ts")).inspect(model, options));
    });
  models
    .command("rm")
    .description("remove downloaded weights that nothing uses")
    .argument("<model>", "source or key, as ls prints it")
    .addOption(homeOption())
    .action(async (model: string, options: StoreOptions) => {
      print(`${await (await import("./stores.ts")).removeModel(model, options)}\n`);
    });
  models
    .command("prune")
    .description("remove all downloaded weights that nothing uses, except those in claims")
    .addOption(homeOption())
    .action(async (options: StoreOptions) => print(`${await (await import("./stores.ts")).pruneModels(options)}\n`));
  models
    .command("verify")
    .description(
      "compare all downloaded weights with their checksums; damaged files are deleted, or named where pods can write",
    )
    .addOption(homeOption())
    .action(async (options: StoreOptions) => print(`${await (await import("./stores.ts")).verifyModels(options)}\n`));
}

const collect = (value: string, before: readonly string[]): string[] => [...before, value];
