import type { FiatRail } from '../../catalog/currencies.ts'
import { badField } from '../../lib/refusal.ts'
import type { BankDetails } from '../../payment-accounts/payment-account.ts'
import type { OpenAccount } from '../../payment-accounts/sealed-account.ts'
import { nameOf } from './accounts.ts'
import type { HeldAccount } from './formats.ts'
import type { IncomingTransfer } from './service.ts'

type Sent = {
  rail: FiatRail
  amount: bigint
  reference?: string
  senderName?: string
  entryReference?: string
}

/**
 * Describes the transfer that the owner of an external account sends to us, or that a stranger sends to a virtual
 * account. The bank writes it as a notification.
 */
export function describeTransfer(
  accounts: readonly HeldAccount[],
  { account, profile }: OpenAccount,
  details: BankDetails | undefined,
  { rail, amount, reference, senderName, entryReference }: Sent,
): IncomingTransfer {
  const held = accounts.find(({ rails }) => rails.includes(rail))
  if (!held) throw badField('rail', 'is served by no bank account of this deployment')
  if (entryReference !== undefined && entryReference.length > 35) {
    throw badField('entryReference', 'must have at most 35 characters: banks give no longer references')
  }
  const isVirtual = account.paymentAccountType === 'SVC_AUTO_FIAT_ACCOUNT'
  const name = senderName ?? details?.ownerName
  return {
    account: held,
    rail,
    amount,
    ...(entryReference === undefined ? {} : { bankReference: entryReference }),
    sender: {
      ...(name === undefined ? {} : { name }),
      ...(details ? { account: nameOf(details.coordinates) } : {}),
    },
    ...(isVirtual && profile?.coordinates ? { ownAccount: nameOf(profile.coordinates) } : {}),
    ...(reference === undefined ? {} : { text: reference }),
  }
}
