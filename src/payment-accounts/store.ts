import type { Queryable, Tx } from '../db/database.ts'
import type { Check } from '../db/verify.ts'
import { Refusal } from '../lib/refusal.ts'
import { externalIdTaken, isExternalIdTaken } from '../lib/resources/own-data.ts'
import type { PaymentAccount, PaymentAccountStatus } from './payment-account.ts'

export const columns = `account.organization_id as "organizationId", account.payment_account_id as "paymentAccountId",
  account.customer_id as "customerId", account.payment_account_type as "paymentAccountType", account.status,
  account.version, account.is_third_party as "isThirdParty", account.currency, account.payment_method as "paymentMethod",
  account.wallet_type as "walletType", account.address,
  account.destination_payment_account_id as "destinationPaymentAccountId",
  account.destination_currency as "destinationCurrency",
  account.destination_payment_method as "destinationPaymentMethod", account.data_key_id as "dataKeyId",
  account.sealed_profile as "sealedProfile", account.sealed_details as "sealedDetails",
  account.details_version as "detailsVersion", account.account_hash as "accountHash", account.seal, account.link_version as "linkVersion",
  account.created_at as "createdAt", account.deactivated_at as "deactivatedAt", account.external_id as "externalId",
  case when account.payment_account_type = 'SVC_AUTO_FIAT_ACCOUNT' then (
    select customer.allowed_methods from svc.customers as customer
     where customer.organization_id = account.organization_id and customer.customer_id = account.customer_id) end
    as "allowedMethods"`

export type NewAccount = Omit<
  PaymentAccount,
  'version' | 'linkVersion' | 'createdAt' | 'deactivatedAt' | 'seal' | 'detailsVersion' | 'allowedMethods'
> & {
  /** The statuses in which the customer may have new accounts, checked by the insert. */
  customerStatuses: readonly string[]
  receivingHash: Buffer | null
  /** The key that opens an auto fiat account; null for every other account. */
  apiKeyId: string | null
}

/**
 * Inserts an account; undefined when the customer may no longer have new accounts. The statement locks the customer, so
 * that no other process stops or erases it before the commit.
 */
export async function insertAccount(tx: Tx, account: NewAccount): Promise<PaymentAccount | undefined> {
  const [inserted] = await refusingDuplicates(
    tx.query<PaymentAccount>({
      name: 'insert payment account',
      text: `insert into svc.payment_accounts as account (organization_id, payment_account_id, customer_id,
               payment_account_type, status, is_third_party, currency, payment_method, wallet_type, address,
               destination_payment_account_id, destination_currency, destination_payment_method, account_hash,
               data_key_id, sealed_profile, sealed_details, receiving_hash, requested_at, created_at, external_id,
               api_key_id)
             select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $19, svc.now(),
                    case when $5 = 'ACTIVE' then svc.now() end, $20, $21
               from (select customer_id from svc.customers
                      where organization_id = $1 and customer_id = $3 and status = any($18) and erased_at is null
                        for share) as customer
          returning ${columns}`,
      values: [
        account.organizationId,
        account.paymentAccountId,
        account.customerId,
        account.paymentAccountType,
        account.status,
        account.isThirdParty,
        account.currency,
        account.paymentMethod,
        account.walletType,
        account.address,
        account.destinationPaymentAccountId,
        account.destinationCurrency,
        account.destinationPaymentMethod,
        account.accountHash,
        account.dataKeyId,
        account.sealedProfile,
        account.sealedDetails,
        account.customerStatuses,
        account.receivingHash,
        account.externalId,
        account.apiKeyId,
      ],
    }),
  )
  return inserted
}

export type AccountCompletion = {
  organizationId: string
  paymentAccountId: string
  customerId: string
  from: readonly PaymentAccountStatus[]
  currency: string
  paymentMethod: string
  accountHash: Buffer
  /** The link version with which the account was read: a link that was revoked since completes nothing. */
  linkVersion: number
  sealedProfile: Buffer
  sealedDetails: Buffer
  saveHash: Buffer | null
  customerStatuses: readonly string[]
}

