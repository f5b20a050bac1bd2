import { useEffect } from "preact/hooks";
import { servicePaths } from "./kube/dialects.ts";
import { linkState, use } from "./live/live-store.ts";
import { OverviewPage } from "./overview/overview-page.tsx";
import { LazyPage } from "./parts/lazy-page.tsx";
import { route } from "./routing/location.ts";
import { formatRoute, type Route } from "./routing/route.ts";
import { ServicesPage } from "./services/services-page.tsx";
import { Login } from "./session/login.tsx";
import { session } from "./session/session.ts";
import { nextTheme, theme } from "./session/theme.ts";

const pages: readonly (readonly [Exclude<Route["page"], "service">, string])[] = [
  ["overview", "Overview"],
  ["services", "Services"],
  ["models", "Models"],
  ["nodes", "Nodes"],
  ["plan", "Plan"],
  ["benchmarks", "Benchmarks"],
];

export function App() {
  if (session.value === undefined || session.value.needsLogin) return <Login />;
  return (
    <div class="app">
      <button type="button" class="skip" onClick={skip}>
        Skip to content
      </button>
      <header class="bar">
        <a class="brand" href="#/overview">
          <img src="./icon.svg" alt="" width="22" height="22" /> Trivium
        </a>
        <nav aria-label="Pages">
          <ul>
            {pages.map(([page, title]) => (
              <li key={page}>
                <a href={formatRoute({ page })} aria-current={isCurrent(page) ? "page" : undefined}>
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <Corner />
      </header>
      <main id="main" tabIndex={-1}>
        <Page />
      </main>
    </div>
  );
}

/** The address belongs to the pages, so this is no link. */
function skip(): void {
  document.getElementById("main")?.focus();
}

const isCurrent = (page: Route["page"]): boolean =>
  route.value.page === page || (route.value.page === "service" && page === "services");

const linkWords = { connecting: "Connecting …", live: "Live", broken: "Reconnecting …" } as const;

function Corner() {
  // Every page has a stream, and the services are known when their page is shown.
  useEffect(() => use(servicePaths), []);
  return (
    <div class="corner">
      <span class={`link link-${linkState.value}`} role="status">
        {linkWords[linkState.value]}
      </span>
      {session.value?.isReadOnly === true && <span class="tag">Read only</span>}
      <button type="button" class="quiet" onClick={nextTheme}>
        {{ system: "Theme: auto", light: "Theme: light", dark: "Theme: dark" }[theme.value]}
      </button>
    </div>
  );
}

function Page() {
  const current = route.value;
  switch (current.page) {
    case "overview":
      return <OverviewPage />;
    case "services":
      return <ServicesPage />;
    default:
      return <LazyPage route={current} />;
  }
}
