import { expect } from 'vitest'
import type { Queryable } from '../../../src/db/database.ts'
import type { Route } from '../../../src/http/route.ts'
import { makeApplicant } from '../customers/applicants.ts'
import { bankAccounts } from '../money/payment-accounts.ts'
import {
  storeApproval,
  storeBankChange,
  storeDeposit,
  storeDisbursement,
  storeQuote,
  storeTransaction,
} from '../money/stored-transactions.ts'
import { ruleBody } from '../rules/rules.ts'
import type { TestApi } from '../runner/api.ts'
import { eventually } from '../runner/eventually.ts'
import { autoFiatAccount, disbursed, ruleOf, type Side } from './tenant-bodies.ts'

/** Makes organizations that have one of each resource, for the tests between them. */
export function createSides(api: TestApi, receiverUrl: string): (name: string) => Promise<Side> {
  const { organizations, credentials } = api.app
  return async (name) => {
    const { organizationId } = await organizations.create({ name, tier: 'BUILDER', parentOrganizationId: null })
    const { apiKey, apiKeyId } = await credentials.createFullKey(name, organizationId)
    const actor = `api_key:${apiKeyId}`
    const token = (await api.post('/auth/token', undefined, { apiKey })).body.access_token
    const target = await credentials.createFullKey(`${name}'s other key`, organizationId)
    const hook = { url: receiverUrl, events: ['customer.created'] }
    const { webhookId } = (await api.post('/webhooks', hook, { apiKey })).body
    const customer = await api.post('/customers', { customerType: 'INDIVIDUAL', email: 'a@example.com' }, { apiKey })
    const customerId = customer.body.customerId
    const wallet = { paymentAccountType: 'SVC_CRYPTO_WALLET', svcCryptoWallet: { cryptoWalletType: 'EVM' } }
    const walletId = await makeAccount(api, apiKey, { customerId, ...wallet })
    const secondWalletId = await makeAccount(api, apiKey, { customerId, ...wallet })
    const rule = ruleBody(ruleOf({ customerId, walletId, secondWalletId }))
    const ruleId = (await api.post('/automation-rules', rule, { apiKey })).body.id
    const paymentAccountId = await makeAccount(api, apiKey, autoFiatAccount(customerId, walletId))
    const reviewed = await api.post('/customers', { customerType: 'INDIVIDUAL', email: 'b@example.com' }, { apiKey })
    const reviewedId = reviewed.body.customerId
    const kycData = { legalFirstName: 'B', documents: makeApplicant().documents }
    await api.call('PATCH', `/customers/${reviewedId}`, { apiKey, body: { kycData } })
    await api.post(`/sandbox/customers/${reviewedId}/verification`, { outcome: 'REVIEW' }, { apiKey })
    // Wait until both have arrived: after that no worker changes them.
    const { deliveryId, eventId } = await eventually(async () => {
      const { body } = await api.get(`/webhooks/${webhookId}/deliveries?status=DELIVERED`, { apiKey })
      const [second, first] = body.deliveries
      if (!first || !second) throw new Error('not yet')
      return first
    })
    const inboxId = (await api.post('/sandbox/inbox', undefined, { apiKey })).body.inboxId
    const ids = { apiKeyId: target.apiKeyId, eventId, customerId, paymentAccountId, walletId, reviewedId, inboxId }
    const told = { webhookId, deliveryId }
    const quoteId = await storeQuote(api.app.database, organizationId, customerId, paymentAccountId, walletId)
    const used = await storeQuote(api.app.database, organizationId, customerId, paymentAccountId, walletId)
    const transactionId = await storeTransaction(api.app.database, organizationId, used)
    const depositId = await storeDeposit(api.app.database, organizationId, transactionId)
    const disbursementId = await storeDisbursement(api.app.database, organizationId, customerId, walletId)
    const bankChangeId = await storeBankChange(api.app.database, disbursementId)
    await storeApproval(api.app.database, organizationId, transactionId)
    const money = { quoteId, transactionId, depositId, disbursementId, bankChangeId }
    return { organizationId, apiKey, token, actor, ...money, ruleId, secondWalletId, ...told, ...ids }
  }
}

async function makeAccount(api: TestApi, apiKey: string, body: object): Promise<string> {
  return (await api.post('/payment-accounts', body, { apiKey })).body.paymentAccountId
}

