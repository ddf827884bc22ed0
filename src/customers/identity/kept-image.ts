import type { StoredImage } from './identity.ts'

/** A file that was checked and stored before its submission. No JSON of a caller can hold one. */
export class KeptImage {
  readonly stored: StoredImage
  constructor(stored: StoredImage) {
    this.stored = stored
  }
}
