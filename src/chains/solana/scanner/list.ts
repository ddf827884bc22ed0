import type { SignatureList, Slots, SolanaNode } from '../node.ts'
import type { WatchedAccount } from './account.ts'

/** The most transactions in one list, and the most lists of one account in one turn. */
export const listLength = 1_000
const mostLists = 5

/**
 * Lists the oldest final transactions after the cursor of an account. Nodes list the newest first, so a flooded account is
 * walked back over several turns: `marks` are the oldest transactions of the lists so far, and become fewer again as the
 * cursor follows. Thus no flood makes a turn long, and none is too large.
 */
export async function listFinal(
  node: SolanaNode,
  { account, signature: until }: Pick<WatchedAccount, 'account' | 'signature'>,
  { slots, marks }: { slots: Slots; marks: string[] },
): Promise<SignatureList> {
  for (let lists = 0; lists < mostLists; lists += 1) {
    const before = marks.at(-1) ?? null
    const range = { until, before, commitment: 'finalized', upToSlot: slots.finalized, most: listLength } as const
    const { signatures, isAll } = await node.signaturesOf(account, range)
    const [oldest] = signatures
    if (!isAll && oldest) marks.push(oldest.signature)
    else if (signatures.length > 0 || marks.length === 0) return { signatures, isAll: isAll && marks.length === 0 }
    // The cursor has reached the mark, which begins the next list.
    else marks.pop()
  }
  return { signatures: [], isAll: false }
}
