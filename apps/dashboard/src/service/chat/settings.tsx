import type { ChatSettings } from "./request.ts";

export interface SettingsProps {
  readonly settings: ChatSettings;
  change(settings: ChatSettings): void;
  /** Forgets the conversation. */
  reset(): void;
}

export const Settings = ({ settings, change, reset }: SettingsProps) => (
  <section class="card" aria-label="Parameters">
    <h2>Parameters</h2>
    <label class="field">
      Temperature: {settings.temperature}
      <input
        type="range"
        min="0"
        max="2"
        step="0.1"
        value={settings.temperature}
        onInput={({ currentTarget }) => change({ ...settings, temperature: Number(currentTarget.value) })}
      />
    </label>
    <label class="field">
      Maximum tokens
      <input
        type="number"
        min="1"
        max="32768"
        value={settings.maxTokens}
        onInput={({ currentTarget }) => change({ ...settings, maxTokens: Number(currentTarget.value) || 1 })}
      />
    </label>
    <label class="field">
      System prompt
      <textarea
        rows={3}
        value={settings.system}
        onInput={({ currentTarget }) => change({ ...settings, system: currentTarget.value })}
      />
    </label>
    <button type="button" class="quiet" onClick={reset}>
      New conversation
    </button>
  </section>
);
