/** The outcome of one check, with what to do where something is not in order. */
export interface Finding {
  readonly check: string;
  readonly is: "ok" | "warning" | "problem";
  readonly found: string;
  /** An instruction. */
  readonly fix?: string | undefined;
}

export const ok = (check: string, found: string): Finding => ({ check, is: "ok", found });
export const warning = (check: string, found: string, fix: string): Finding => ({ check, is: "warning", found, fix });
export const problem = (check: string, found: string, fix: string): Finding => ({ check, is: "problem", found, fix });
