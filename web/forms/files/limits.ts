/** The limits of a document: those of the API, and the longest side up to which small print stays readable. */
export const limits = {
  leastBytes: 100_000,
  mostBytes: 10_485_760,
  leastPixels: 200,
  longestSide: 4_000,
  mostPixels: 24_000_000,
  /** Larger photos are encoded anew, so that they do not take minutes on a slow network. */
  heavyBytes: 3_000_000,
}

/** Four pages side by side and below each other stay readable within the longest side. */
export const pagesPerPicture = 4

/** A file that cannot be used; the message tells the customer what to do. */
export class CannotUse extends Error {}
