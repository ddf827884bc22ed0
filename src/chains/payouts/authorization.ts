import type { TransferAuthorization } from '../../lib/evm/authorization.ts'

/** A signed transfer, as the signer wrote it. */
export type SignedTransfer = Omit<TransferAuthorization, 'validAfter'> & {
  authorizationId: string
  /** The id of the payout. */
  reference: string
  contract: string
  /** Hexadecimal digits. */
  signature: string
}

type Written = Omit<SignedTransfer, 'value' | 'validBefore'> & { value: string; validBefore: string }

/** Writes the bytes of a batch: the authorizations, complete. They are enough to execute the transfers. */
export function writeBatch(transfers: readonly SignedTransfer[]): Buffer {
  const written: Written[] = transfers.map((transfer) => ({
    ...transfer,
    value: String(transfer.value),
    validBefore: String(transfer.validBefore),
  }))
  return Buffer.from(JSON.stringify(written))
}

export function readBatch(content: Buffer): SignedTransfer[] {
  const written = JSON.parse(content.toString('utf8')) as Written[]
  return written.map((transfer) => ({
    ...transfer,
    value: BigInt(transfer.value),
    validBefore: BigInt(transfer.validBefore),
  }))
}
