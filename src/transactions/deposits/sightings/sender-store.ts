import type { Queryable, Tx } from '../../../db/database.ts'
import type { SenderMatch } from '../../screening/screening.ts'
import type { Sighting, SightingKey } from './sighting.ts'

/** The kept facts about the sender of a transfer. */
export type KeptSender = Pick<Sighting, 'fromAddress' | 'otherSenders' | 'sealedSender' | 'senderMatches'>

/** Finds what is kept about the sender of a deposit. */
export async function findSender(database: Queryable, { method, book, externalId }: SightingKey): Promise<KeptSender> {
  const [sender] = await database.query<KeptSender>({
    name: 'find sender of deposit',
    text: `select from_address as "fromAddress", other_senders as "otherSenders", sealed_sender as "sealedSender", sender_matches as "senderMatches"
             from svc.sightings where method = $1 and book = $2 and external_id = $3`,
    values: [method, book, externalId],
  })
  return sender ?? { fromAddress: null, otherSenders: [], sealedSender: null, senderMatches: [] }
}

/** Records the entries that a sender matches. Its name is not needed any more. */
export async function recordScreening(
  tx: Tx,
  { method, book, externalId }: SightingKey,
  senderMatches: readonly SenderMatch[],
): Promise<void> {
  await tx.query({
    name: 'record screening of sender',
    text: `update svc.sightings set sender_matches = $4, sealed_sender = null
            where method = $1 and book = $2 and external_id = $3`,
    values: [method, book, externalId, JSON.stringify(senderMatches)],
  })
}

/** Forgets the name of a sender: an operator has decided about the deposit. */
export async function forgetSender(tx: Tx, { method, book, externalId }: SightingKey): Promise<void> {
  await tx.query({
    name: 'forget sender',
    text: `update svc.sightings set sealed_sender = null
            where method = $1 and book = $2 and external_id = $3 and sealed_sender is not null`,
    values: [method, book, externalId],
  })
}

/** Removes the entries that senders of an erased customer's deposits match: one may reveal the customer's name. */
export async function eraseSenderMatches(tx: Tx, organizationId: string, customerId: string): Promise<void> {
  await tx.query({
    name: 'erase matches of senders',
    text: `update svc.sightings as sighting set sender_matches = '[]'
             from svc.deposits as deposit
            where deposit.organization_id = $1 and deposit.customer_id = $2 and sighting.method = deposit.method
              and sighting.book = deposit.book and sighting.external_id = deposit.external_id
              and sighting.sender_matches <> '[]'`,
    values: [organizationId, customerId],
  })
}

/** Finds the wallet that a customer registered under this address, on any network that shares it. */
export async function findSenderWallet(
  database: Queryable,
  { organizationId, customerId }: { organizationId: string; customerId: string },
  address: string,
): Promise<string | undefined> {
  const [wallet] = await database.query<{ paymentAccountId: string }>({
    name: 'find sender wallet',
    text: `select payment_account_id as "paymentAccountId" from svc.payment_accounts
            where organization_id = $1 and customer_id = $2 and address = $3
              and payment_account_type = 'EXTERNAL_CRYPTO_WALLET'
            order by status, payment_account_id limit 1`,
    values: [organizationId, customerId, address],
  })
  return wallet?.paymentAccountId
}
