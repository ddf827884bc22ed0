import type { Queryable } from '../../db/database.ts'
import { createIban } from '../../lib/addresses/iban.ts'
import type { VirtualAccountRange } from '../../lib/settings/bank.ts'
import { readCoordinates } from '../../payment-accounts/bank-accounts/bank-coordinates.ts'
import type { BankCoordinates } from '../../payment-accounts/payment-account.ts'
import type { NumberSeries, VirtualAccounts } from '../../payment-accounts/ports.ts'
import type { BankAccount } from './bank-account.ts'
import { listBankAccounts } from './bank-account-store.ts'

export type VirtualAccountDeps = {
  ranges: readonly VirtualAccountRange[]
  database: Queryable
  /** Counts the numbers of each series that were taken. */
  readTaken(): Promise<ReadonlyMap<string, bigint>>
  onInvalid(bankAccountId: string, problem: string): void
}

type Series = NumberSeries & { range: VirtualAccountRange; account: BankAccount }

/**
 * Issues coordinates from ranges that our banks assigned. The bank books what arrives at them to the account of ours that
 * has the range. Check digits of an IBAN are computed; the other coordinates are those of our own account.
 */
export function createVirtualAccounts(deps: VirtualAccountDeps) {
  const told = new Set<string>()
  const tellOnce = (bankAccountId: string, problem: string) => {
    if (!told.has(`${bankAccountId} ${problem}`)) deps.onInvalid(bankAccountId, problem)
    told.add(`${bankAccountId} ${problem}`)
  }
  const readSeries = async (): Promise<Series[]> => {
    const accounts = await listBankAccounts(deps.database)
    return deps.ranges.flatMap((range) => {
      const account = accounts.find(({ bankAccountId }) => bankAccountId === range.bankAccountId)
      const problem = account ? rangeProblem(account, range, accounts) : 'no such account is connected'
      if (problem !== undefined) tellOnce(range.bankAccountId, problem)
      return account && problem === undefined ? [{ ...seriesOf(range), range, account }] : []
    })
  }
  const virtualAccounts: VirtualAccounts = {
    seriesOf: async (currency) => (await readSeries()).filter(({ account }) => account.currency === currency),
    open: async ({ series, number }) => {
      const found = (await readSeries()).find(({ name }) => name === series)
      if (!found) throw new Error(`no range of virtual accounts is named ${series}`)
      const { account, range } = found
      // Some countries have check digits of their own in the account part of an IBAN: not each number of a range is one.
      if (problemAt(account, range, number) !== undefined) return undefined
      return { bankName: account.bankName, coordinates: coordinatesAt(account, range, number) }
    },
  }
  return {
    ...virtualAccounts,

    /** Counts the numbers that are left in the currency that has the fewest; 0 when a range cannot be used. */
    countFewestLeft: async (): Promise<number> => {
      const taken = await deps.readTaken()
      const left = new Map<string, bigint>()
      const usable = await readSeries()
      if (usable.length < deps.ranges.length) return 0
      for (const { name, size, account } of usable) {
        left.set(account.currency, (left.get(account.currency) ?? 0n) + size - (taken.get(name) ?? 0n))
      }
      return Number([...left.values()].toSorted((a, b) => (a < b ? -1 : 1))[0] ?? 0n)
    },
  }
}

/**
 * True for coordinates of an account of ours, or of a number in one of its ranges, issued or not: money that is paid there
 * comes back to us. Leading zeros of a number count for nothing.
 */
export async function isOurAccount(
  { database, ranges }: Pick<VirtualAccountDeps, 'database' | 'ranges'>,
  currency: string,
  coordinates: BankCoordinates,
): Promise<boolean> {
  const accounts = await listBankAccounts(database)
  return accounts.some((account) => {
    const own = account.files?.coordinates
    if (own === undefined || account.currency !== currency || !isSameBank(own, coordinates)) return false
    const issuing = ranges.filter(({ bankAccountId }) => bankAccountId === account.bankAccountId)
    return isSameAccount(own, coordinates) || issuing.some((range) => contains(range, coordinates))
  })
}

function isSameBank(own: BankCoordinates, other: BankCoordinates): boolean {
  const codes = ['routingNumber', 'ifscCode', 'institutionNumber', 'transitNumber'] as const
  return codes.every((code) => own[code] === other[code])
}

function isSameAccount(own: BankCoordinates, other: BankCoordinates): boolean {
  if (own.iban !== undefined || other.iban !== undefined) return own.iban === other.iban
  if (own.interacEmail !== undefined && own.interacEmail === other.interacEmail) return true
  const [one, two] = [own, other].map(({ accountNumber = '' }) => accountNumber.replace(/^0+/, ''))
  return one !== '' && one === two
}

/** Names a range by its first number, so that a range can be extended. */
function seriesOf({ bankAccountId, first, last }: VirtualAccountRange): NumberSeries {
  return { name: `${bankAccountId} ${first}`, size: digitsOf(last) - digitsOf(first) + 1n }
}

/**
 * Tells why a range cannot be used; undefined when its first and last number give valid coordinates. A number of our own
 * account would give all that arrives there to one customer.
 */
function rangeProblem(
  account: BankAccount,
  range: VirtualAccountRange,
  ownAccounts: readonly BankAccount[],
): string | undefined {
  if (!account.files) return 'the account exchanges no files'
  if (ownAccounts.some((own) => own.currency === account.currency && contains(range, own.files?.coordinates ?? {}))) {
    return 'the range contains the number of an account of ours'
  }
  return problemAt(account, range, 1n) ?? problemAt(account, range, seriesOf(range).size)
}

function problemAt(account: BankAccount, range: VirtualAccountRange, number: bigint): string | undefined {
  const coordinates = coordinatesAt(account, range, number)
  const problems = account.rails.flatMap((rail) => readCoordinates(rail, coordinates).problems)
  // Our account may have a BIC for one of its rails that another rail does not use.
  const problem = problems.find(({ field }) => field !== 'bicSwift')
  return problem && `${problem.field} ${problem.message}`
}

function contains({ first, last }: VirtualAccountRange, { iban, accountNumber = '' }: BankCoordinates): boolean {
  const own = iban === undefined ? accountNumber : iban.slice(0, 2) + iban.slice(4)
  const prefix = first.replace(/\d+$/, '')
  const digits = own.slice(prefix.length)
  if (!own.startsWith(prefix) || !/^\d+$/.test(digits)) return false
  return digitsOf(first) <= BigInt(digits) && BigInt(digits) <= digitsOf(last)
}

/** Computes the coordinates of a number of the range, which begins with 1. */
function coordinatesAt({ files }: BankAccount, { first }: VirtualAccountRange, number: bigint): BankCoordinates {
  const prefix = first.replace(/\d+$/, '')
  const digits = (digitsOf(first) + number - 1n).toString().padStart(first.length - prefix.length, '0')
  const { iban, accountNumber: _, interacEmail: __, ...bank } = files?.coordinates ?? {}
  const text = prefix + digits
  return iban === undefined
    ? { ...bank, accountNumber: text }
    : { ...bank, iban: createIban(text.slice(0, 2), text.slice(2)) }
}

function digitsOf(text: string): bigint {
  return BigInt(/\d+$/.exec(text)?.[0] ?? 0)
}
