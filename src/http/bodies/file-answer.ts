/** An answer that is a file, shown in the browser and named for saving. The name holds no text of a caller. */
export class FileAnswer {
  readonly mediaType: string
  readonly name: string
  readonly bytes: Buffer
  constructor(mediaType: string, name: string, bytes: Buffer) {
    this.mediaType = mediaType
    this.name = name
    this.bytes = bytes
  }
}
