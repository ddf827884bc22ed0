import { NodeError } from '../../../lib/chains/node-error.ts'
import type { SignatureInfo, SolanaNode } from '../node.ts'

/** The part of a node that tells the past of an account. */
export type HistoryNode = Pick<SolanaNode, 'slots' | 'signaturesOf' | 'transactions'>

const pageSize = 1_000
const together = 50

/** The nodes as a rescan needs them. */
export function withHistory(node: HistoryNode) {
  return {
    slots: node.slots,
    requireHistory: (account: string, finalSlot: bigint) => requireHistory(node, account, finalSlot),
  }
}

/** Throws unless the nodes have the transactions of a token account from the first one on: it began without tokens. */
async function requireHistory(node: HistoryNode, account: string, finalSlot: bigint): Promise<void> {
  const lacking = new NodeError('incomplete', `the nodes lack the first transactions of the token account ${account}`)
  const oldest = (await readOldest(node, account, finalSlot)).filter(({ isFailed }) => !isFailed)
  for (let at = 0; at < oldest.length; at += together) {
    const signatures = oldest.slice(at, at + together).map(({ signature }) => signature)
    for (const transaction of await node.transactions(signatures, 'finalized')) {
      if (!transaction) throw lacking
      const balance = transaction.balances.find((each) => each.account === account)
      // Some transactions name the account without moving its tokens.
      if (!balance) continue
      if (balance.before === 0n) return
      throw lacking
    }
  }
  throw lacking
}

/** Reads the oldest page of an account's transactions. */
async function readOldest(node: HistoryNode, account: string, upToSlot: bigint): Promise<SignatureInfo[]> {
  let oldest: SignatureInfo[] = []
  for (;;) {
    const before = oldest[0]?.signature ?? null
    const range = { until: null, before, commitment: 'finalized', upToSlot, most: pageSize } as const
    const { signatures, isAll } = await node.signaturesOf(account, range)
    if (signatures.length > 0) oldest = signatures
    if (isAll || signatures.length === 0) return oldest
  }
}
