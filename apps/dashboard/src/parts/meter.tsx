import type { Amount } from "../nodes/capacity.ts";

export interface MeterProps extends Amount {
  readonly label: string;
  format(value: number): string;
}

/** For a page with meters: a request is what the scheduler reserves, whatever the pod uses of it. */
export const whatMetersCount = "Requested by pods, of what nodes can allocate";

/** How much of something is requested, as a bar and in figures. */
export function Meter({ label, used, offered, format }: MeterProps) {
  const share = offered === 0 ? 0 : Math.min(1, used / offered);
  const isNone = offered === 0 && used === 0;
  return (
    <div class="meter">
      <span class="meter-label">{label}</span>
      {isNone ? (
        <span />
      ) : (
        <span class="meter-bar" aria-hidden="true">
          <span class={share > 0.9 ? "bar-fill bar-full" : "bar-fill"} style={{ width: `${share * 100}%` }} />
        </span>
      )}
      <span class="meter-figures">{isNone ? "none" : `${format(used)} of ${format(offered)}`}</span>
    </div>
  );
}

const units = ["", "Ki", "Mi", "Gi", "Ti"];

/** In the units of Kubernetes. */
export function formatBytes(bytes: number): string {
  const unit = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  const value = bytes / 1024 ** unit;
  return `${unit === 0 ? Math.round(value) : value.toFixed(1)}${units[unit]}`;
}

export const formatCount = (value: number): string => value.toLocaleString(undefined, { maximumFractionDigits: 2 });
