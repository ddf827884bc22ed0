import { openDatabase } from '../../../src/db/database.ts'
import { actingWith, startApi, type TestApi } from '../runner/api.ts'
import { bankAccountOf, bankAccounts, createAccount, externalWalletOf, serviceWalletOf } from './payment-accounts.ts'
import { createQuote, makeAccounts, makeActive, waitForRates } from './quotes.ts'
import { makeSolanaAddress } from './wallet-addresses.ts'
import { makeDatabaseWithAddresses } from './wallets.ts'

export type QuotedWorld = Awaited<ReturnType<typeof makeQuotedWorld>>

/** Two organizations with quotes in every state. The clock is frozen once they exist. */
export async function makeQuotedWorld() {
  const api = await startApi(
    { SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_RATE_LIMIT_SANDBOX: '0' },
    { database: await makeDatabaseWithAddresses() },
  )
  const worker = await api.app.startWorker()
  await waitForRates(api)
  const home = await makeActive(api, 'US')
  const ours = await makeOurs(api, home.customerId)
  const parent = await api.app.organizations.create({ name: 'Other', tier: 'BUILDER', parentOrganizationId: null })
  const { apiKey } = await api.app.credentials.createFullKey('Other', parent.organizationId)
  const other = actingWith(api, apiKey)
  const { customerId } = await makeActive(other, 'US')
  const { bank, wallet } = await makeAccounts(other, { customerId })
  const theirs = await createQuote(other, {
    customerId,
    from: [bank, 'USD', 'ACH', '10.00'],
    to: [wallet, 'USDC', 'BASE'],
  })
  await worker.stop()
  await api.post('/sandbox/clock', { freeze: true })
  await spoil(api, ours.quotes)
  return {
    api,
    home: home.organizationId,
    other: parent.organizationId,
    wallets: ours.wallets,
    makeQuote: ours.makeQuote,
    quotes: { ...ours.quotes, theirs: theirs.quoteId },
  }
}

async function makeOurs(api: TestApi, customerId: string) {
  const { bank, wallet, external } = await makeAccounts(api, { customerId })
  const second = (await createAccount(api, serviceWalletOf(customerId, 'EVM'))).paymentAccountId
  const solana = { chain: 'SOLANA', currency: 'USDC', address: makeSolanaAddress() }
  const far = (await createAccount(api, externalWalletOf(customerId, solana))).paymentAccountId
  const closing = (await createAccount(api, bankAccountOf(customerId, bankAccounts.WIRE()))).paymentAccountId
  const bob = await makeActive(api, 'US', { email: 'bob@example.com' })
  const bobs = await makeAccounts(api, bob)
  const quote = async (
    from: readonly [account: string, currency: string, method: string, amount: string],
    to: readonly [account: string, currency: string, method: string] = [bank, 'USD', 'ACH'],
    owner = customerId,
    more: object = {},
  ) => (await createQuote(api, { customerId: owner, from, to, more })).quoteId
  const spend = (amount: string, of = wallet) => quote([of, 'USDC', 'BASE', amount])
  const fromOutside = () => quote([external, 'USDC', 'BASE', '10'])
  const onRamp = () => quote([bank, 'USD', 'ACH', '10.00'], [wallet, 'USDC', 'BASE'])
  const guaranteed = (amount: string) =>
    quote([bank, 'USD', 'ACH', amount], [wallet, 'EURC', 'BASE'], customerId, { guaranteeQuote: true })
  const quotes = {
    spendTen: await spend('10'),
    spendTenToo: await spend('10'),
    spendTwenty: await spend('20'),
    spendFive: await spend('5'),
    spendSecond: await spend('10', second),
    spendSecondToo: await spend('7', second),
    fiat: await onRamp(),
    fiatToo: await onRamp(),
    expired: await onRamp(),
    untold: await onRamp(),
    evm: await fromOutside(),
    evmToo: await quote([external, 'USDC', 'BASE', '11']),
    solana: await quote([far, 'USDC', 'SOLANA', '10']),
    guaranteed: await guaranteed('10.00'),
    guaranteedToo: await guaranteed('4.00'),
    guaranteedMore: await guaranteed('5.00'),
    closed: await quote([wallet, 'USDC', 'BASE', '3'], [closing, 'USD', 'WIRE']),
    stopped: await quote([bobs.bank, 'USD', 'ACH', '10.00'], [bobs.wallet, 'USDC', 'BASE'], bob.customerId),
    barred: await quote([external, 'USDC', 'BASE', '10'], [wallet, 'USDC', 'ETHEREUM']),
  }
  await api.delete(`/payment-accounts/${closing}`)
  await api.post(`/customers/${bob.customerId}/deactivate`, { reason: 'a test' })
  const kinds = { spend: () => spend('10'), spendSecond: () => spend('10', second), evm: fromOutside }
  const makeQuote = (kind: keyof typeof kinds) => kinds[kind]()
  return { quotes, wallets: [wallet, second] as const, makeQuote }
}

/** Changes a quote as only the owner of the schema can. */
async function spoil(
  api: TestApi,
  quotes: Record<'expired' | 'untold' | 'barred' | 'guaranteed' | 'guaranteedToo' | 'guaranteedMore', string>,
): Promise<void> {
  const owner = openDatabase({ connection: api.database.owner })
  const change = (set: string, quoteId: string) =>
    owner.query({ text: `update svc.quotes set ${set} where quote_id = $1`, values: [quoteId] })
  await change(`expires_at = created_at - interval '1 second'`, quotes.expired)
  await change(`transfer_instructions = null`, quotes.untold)
  await change(`destination_method = 'CA_INTERAC'`, quotes.barred)
  // The two smaller ones fit together, the largest fits only alone.
  for (const quoteId of [quotes.guaranteed, quotes.guaranteedToo, quotes.guaranteedMore]) {
    await change('guarantee_ceiling_usd_cents = 1100', quoteId)
  }
  await owner.close()
}