/** Completes a PENDING account. Undefined when it is no longer PENDING or the customer may have no new accounts. */
export async function completeAccount(tx: Tx, account: AccountCompletion): Promise<PaymentAccount | undefined> {
  const [completed] = await refusingDuplicates(
    tx.query<PaymentAccount>({
      name: 'complete payment account',
      text: `select ${columns}
               from (select customer_id from svc.customers
                      where organization_id = $1 and customer_id = $10 and status = any($9) and erased_at is null
                        for share) as customer
              cross join lateral svc.complete_payment_account($1, $2, customer.customer_id, $3, $4, $5, $6, $7, $8, $11, $12)
                 as account`,
      values: [
        account.organizationId,
        account.paymentAccountId,
        account.from,
        account.currency,
        account.paymentMethod,
        account.accountHash,
        account.sealedProfile,
        account.sealedDetails,
        account.customerStatuses,
        account.customerId,
        account.saveHash,
        account.linkVersion,
      ],
    }),
  )
  return completed
}

export async function findAccount(
  database: Queryable,
  organizationIds: readonly string[],
  paymentAccountId: string,
): Promise<PaymentAccount | undefined> {
  return (await findAccounts(database, organizationIds, [paymentAccountId]))[0]
}

export function findAccounts(
  database: Queryable,
  organizationIds: readonly string[],
  paymentAccountIds: readonly string[],
): Promise<PaymentAccount[]> {
  return database.query<PaymentAccount>({
    name: 'find payment accounts',
    text: `select ${columns} from svc.payment_accounts as account
            where account.organization_id = any($1) and account.payment_account_id = any($2)`,
    values: [organizationIds, paymentAccountIds],
  })
}

/** Reads a slice of the ACTIVE accounts of all organizations, by id. Ids are unique in the deployment. */
export function readActiveAccounts(
  database: Queryable,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<PaymentAccount[]> {
  return database.query<PaymentAccount>({
    name: 'read active payment accounts',
    text: `select ${columns} from svc.payment_accounts as account
            where account.status = 'ACTIVE' and ($1::uuid is null or account.payment_account_id > $1)
            order by account.payment_account_id limit $2`,
    values: [after ?? null, limit],
  })
}

/** A wallet outside Svc that a customer has registered. */
export type ExternalWallet = { customerId: string; paymentAccountId: string; chain: string; address: string }

/** Finds the external wallets of customers that are not deleted. */
export function findExternalWallets(
  database: Queryable,
  organizationId: string,
  customerIds: readonly string[],
): Promise<ExternalWallet[]> {
  return database.query<ExternalWallet>({
    name: 'find external wallets',
    text: `select customer_id as "customerId", payment_account_id as "paymentAccountId", payment_method as chain, address
             from svc.payment_accounts
            where organization_id = $1 and customer_id = any($2) and payment_account_type = 'EXTERNAL_CRYPTO_WALLET'
              and status = 'ACTIVE'`,
    values: [organizationId, customerIds],
  })
}

/** Locks an account until the tx ends: `use` blocks its deletion, `delete` blocks new uses. */
export async function lockAccount(
  tx: Tx,
  organizationId: string,
  paymentAccountId: string,
  purpose: 'use' | 'delete',
): Promise<PaymentAccount | undefined> {
  const [found] = await tx.query<PaymentAccount>({
    name: `lock payment account to ${purpose}`,
    text: `select ${columns} from svc.payment_accounts as account
            where account.organization_id = $1 and account.payment_account_id = $2
              for ${purpose === 'use' ? 'share' : 'no key update'}`,
    values: [organizationId, paymentAccountId],
  })
  return found
}

/** Deactivates an account and removes its hash: it can be added again, and an erasure leaves nothing to compare. */
export async function deactivateAccount(
  tx: Tx,
  organizationId: string,
  paymentAccountId: string,
  from: readonly PaymentAccountStatus[],
): Promise<PaymentAccount | undefined> {
  const [deactivated] = await tx.query<PaymentAccount>({
    name: 'deactivate payment account',
    text: `select ${columns} from svc.deactivate_payment_account($1, $2, $3) as account`,
    values: [organizationId, paymentAccountId, from],
  })
  return deactivated
}

export async function hasAccounts(tx: Tx, organizationId: string, customerId: string): Promise<boolean> {
  const found = await tx.query({
    name: 'find payment account of a customer',
    text: `select payment_account_id from svc.payment_accounts
            where organization_id = $1 and customer_id = $2 and status <> 'DEACTIVATED' limit 1`,
    values: [organizationId, customerId],
  })
  return found.length > 0
}

/** Tells whether an auto fiat account that is not DEACTIVATED pays into this account. */
export async function isAutoFiatDestination(
  tx: Tx,
  organizationId: string,
  paymentAccountId: string,
): Promise<boolean> {
  const found = await tx.query({
    name: 'find auto fiat account by destination',
    text: `select payment_account_id from svc.payment_accounts
            where organization_id = $1 and destination_payment_account_id = $2 and status <> 'DEACTIVATED' limit 1`,
    values: [organizationId, paymentAccountId],
  })
  return found.length > 0
}

/** Turns a violation of `payment_accounts_once` or `payment_accounts_external_id` into a refusal. */
export async function refusingDuplicates<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string }
    if (isExternalIdTaken(error)) throw externalIdTaken()
    if (code !== '23505' || constraint !== 'payment_accounts_once') throw error
    throw new Refusal('DUPLICATE_PAYMENT_ACCOUNT', 'This customer already has this payment account')
  }
}

