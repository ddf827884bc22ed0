import type { BankDetails } from '../../../payment-accounts/payment-account.ts'
import type { Originator, PayoutOrder } from '../../payouts/rail.ts'
import type { OutgoingPayment, PostalAddress } from '../formats.ts'

/** Writes an order as a payment of a file. */
export function toPayment({ shortReference, amount, destination, originator, memo }: PayoutOrder): OutgoingPayment {
  if (destination.type !== 'BANK') throw new Error(`${shortReference} does not go to a bank account`)
  const { details } = destination
  return {
    reference: shortReference,
    amount,
    receiver: receiverOf(details, originator),
    originator: { name: originator.name, ...(originator.address ? { address: toAddress(originator.address) } : {}) },
    memo,
  }
}

/** The owner of an account that names none is the customer. */
function receiverOf(
  { coordinates, bankAccountType, bankName, owner, ownerName }: BankDetails,
  customer: Originator,
): OutgoingPayment['receiver'] {
  return {
    name: ownerName,
    isBusiness: owner ? owner.type === 'BUSINESS' : customer.isBusiness === true,
    coordinates,
    bankAccountType,
    ...(owner?.address ? { address: toAddress(owner.address) } : {}),
    ...(bankName ? { bankName } : {}),
  }
}

const fields = ['countryCode', 'streetLine1', 'streetLine2', 'city', 'stateRegionProvince', 'postalCode'] as const

function toAddress(address: object): PostalAddress {
  const given = address as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    fields.flatMap((field) => (typeof given[field] === 'string' ? [[field, given[field]]] : [])),
  )
}
