import type { Queryable } from '../../db/database.ts'
import { type FieldProblem, Refusal, unavailable } from '../../lib/refusal.ts'
import type { PaymentAccountDeps } from '../access.ts'
import { hashIssued, hashReceiving } from '../account-hash.ts'
import type { BankCoordinates, BankDetails } from '../payment-account.ts'
import type { NumberSeries, VirtualAccount } from '../ports.ts'
import * as store from './virtual-account-store.ts'

type Wanted = { organizationId: string; paymentAccountId: string; currency: string }
export type OpenVirtualAccount = VirtualAccount & { receivingHash: Buffer }

const hour = 3_600
/** Numbers that were issued before or are not valid are passed in steps of this size, one step per request. */
const maxPassed = 1_000

/**
 * Opens a virtual account with the next number of the bank's range. Coordinates are issued once in the whole deployment:
 * the primary key of svc.virtual_accounts decides, whichever process asks. A number whose account is never stored stays
 * unused. An organization opens only so many: its share is a series, too, and is counted last, so that a range that is used
 * up costs no share.
 */
export async function openVirtualAccount(deps: PaymentAccountDeps, wanted: Wanted): Promise<OpenVirtualAccount> {
  const { currency } = wanted
  const share = { name: `organization ${wanted.organizationId}`, size: BigInt(deps.mostVirtualAccounts) }
  if (((await store.readTakenNumbers(deps.database, share.name)).get(share.name) ?? 0n) >= share.size)
    throw noShare(share)
  const allSeries = (await deps.virtualAccounts?.seriesOf(currency)) ?? []
  if (allSeries.length === 0) {
    throw unavailable(`This deployment has no bank that opens auto fiat accounts in ${currency}`, hour)
  }
  for (const series of allSeries) {
    const opened = await openIn(deps, series, wanted)
    if (!opened) continue
    if ((await store.takeVirtualAccountNumber(deps.database, share)) === undefined) throw noShare(share)
    return opened
  }
  throw unavailable(`No account number in ${currency} is left: the range that the bank assigned is used up`, hour)
}

function noShare({ size }: NumberSeries): Refusal {
  return new Refusal('CONFLICT', `Your organization has opened ${size} auto fiat accounts, and can open no more`)
}

async function openIn(
  { database, virtualAccounts, hashKey }: PaymentAccountDeps,
  series: NumberSeries,
  { paymentAccountId, currency }: Wanted,
): Promise<OpenVirtualAccount | undefined> {
  for (let attempt = 0; attempt < maxPassed; attempt += 1) {
    const number = await store.takeVirtualAccountNumber(database, series)
    if (number === undefined) return undefined
    const opened = await virtualAccounts?.open({ paymentAccountId, currency, series: series.name, number })
    if (!opened) continue
    const receivingHash = hashReceiving(hashKey, currency, opened.coordinates)
    if (!receivingHash) throw new Error(`series ${series.name} gives no account that a bank could name`)
    const accountHash = hashIssued(hashKey, currency, opened.coordinates)
    if (await store.issueCoordinates(database, { receivingHash, accountHash }, paymentAccountId))
      return { ...opened, receivingHash }
  }
  throw unavailable('Many account numbers of this range were issued before or are not valid: retry', 1)
}

/** True when a virtual account ever had this number in the currency, at whichever bank; also a deleted one. */
export async function wasNumberIssued(
  hashKey: Buffer,
  on: Queryable,
  currency: string,
  coordinates: BankCoordinates,
): Promise<boolean> {
  const receivingHash = hashReceiving(hashKey, currency, coordinates)
  return receivingHash !== null && store.wasIssued(on, { receivingHash })
}

/** Refuses coordinates of ours, and those that we have issued or will issue: money that is paid there comes back to us. */
export async function issuedProblems(
  { database, hashKey, isOurAccount }: PaymentAccountDeps,
  { currency, coordinates }: BankDetails,
): Promise<FieldProblem[]> {
  const accountHash = hashIssued(hashKey, currency, coordinates)
  const field = coordinates.iban === undefined ? 'accountNumber' : 'iban'
  if (await store.wasIssued(database, { accountHash }))
    return [{ field, message: 'must not be an account that this service has issued' }]
  if (await isOurAccount(currency, coordinates)) return [{ field, message: 'must not be an account of this service' }]
  return []
}
