/** The peer broke the protocol of its connection, which ends with it. */
export class ProtocolFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ProtocolFault";
  }
}
