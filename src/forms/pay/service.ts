import type { TransactionService } from '../../transactions/service.ts'
import { type NamedLink, readTransferToken } from './link.ts'
import { createPayStreams, type PayStreamLimits } from './streams.ts'
import type { Transfer } from './transfer.ts'

export type PayDeps = {
  transactions: Pick<TransactionService, 'readTransfers'>
  linkKey: Buffer
  onError(error: unknown): void
  limits?: Partial<PayStreamLimits>
}

export type PayService = ReturnType<typeof createPayService>

/** Shows payers what their transaction awaits. */
export function createPayService({ transactions, linkKey, ...deps }: PayDeps) {
  const { readTransfers } = transactions
  const find = async ({ transactionId, linkVersion }: NamedLink): Promise<Transfer | undefined> => {
    const [transfer] = await readTransfers([transactionId])
    return transfer?.linkVersion === linkVersion ? transfer : undefined
  }
  return {
    /** Finds the transfer that a session names; undefined when its link was revoked. */
    find,

    /** Finds the transfer whose link this is; undefined when the link is invalid or revoked. */
    findByLink: async (token: string): Promise<Transfer | undefined> => {
      const named = readTransferToken(linkKey, token)
      return named && find(named)
    },

    streams: createPayStreams({ readTransfers, ...deps }),
  }
}
