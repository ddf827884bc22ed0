/** A text too long to be worth a JavaScript string: document images, mostly. Kept as the bytes that came in. */
export class LongText {
  /** The inside of a JSON string as it was written, escapes and all. */
  readonly pieces: readonly Buffer[]
  readonly byteLength: number
  constructor(pieces: readonly Buffer[]) {
    this.pieces = pieces
    this.byteLength = pieces.reduce((sum, piece) => sum + piece.length, 0)
  }
}