/** Invariants of the payment accounts of all organizations. */
export const paymentAccountChecks: readonly Check[] = [
  {
    name: 'every payment account belongs to a customer',
    sql: `select format('payment account %s of organization %s has no customer', account.payment_account_id,
                   account.organization_id) as violation
            from svc.payment_accounts as account
            left join svc.customers as customer using (organization_id, customer_id)
           where customer.customer_id is null or customer.data_key_id <> account.data_key_id`,
  },
  {
    name: 'a service wallet has the address that custody assigned to it',
    sql: `select format('service wallet %s of organization %s has an address that custody did not assign to it',
                   account.payment_account_id, account.organization_id) as violation
            from svc.payment_accounts as account
            left join svc.wallets as wallet using (organization_id, payment_account_id)
           where account.wallet_type is not null
             and (account.wallet_type, account.address, account.customer_id)
                 is distinct from (wallet.kind, wallet.address, wallet.customer_id)`,
  },
  {
    name: 'an auto fiat account pays into an account of its customer',
    sql: `select format('auto fiat account %s of organization %s pays into %s', auto.payment_account_id,
                   auto.organization_id, auto.destination_payment_account_id) as violation
            from svc.payment_accounts as auto
            left join svc.payment_accounts as destination on destination.organization_id = auto.organization_id
             and destination.payment_account_id = auto.destination_payment_account_id
             and destination.customer_id = auto.customer_id
           where auto.destination_payment_account_id is not null
             and (destination.payment_account_id is null
                  or (auto.status <> 'DEACTIVATED' and destination.status = 'DEACTIVATED'))`,
  },
]

/** Finds the auto fiat account that has these coordinates; undefined when there is none, or more than one. */
export async function findByReceivingHash(database: Queryable, receivingHash: Buffer): Promise<string | undefined> {
  const found = await database.query<{ paymentAccountId: string }>({
    name: 'find auto fiat account by coordinates',
    text: `select payment_account_id as "paymentAccountId" from svc.payment_accounts
            where receiving_hash = $1 limit 2`,
    values: [receivingHash],
  })
  return found.length === 1 ? found[0]?.paymentAccountId : undefined
}
