import { effect, signal } from "@preact/signals";
import { parseRoute, type Route } from "./route.ts";

/** The page that the address names. */
export const route = signal<Route>(parseRoute(location.hash));

/** Follows the address, and moves the focus to the page's heading: a screen reader then reads the new page. */
export function followAddress(): void {
  // It may have changed while the session was opened.
  route.value = parseRoute(location.hash);
  addEventListener("hashchange", () => {
    const before = route.value;
    route.value = parseRoute(location.hash);
    if (before.page !== route.value.page) requestAnimationFrame(showPage);
  });
}

effect(() => {
  const current = route.value;
  const name = current.page === "service" ? current.name : current.page[0]?.toUpperCase() + current.page.slice(1);
  document.title = `${name} · Trivium`;
});

function showPage(): void {
  scrollTo(0, 0);
  document.querySelector<HTMLElement>("main h1")?.focus();
}
