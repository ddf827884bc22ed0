/** A signed transfer, as the signer wrote it. */
export type SignedTransfer = {
  transferId: string
  /** The id of the payout. */
  reference: string
  /** The name of the transaction. */
  signature: string
  raw: Buffer
  /** The height of the last block that can have it. */
  lastValidBlockHeight: bigint
}

type Written = { transferId: string; reference: string; signature: string; raw: string; lastValidBlockHeight: string }

/** Writes the bytes of a batch: whole transactions, which are all that is needed to execute the transfers. */
export function writeBatch(transfers: readonly SignedTransfer[]): Buffer {
  const written: Written[] = transfers.map(({ raw, lastValidBlockHeight, ...rest }) => ({
    ...rest,
    raw: raw.toString('base64'),
    lastValidBlockHeight: String(lastValidBlockHeight),
  }))
  return Buffer.from(JSON.stringify(written))
}

export function readBatch(content: Buffer): SignedTransfer[] {
  const written = JSON.parse(content.toString('utf8')) as Written[]
  return written.map(({ raw, lastValidBlockHeight, ...rest }) => ({
    ...rest,
    raw: Buffer.from(raw, 'base64'),
    lastValidBlockHeight: BigInt(lastValidBlockHeight),
  }))
}
