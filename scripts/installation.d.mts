export interface MachineKind {
  readonly platform: string;
  readonly arch: string;
}
export function isInstalled(root: string, machine?: MachineKind): boolean;
export function markInstalled(root: string): void;
export function withInstallLock<T>(
  root: string,
  act: () => T,
  options?: { readonly onWait?: (pid: number) => void },
): T;
