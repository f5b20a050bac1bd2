/** One question, and what came back. */
export async function ask(
  gateway: string,
  model: string,
  signal?: AbortSignal,
): Promise<{ status: number; text: string }> {
  const body = { model, max_tokens: 8, messages: [{ role: "user", content: "What is Trivium?" }] };
  const response = await fetch(`${gateway}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
  return { status: response.status, text: await response.text() };
}

/** Clients that ask one question after the other until they are told to stop. */
export class Load {
  readonly #stopping = new AbortController();
  readonly #workers: Promise<void>[];
  answered = 0;
  /** What was not answered as it should be. */
  readonly failures: string[] = [];

  constructor(gateway: string, model: string, clients = 4) {
    this.#workers = Array.from({ length: clients }, () => this.#work(gateway, model));
  }

  /** Resolves when so many more have been answered. */
  async answers(count: number): Promise<void> {
    const wanted = this.answered + count;
    while (this.answered < wanted && !this.#stopping.signal.aborted) await pause();
  }

  /** Requests under way are waited for. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#workers);
  }

  async #work(gateway: string, model: string): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        const { status, text } = await ask(gateway, model);
        if (status === 200) this.answered += 1;
        else this.failures.push(`${status} ${text}`);
      } catch (error) {
        const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
        this.failures.push(`${String(error)} ${cause}`);
        await pause();
      }
      // As many as two cores bear beside everything else.
      await pause();
    }
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
