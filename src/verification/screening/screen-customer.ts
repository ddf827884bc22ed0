import type { ScreeningMatch } from '../../screening/screening.ts'
import type { Submission } from '../submission.ts'
import { documentsToScreen } from './documents-to-screen.ts'
import { namesToScreen } from './names-to-screen.ts'
import type { ScreeningLookups } from './screening-lookups.ts'

/** A wallet outside Svc that a customer has registered. */
export type RegisteredWallet = { customerId: string; paymentAccountId: string; chain: string; address: string }

/** Finds the wallets that customers have registered. */
export type FindWallets = (organizationId: string, customerIds: readonly string[]) => Promise<RegisteredWallet[]>

type Screened = Pick<Submission, 'customerType' | 'identity' | 'profile'> & { wallets: readonly RegisteredWallet[] }

type Lookups = Pick<ScreeningLookups, 'screenAddresses' | 'screenDocuments'>

/** Screens all that a customer is known by: names, document numbers and registered wallets. */
export async function screenCustomer(
  watchList: Lookups & Pick<ScreeningLookups, 'screen'>,
  screened: Screened,
): Promise<ScreeningMatch[]> {
  return [...(await watchList.screen(namesToScreen(screened))), ...(await screenNumbers(watchList, screened))]
}

/** Screens document numbers and wallets, which are compared exactly. */
export async function screenNumbers(
  watchList: Lookups,
  { wallets, ...submitted }: Pick<Screened, 'customerType' | 'identity' | 'wallets'>,
): Promise<ScreeningMatch[]> {
  const documents = await watchList.screenDocuments(documentsToScreen(submitted))
  return [...documents, ...(await screenWallets(watchList, wallets))]
}

/** Screens wallets. The field of a match names the account, so that clearing it clears the account. */
export async function screenWallets(
  watchList: Pick<ScreeningLookups, 'screenAddresses'>,
  wallets: readonly (Pick<RegisteredWallet, 'chain' | 'address'> & { paymentAccountId?: string })[],
): Promise<ScreeningMatch[]> {
  const found = await Promise.all(
    wallets.map(async ({ chain, address, paymentAccountId }) => {
      const matches = await watchList.screenAddresses([{ chain, address }])
      return matches.map((match) => ({ match, field: accountField(paymentAccountId) }))
    }),
  )
  return found.flat().map(({ match: { list, listVersion, programs, entryNumber, listedName }, field }) => ({
    list,
    listVersion,
    programs,
    entryNumber,
    listedName,
    field,
    score: 100,
    strength: 'match' as const,
    reasons: ['the address is on the watch list'],
  }))
}

/** Names a registered account in findings; an unregistered one has no id. */
export function accountField(paymentAccountId = ''): string {
  return `paymentAccounts[${paymentAccountId}]`
}
