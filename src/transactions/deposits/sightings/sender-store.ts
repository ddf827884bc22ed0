import type { Queryable } from '../../../db/database.ts'
import type { SightingKey } from './sighting.ts'

/** Finds the address that sent a deposit; null for banks. */
export async function findSenderAddress(
  database: Queryable,
  { method, book, externalId }: SightingKey,
): Promise<string | null> {
  const [sighting] = await database.query<{ fromAddress: string | null }>({
    name: 'find sender address',
    text: `select from_address as "fromAddress" from svc.sightings
            where method = $1 and book = $2 and external_id = $3`,
    values: [method, book, externalId],
  })
  return sighting?.fromAddress ?? null
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
