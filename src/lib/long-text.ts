/** A long text, usually a document image, kept as the received bytes instead of a JavaScript string. */
export class LongText {
  /** The content of the JSON string, with its escapes. */
  readonly pieces: readonly Buffer[]
  readonly byteLength: number
  constructor(pieces: readonly Buffer[]) {
    this.pieces = pieces
    this.byteLength = pieces.reduce((sum, piece) => sum + piece.length, 0)
  }
}
