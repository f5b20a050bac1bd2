/** A volume that should be there. */
export interface ClaimPlan {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly size: string;
  readonly accessMode: "ReadWriteOnce" | "ReadWriteMany";
  readonly storageClass?: string | undefined;
  /** `owned` goes with the object that wanted it; `shared` stays for others. */
  readonly life: "owned" | "shared";
}
