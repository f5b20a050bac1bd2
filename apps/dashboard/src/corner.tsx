import { useEffect, useRef } from "preact/hooks";
import { servicePaths } from "./kube/dialects.ts";
import { scope, showNamespace } from "./kube/scope.ts";
import { linkState } from "./live/live-store.ts";
import { useTables } from "./live/use-tables.ts";
import { logout, session } from "./session/session.ts";
import { nextTheme, theme } from "./session/theme.ts";

const linkWords = { connecting: "Connecting …", live: "Live", broken: "Reconnecting …" } as const;
const themeWords = { system: "Theme: auto", light: "Theme: light", dark: "Theme: dark" } as const;

/** Whether the page is current, whose rights it has, and what concerns all pages. */
export function Corner() {
  return (
    <div class="corner">
      <span class={`link link-${linkState.value}`} role="status">
        {linkWords[linkState.value]}
      </span>
      {session.value?.isReadOnly === true && <span class="tag">Read only</span>}
      {scope.value !== undefined && <span class="tag">Namespace {scope.value}</span>}
      <Account />
    </div>
  );
}

function Account() {
  const menu = useRef<HTMLDetailsElement>(null);
  const { user, server, version } = session.value ?? {};
  const close = () => menu.current?.removeAttribute("open");
  const leave = ({ relatedTarget }: FocusEvent) => {
    if (!menu.current?.contains(relatedTarget as Node | null)) close();
  };
  const closeByKey = ({ key }: KeyboardEvent) => {
    if (key !== "Escape") return;
    close();
    menu.current?.querySelector("summary")?.focus();
  };
  return (
    <details class="menu" ref={menu} onFocusOut={leave} onKeyDown={closeByKey}>
      <summary>{shortName(user?.name)}</summary>
      <div class="menu-box card" tabIndex={-1}>
        <dl class="facts">
          <dt>User</dt>
          <dd>{user?.name ?? "unknown"}</dd>
          <dt>Cluster</dt>
          <dd>{server ?? "unknown"}</dd>
          <dt>Version</dt>
          <dd>{version}</dd>
        </dl>
        <NamespaceField />
        <button type="button" class="quiet" onClick={nextTheme}>
          {themeWords[theme.value]}
        </button>
        <button type="button" class="quiet" onClick={logout}>
          Log out
        </button>
      </div>
    </details>
  );
}

/** `system:serviceaccount:team-a:viewer` is `viewer`. */
const shortName = (name = "unknown"): string => name.split(":").at(-1) || name;

function NamespaceField() {
  const tables = useTables(servicePaths());
  const own = session.value?.namespace;
  const names = tables.flatMap(({ objects }) => [...objects.values()].map(({ metadata }) => metadata.namespace ?? ""));
  const isRefused = tables.every(({ is }) => is === "refused");
  useEffect(() => {
    if (!isRefused || scope.value !== undefined || own === undefined) return;
    showNamespace(own, `You cannot list services in all namespaces. These pages show namespace ${own}.`);
  }, [isRefused, own]);
  return (
    <label class="field">
      Namespace
      <input
        list="namespaces"
        placeholder="all namespaces"
        autocomplete="off"
        value={scope.value ?? ""}
        onChange={({ currentTarget }) => showNamespace(currentTarget.value)}
      />
      <datalist id="namespaces">
        {[...new Set([...names, own ?? "default"])].sort().map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  );
}