/** The value of each id in a path, by the name of its parameter. */
export const pathIds: Record<string, (side: Side, route: Pick<Route, 'path'>) => string> = {
  organizationId: (side) => side.organizationId,
  apiKeyId: (side) => side.apiKeyId,
  eventId: (side) => side.eventId,
  customerId: (side, { path }) => (path.startsWith('/reviews/') ? side.reviewedId : side.customerId),
  n: () => '1',
  paymentAccountId: (side) => side.paymentAccountId,
  inboxId: (side) => side.inboxId,
  quoteId: (side) => side.quoteId,
  transactionId: (side) => side.transactionId,
  depositId: (side) => side.depositId,
  disbursementId: (side) => side.disbursementId,
  bankChangeId: (side) => side.bankChangeId,
  approvalId: (side) => side.transactionId,
  webhookId: (side) => side.webhookId,
  deliveryId: (side) => side.deliveryId,
  ruleId: (side) => side.ruleId,
}
/** Fills the ids of a path with those of a side. */
export const fillPath = (path: string, side: Side) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => pathIds[name]?.(side, { path }) ?? '')

/** Valid bodies for PATCH and POST, so that nothing but the wall refuses them. */
export const bodiesOf = (side: Side): Record<string, object> => ({
  'PATCH /organizations/{organizationId}': { name: 'Taken over' },
  'PATCH /sandbox/inbox/{inboxId}': { answerStatus: 500 },
  'PATCH /customers/{customerId}': { kycData: { legalFirstName: 'Taken' } },
  'POST /customers/{customerId}/deactivate': { reason: 'Taken over' },
  'POST /customers/{customerId}/reactivate': { reason: 'Taken over' },
  'POST /customers/{customerId}/verification-link/revoke': { reason: 'Taken over' },
  'POST /sandbox/customers/{customerId}/verification': { outcome: 'APPROVE' },
  'POST /sandbox/payment-accounts/{paymentAccountId}/complete': { externalBankAccount: bankAccounts.ACH() },
  'POST /sandbox/payment-accounts/{paymentAccountId}/deposits': { amount: '1.00', currency: 'USD', rail: 'ACH' },
  'POST /deposits/{depositId}/resolve': { action: 'RETURN', reason: 'Taken over' },
  'POST /deposits/{depositId}/recall': { decision: 'ACCEPT', reason: 'Taken over' },
  'POST /transactions/{transactionId}/resolve': { action: 'REFUND', reason: 'Taken over' },
  'POST /customers/{customerId}/disbursements': disbursed(side),
  'POST /approvals/{approvalId}/decision': { decision: 'APPROVE', reason: 'Taken over' },
  'POST /bank-changes/{bankChangeId}/decision': { decision: 'CONFIRM', reason: 'Taken over' },
  'PATCH /webhooks/{webhookId}': { description: 'Taken over' },
  'PUT /automation-rules/{ruleId}': { id: side.ruleId, ...ruleBody(ruleOf(side)) },
  'POST /reviews/{customerId}/decision': { decision: 'APPROVE', reason: 'Taken over' },
  'POST /api-keys/{apiKeyId}/roll': { overlap: 'PT1H' },
})

/** Returns a function that reads all rows of an organization directly. */
export async function snapshots(owner: Queryable): Promise<(side: Pick<Side, 'organizationId'>) => Promise<unknown[]>> {
  const tenantTables = (
    await owner.query<{ name: string }>({
      text: `select distinct table_name as name from information_schema.columns
              where table_schema = 'svc' and column_name = 'organization_id'
                and table_name not in ('audit_seals', 'audit_heads', 'event_sequences', 'api_key_addresses',
                  'destination_watches') order by 1`,
    })
  ).map(({ name }) => name)
  return async ({ organizationId }) => {
    // Workers and rate limits write these tables in the background.
    const ignored =
      "'last_used_at', 'tokens', 'refilled_at', 'sequence', 'sealed', 'due_at', 'lease_until', 'fence', 'fanned_out_to'"
    // The first address of a key is recorded some seconds after its use, and raises the version of the key.
    const ignoredOf = (table: string) => (table === 'api_keys' ? `${ignored}, 'version'` : ignored)
    const rowsOf = (table: string) =>
      `select '${table}' as name, to_jsonb(t) - array[${ignoredOf(table)}] as row from svc.${table} as t
        where organization_id = $1`
    const rows = await owner.query({
      text: `${tenantTables.map(rowsOf).join(' union all ')} order by name, row`,
      values: [organizationId],
    })
    expect(rows.length).toBeGreaterThan(10)
    return rows
  }
}
