import type { SignatureInfo } from '../node.ts'

/**
 * Facts about accounts that a scanner keeps between two turns, while it holds the network. Losing them costs requests, and
 * nothing else.
 */
export type Remembered = ReturnType<typeof createMemory>

export function createMemory() {
  const marks = new Map<string, string[]>()
  const judged = new Map<string, ReadonlySet<string>>()
  const nameOf = ({ signature, slot }: Pick<SignatureInfo, 'signature' | 'slot'>) => `${signature} ${slot}`
  return {
    nameOf,

    /** The marks of the walk back over the transactions of an account: see `listFinal`. */
    marksOf: (account: string): string[] => {
      const found = marks.get(account) ?? []
      marks.set(account, found)
      return found
    },

    /** The flooded accounts, the one that waits longest first. */
    flooded: (): string[] => [...marks.keys()].filter((account) => (marks.get(account)?.length ?? 0) > 0),

    /** Tells whether a transaction that is not final was judged in this slot. A fork may move it to another one. */
    isJudged: (account: string, listed: SignatureInfo): boolean => judged.get(account)?.has(nameOf(listed)) ?? false,

    /** Keeps what the news of an account, now recorded, has judged. */
    keep: (account: string, names: ReadonlySet<string>): void => {
      if (names.size > 0) judged.set(account, names)
      else judged.delete(account)
      const found = marks.get(account) ?? []
      marks.delete(account)
      if (found.length > 0) marks.set(account, found)
    },

    clear: (): void => {
      marks.clear()
      judged.clear()
    },
  }
}
