import { useState } from "preact/hooks";
import { Command } from "../parts/command.tsx";
import { login, session, sessionFailure } from "./session.ts";

/** Before there is a session: how to get one. */
export function Login() {
  const kind = session.value?.login;
  return (
    <main class="login">
      <h1>Trivium</h1>
      {sessionFailure.value !== "" && (
        <p class="notice" role="alert">
          {sessionFailure.value}
        </p>
      )}
      {kind === "cluster-token" ? <TokenForm /> : <StartAddress />}
    </main>
  );
}

const StartAddress = () => (
  <>
    <p>Open the address that the terminal printed: it has a token that works once. This command prints it again:</p>
    <Command text="trivium status" />
  </>
);

/** The token goes to the server once and is not kept in the browser. */
function TokenForm() {
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    setBusy(true);
    const token = String(new FormData(form).get("token") ?? "").trim();
    await login(token).catch((error: unknown) => {
      sessionFailure.value = error instanceof Error ? error.message : String(error);
    });
    form.reset();
    setBusy(false);
  };
  return (
    <form onSubmit={submit}>
      <label class="field">
        Token of a user or service account
        <input name="token" type="password" autocomplete="off" required />
      </label>
      <button type="submit" class="primary" disabled={isBusy}>
        Log in
      </button>
      <p class="muted">The dashboard acts with the rights of this token. One that lasts an hour:</p>
      <Command text="kubectl create token default" />
    </form>
  );
}
