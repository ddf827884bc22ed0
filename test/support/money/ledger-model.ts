import type { AccountName } from '../../../src/ledger/account.ts'
import type { NewPosting, NewReserve } from '../../../src/ledger/posting.ts'

/** An independent model of the ledger: maps, one command after the other, no database. */
export type LedgerModel = ReturnType<typeof makeLedgerModel>

type Reserve = { account: string; amount: bigint; status: 'OPEN' | 'CAPTURED' | 'RELEASED' }

const keyOf = ({ kind, holder, asset }: AccountName) => `${kind} ${holder} ${asset}`
const mayRunOut = (account: string) => account.startsWith('WALLET ')
const contentOf = ({ fact, captures, entries }: NewPosting) =>
  JSON.stringify([fact, captures ?? null, entries.map((entry) => [keyOf(entry), String(entry.amount)])])

export function makeLedgerModel() {
  const posted = new Map<string, bigint>()
  const postings = new Map<string, string>()
  const reserves = new Map<string, Reserve>()
  let entries = 0

  const reservedOf = (account: string) =>
    [...reserves.values()]
      .filter((each) => each.status === 'OPEN' && each.account === account)
      .reduce((sum, each) => sum + each.amount, 0n)
  const availableOf = (account: string) => (posted.get(account) ?? 0n) - reservedOf(account)

  const post = (posting: NewPosting): string => {
    const before = postings.get(posting.reference)
    if (before !== undefined) return before === contentOf(posting) ? 'REPLAYED' : 'CONFLICT'
    const changes = new Map<string, bigint>()
    for (const entry of posting.entries) {
      changes.set(keyOf(entry), (changes.get(keyOf(entry)) ?? 0n) + entry.amount)
    }
    const reserve = posting.captures === undefined ? undefined : reserves.get(posting.captures)
    if (posting.captures !== undefined && reserve?.status !== 'OPEN') return 'RESERVE_NOT_OPEN'
    if (reserve) {
      const taken = -(changes.get(reserve.account) ?? 0n)
      if (taken <= 0n || taken > reserve.amount) return 'RESERVE_MISMATCH'
    }
    const isShort = [...changes].some(([account, change]) => {
      const freed = reserve?.account === account ? reserve.amount : 0n
      return mayRunOut(account) && availableOf(account) + freed + change < 0n
    })
    if (isShort) return 'INSUFFICIENT'
    if (reserve) reserve.status = 'CAPTURED'
    for (const [account, change] of changes) posted.set(account, (posted.get(account) ?? 0n) + change)
    postings.set(posting.reference, contentOf(posting))
    entries += posting.entries.length
    return 'POSTED'
  }

  return {
    post,

    reserve: ({ reference, account, amount }: NewReserve): string => {
      const key = keyOf(account)
      const before = reserves.get(reference)
      if (before?.account === key && before.amount === amount) return before.status === 'OPEN' ? 'REPLAYED' : 'RESOLVED'
      if (before || availableOf(key) < amount) return before ? 'CONFLICT' : 'INSUFFICIENT'
      reserves.set(reference, { account: key, amount, status: 'OPEN' })
      return 'RESERVED'
    },

    release: (reference: string): string => {
      const reserve = reserves.get(reference)
      if (!reserve) return 'UNKNOWN'
      if (reserve.status !== 'OPEN') return reserve.status === 'CAPTURED' ? 'CAPTURED' : 'REPLAYED'
      reserve.status = 'RELEASED'
      return 'RELEASED'
    },

    /** The whole state, in the shape that readLedger returns. */
    state: () => ({
      accounts: Object.fromEntries(
        [...posted].map(([account, amount]) => [account, `${amount} ${reservedOf(account)}`]).sort(),
      ),
      reserves: Object.fromEntries(
        [...reserves].map(([reference, { status, amount }]) => [reference, `${status} ${amount}`]).sort(),
      ),
      postings: postings.size,
      entries,
    }),
  }
}
