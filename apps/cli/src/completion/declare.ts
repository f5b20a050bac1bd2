import { Argument, type Command } from "commander";

export function declareCompletion(program: Command): void {
  program
    .command("completion")
    .description("print the completion script of a shell, for example: source <(trivium completion bash)")
    .addArgument(new Argument("<shell>", "shell to complete in").choices(["bash", "zsh", "fish"]))
    .action(async (shell: "bash" | "zsh" | "fish") => {
      const { completionScript } = await import("./scripts.ts");
      process.stdout.write(completionScript(shell, program));
    });
}
