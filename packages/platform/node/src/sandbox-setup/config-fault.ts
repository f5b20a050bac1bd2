/** Why a container cannot be made yet: something its spec names is not there. The words are those of a kubelet. */
export class ConfigFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ConfigFault";
  }
}
