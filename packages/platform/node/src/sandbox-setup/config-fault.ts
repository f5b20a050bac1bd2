/** Why a container cannot be made yet: something its spec names is not there. The words are those of a kubelet. */
export class ConfigFault extends Error {
  readonly reason: string;

  constructor(message: string, reason = "CreateContainerConfigError") {
    super(message);
    this.reason = reason;
    this.name = "ConfigFault";
  }
}
