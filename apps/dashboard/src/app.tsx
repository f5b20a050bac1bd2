import { Corner } from "./corner.tsx";
import { scopeNotice } from "./kube/scope.ts";
import { OverviewPage } from "./overview/overview-page.tsx";
import { LazyPage } from "./parts/lazy-page.tsx";
import { TabLinks } from "./parts/tab-links.tsx";
import { route } from "./routing/location.ts";
import { formatRoute, type Route } from "./routing/route.ts";
import { ServicesPage } from "./services/services-page.tsx";
import { Login } from "./session/login.tsx";
import { session } from "./session/session.ts";

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
        <TabLinks
          label="Pages"
          links={pages.map(([page, title]) => ({ title, href: formatRoute({ page }), isCurrent: isCurrent(page) }))}
        />
        <Corner />
      </header>
      {scopeNotice.value !== "" && (
        <aside class="strip" aria-label="Namespace">
          <p role="status">{scopeNotice.value} Choose another one in the menu.</p>
        </aside>
      )}
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
