import { useEffect, useRef, useState } from "preact/hooks";
import { Command } from "../../parts/command.tsx";
import { Empty } from "../../parts/empty.tsx";
import { session } from "../../session/session.ts";
import { describeRate } from "./describe-rate.ts";
import { asCurl, asPython, type ChatMessage, chatRequest, defaultSettings } from "./request.ts";
import { Settings } from "./settings.tsx";
import { type ChatProgress, streamChat } from "./stream-chat.ts";

/** A conversation with the service, and the same request for a program. */
export function ChatTab({ model }: { readonly model: string }) {
  const [messages, setMessages] = useState<readonly ChatMessage[]>([]);
  const [answer, setAnswer] = useState<ChatProgress>();
  const [failure, setFailure] = useState("");
  const [settings, setSettings] = useState(defaultSettings);
  const [draft, setDraft] = useState("");
  const running = useRef<AbortController>(null);
  const [isBusy, setBusy] = useState(false);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const element = list.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  }, [messages, answer]);
  const features = session.value?.features;
  if (features?.hasGateway !== true)
    return (
      <Empty title="No gateway" command="trivium dashboard --gateway http://127.0.0.1:8080">
        You chat with the service here, where the dashboard reaches a gateway. Name its address:
      </Empty>
    );

  const ask = async (event: SubmitEvent) => {
    event.preventDefault();
    if (draft.trim() === "" || isBusy) return;
    const asked: ChatMessage[] = [...messages, { role: "user", content: draft.trim() }];
    setMessages(asked);
    setDraft("");
    setFailure("");
    setBusy(true);
    running.current = new AbortController();
    let last: ChatProgress | undefined;
    try {
      for await (const progress of streamChat(chatRequest(model, asked, settings), running.current.signal)) {
        last = progress;
        setAnswer(progress);
      }
    } catch (error) {
      if (!running.current.signal.aborted) setFailure(error instanceof Error ? error.message : String(error));
    }
    if (last !== undefined) setMessages([...asked, { role: "assistant", content: last.text }]);
    setBusy(false);
  };
  const reset = () => {
    setMessages([]);
    setAnswer(undefined);
  };
  const shown: readonly ChatMessage[] =
    isBusy && answer !== undefined ? [...messages, { role: "assistant", content: answer.text }] : messages;
  const example = messages.filter(({ role }) => role === "user").slice(-1);
  const request = chatRequest(model, example.length > 0 ? example : [{ role: "user", content: "Hello" }], settings);
  const address = features.gatewayAddress ?? location.origin;
  return (
    <div class="grid">
      <section class="card grid-wide chat" aria-label="Conversation">
        {shown.length === 0 && (
          <p class="muted">
            Ask the service a question: the answer appears word by word, with tokens per second. The request for curl
            and Python below follows what you ask and the parameters.
          </p>
        )}
        <ol class="messages" aria-live="polite" ref={list}>
          {shown.map(({ role, content }, at) => (
            <li key={`${at} ${role}`} class={`message message-${role}`}>
              <span class="sr-only">{role === "user" ? "You" : "Model"}: </span>
              {content}
            </li>
          ))}
        </ol>
        {failure !== "" && (
          <p class="notice" role="alert">
            {failure}
          </p>
        )}
        <p class="muted figures" role="status">
          {answer === undefined ? `Model ${model}` : describeRate(answer)}
        </p>
        <form class="ask" onSubmit={ask}>
          <label class="sr-only" htmlFor="message">
            Message
          </label>
          <textarea
            id="message"
            rows={1}
            placeholder="Write a message; Shift+Enter starts a new line"
            value={draft}
            onInput={({ currentTarget }) => setDraft(currentTarget.value)}
            onKeyDown={sendByKey}
          />
          {isBusy ? (
            <button type="button" class="quiet" onClick={() => running.current?.abort()}>
              Stop
            </button>
          ) : (
            <button type="submit" class="primary">
              Send
            </button>
          )}
        </form>
      </section>
      <Settings settings={settings} change={setSettings} reset={reset} />
      <section class="card" aria-label="curl">
        <h2>curl</h2>
        <Command text={asCurl(address, request)} />
      </section>
      <section class="card" aria-label="Python">
        <h2>Python</h2>
        <Command text={asPython(address, request)} />
      </section>
    </div>
  );
}

/** A word that is composed of several keys ends with Enter too. */
function sendByKey(event: KeyboardEvent): void {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  (event.currentTarget as HTMLTextAreaElement).form?.requestSubmit();
}
