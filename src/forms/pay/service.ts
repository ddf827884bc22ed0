import type { TransactionService } from '../../transactions/service.ts'
import { readTransferToken } from './link.ts'
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
  const find = async (transactionId: string): Promise<Transfer | undefined> => (await readTransfers([transactionId]))[0]
  return {
    /** Finds the transfer of a transaction that a session names. */
    find,

    /** Finds the transfer whose link this is; undefined when the link is invalid. */
    findByLink: async (token: string): Promise<Transfer | undefined> => {
      const transactionId = readTransferToken(linkKey, token)
      return transactionId === undefined ? undefined : find(transactionId)
    },

    streams: createPayStreams({ readTransfers, ...deps }),
  }
}
