/** The command line that a unit runs. */
export interface UnitCommand {
  readonly program: readonly string[];
  readonly home: string;
  readonly options: readonly string[];
}

const wordsOf = ({ program, home, options }: UnitCommand): string[] => [...program, "up", "--home", home, ...options];

/** A user unit of systemd. Its pods are processes of their own and outlive a restart, so only the control plane is stopped. */
export function systemdUnit(command: UnitCommand): string {
  return `[Unit]
Description=Trivium control plane
After=network.target

[Service]
ExecStart=${wordsOf(command).map(quoteForSystemd).join(" ")}
Restart=on-failure
RestartSec=5
KillMode=mixed
TimeoutStopSec=120

[Install]
WantedBy=default.target
`;
}

/** In systemd a percent sign and a dollar sign have a meaning of their own, in quotes too. */
function quoteForSystemd(word: string): string {
  const escaped = word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%").replaceAll("$", "$$$$");
  return /^[\w@+=:,./%$-]+$/.test(escaped) ? escaped : `"${escaped}"`;
}

export const launchdLabel = "dev.trivium.control-plane";

/** An agent of launchd. */
export function launchdAgent(command: UnitCommand): string {
  const words = wordsOf(command).map((word) => `    <string>${escapeXml(word)}</string>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${launchdLabel}</string>
  <key>ProgramArguments</key>
  <array>
${words.join("\n")}
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
</dict>
</plist>
`;
}

const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
