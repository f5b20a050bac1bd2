import { render } from "preact";
import { App } from "./app.tsx";
import { followAddress } from "./routing/location.ts";
import { startSession } from "./session/session.ts";
import { showTheme } from "./session/theme.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/table.css";
import "./styles/parts.css";

showTheme();
await startSession();
followAddress();
const root = document.getElementById("app");
if (root !== null) render(<App />, root);
