import type { GpuBuild } from "@trivium/node";
import { Argument, type Command } from "commander";
import { homeOption } from "../commands/options.ts";
import type { AddOptions, EngineOptions } from "./command.ts";

/** Written out here, so that help needs no other code. */
const gpuBuilds: readonly GpuBuild[] = ["cuda", "cuda12", "vulkan", "metal"];

/** The builds of the local engine. */
export function declareEngine(program: Command): void {
  const engine = program.command("engine").description("list, add and remove GPU builds of the local engine");
  const home = () => homeOption("folder for all data");
  const build = () => new Argument("<build>", "build of the engine").choices(gpuBuilds);
  engine
    .command("ls")
    .description("list the GPUs of this machine and the builds of the engine")
    .addOption(home())
    .action(async (options: EngineOptions) => (await import("./command.ts")).listBuilds(options));
  engine
    .command("add")
    .description("install a build of the engine for the GPUs of this machine")
    .addArgument(build())
    .option("--force", "install it even if this machine has no GPU for it")
    .addOption(home())
    .action(async (name: GpuBuild, options: AddOptions) => (await import("./command.ts")).addBuild(name, options));
  engine
    .command("rm")
    .description("remove a build of the engine")
    .addArgument(build())
    .addOption(home())
    .action(async (name: GpuBuild, options: EngineOptions) => (await import("./command.ts")).dropBuild(name, options));
}
