import { afterAll, expect } from 'vitest'
import { genesisHashes } from '../../../src/catalog/chain-ids.ts'
import { tokens } from '../../../src/catalog/currencies.ts'
import { bumpRevision } from '../../../src/db/revisions.ts'
import { newId } from '../../../src/lib/ids.ts'
import { writeRates } from '../../../src/quotes/rates/store.ts'
import type { BankDesk } from '../bank/bank-desk.ts'
import { startLocalSolana } from '../chains/local-chains.ts'
import { about, startLyingNode } from '../chains/lying-node.ts'
import { makeApplicant } from '../customers/applicants.ts'
import { createCustomer, waitForStatus } from '../customers/customers.ts'
import { makePageJpeg } from '../customers/page-pictures.ts'
import { behindProxy, productionSettings } from '../customers/production-api.ts'
import { bankAccountOf, bankAccounts, createAccount, serviceWalletOf } from '../money/payment-accounts.ts'
import { availableIn } from '../money/transactions.ts'
import { makeDatabaseWithAddresses } from '../money/wallets.ts'
import { startApi, type TestApi } from '../runner/api.ts'
import { eventually, wakeWhileWaiting } from '../runner/eventually.ts'

const dialect = {
  immediateDestination: '021000021',
  immediateOrigin: '1234567890',
  destinationName: 'FIRST BANK',
  originName: 'EXAMPLE INC',
  companyId: '1234567890',
  companyName: 'EXAMPLE INC',
  odfi: '02100002',
}

/**
 * A local chain that plays mainnet: it names mainnet's genesis hash, and has an account at mainnet's mint of USDC. EURC,
 * the only token that moves here, has the same mint on both.
 */
async function startMainnet() {
  const { control, rpcUrls } = await startLocalSolana()
  const node = await startLyingNode(rpcUrls.SOLANA)
  const [usdc, eurc] = (['USDC/SOLANA', 'EURC/SOLANA'] as const).map((asset) => tokens[asset].contract)
  const nameMainnet = about('getGenesisHash', () => genesisHashes.production)
  const showMint = about('getMultipleAccounts', ({ value, ...rest }: { value: unknown[] }, [keys]) => {
    const asked = keys as string[]
    const mint = value[asked.indexOf(eurc ?? '')]
    return { ...rest, value: value.map((account, at) => (asked[at] === usdc ? mint : account)) }
  })
  node.lies((call, answer) => showMint(call, nameMainnet(call, answer)))
  return { control, settings: { SVC_SOLANA_RPC_URLS: node.url } }
}

/**
 * A production deployment: its banks are a folder, its only network is SOLANA. Market prices are written as a rate source
 * would have done.
 */
export async function startProduction(desk: BankDesk) {
  const { control, settings } = await startMainnet()
  const started = await startApi(
    {
      ...productionSettings,
      ...settings,
      SVC_PAYMENT_METHODS: 'ACH,SEPA,SOLANA',
      SVC_BUILTIN_DOCUMENT_CHECKS: 'approve',
      SVC_BANK_DIR: desk.folder,
      SVC_BANK_HOURS: 'always',
      SVC_BANK_SETTLE_MS: '0',
      SVC_VIRTUAL_ACCOUNTS: 'eur-main DE512108000000000001-DE512108000000000009',
      SVC_VIRTUAL_ACCOUNTS_PER_ORGANIZATION: '2',
      SVC_LEASE_MS: '3000',
      SVC_RATES_KRAKEN_URL: 'https://127.0.0.1:1',
      SVC_RATES_ECB_URL: 'https://127.0.0.1:1',
    },
    { database: await makeDatabaseWithAddresses() },
  )
  const api = behindProxy(started)
  const worker = await api.app.startWorker()
  const letSleep = wakeWhileWaiting({
    wake: () => {
      worker.wake()
      api.app.chains.wake()
    },
  })
  afterAll(async () => {
    letSleep()
    await worker.stop()
  })
  await writeMarket(api)
  return { api, control }
}

async function writeMarket({ app }: TestApi): Promise<void> {
  const market = { source: 'kraken', asOf: new Date(), goodUntil: new Date(Date.now() + 3_600_000) }
  const prices = { USD: '1', EUR: '1.10', USDC: '1', EURC: '1.10' }
  await app.database.inTx(async (tx) => {
    const rates = Object.entries(prices).map(([label, usd]) => ({ label, usd, ...market }))
    await writeRates(tx, rates)
    await bumpRevision(tx, 'rates')
  })
  await eventually(() => expect(app.rates.current().size).toBe(4))
}

/** Opens and funds our accounts and the treasury, as the operator does with `svc treasury`. */
export async function openTreasury(
  { api, control }: Awaited<ReturnType<typeof startProduction>>,
  organizationId: string,
): Promise<void> {
  const { treasury, custody } = api.app
  const dollars = { bankAccountId: 'usd-main', bankName: 'First Bank', currency: 'USD', rails: ['ACH'] }
  const coordinates = { routingNumber: '021000021', accountNumber: '900000000001' }
  await treasury.openAccount(dollars, { holderName: 'Example Payments Inc', coordinates, dialect })
  await treasury.openAccount({ bankAccountId: 'eur-main', bankName: 'Second Bank', currency: 'EUR', rails: ['SEPA'] })
  const euros = { iban: 'DE75512108001245126199', bicSwift: 'SOGEDEFF' }
  const files = { holderName: 'Example Payments SE', coordinates: euros, dialect: { batchBooking: 'false' } }
  await treasury.connectAccount('eur-main', files)
  const give = async (holder: 'TREASURY' | 'RELAYER', currency: string, amount: string) => {
    const address = (await custody.findServiceAddress('SOLANA', holder)) ?? ''
    await control.faucet('SOLANA', { key: newId(), address, currency, amount })
  }
  await give('RELAYER', 'NATIVE', '10000000000')
  await give('TREASURY', 'EURC', '20000000000')
  const own = { organizationId, reason: 'Opening balance' }
  await treasury.fund({ ...own, holding: 'usd-main', asset: 'USD', amount: '50000.00' })
  await treasury.fund({ ...own, holding: 'eur-main', asset: 'EUR', amount: '50000.00' })
  await treasury.fund({ ...own, holding: 'TREASURY', asset: 'EURC/SOLANA', amount: '20000' })
}

const readable = `data:image/jpeg;base64,${(await makePageJpeg()).toString('base64')}`

/** An approved customer with a bank account at a rail, and a service wallet that received tokens. */
export async function makeProductionPayer(
  { api, control }: Awaited<ReturnType<typeof startProduction>>,
  rail: 'ACH' | 'SEPA',
) {
  const { documents, ...applicant } = makeApplicant()
  const address = { countryCode: 'DE', streetLine1: 'Hauptstrasse 1', city: 'Berlin', postalCode: '10115' }
  const kycData = {
    ...applicant,
    documents: documents.map((each) => ({ ...each, frontIdImage: readable })),
    ...(rail === 'SEPA' ? { address } : {}),
  }
  const customer = await waitForStatus(api, await createCustomer(api, { kycData }), 'ACTIVE')
  const { customerId, organizationId } = customer
  const bank = (await createAccount(api, bankAccountOf(customerId, bankAccounts[rail]()))).paymentAccountId
  const account = await createAccount(api, serviceWalletOf(customerId, 'SOLANA'))
  const wallet = account.paymentAccountId
  const gift = { key: newId(), address: account.svcCryptoWallet?.address.address ?? '', currency: 'EURC' }
  await control.faucet('SOLANA', { ...gift, amount: '1000000000' })
  await eventually(async () => expect(await availableIn(api, wallet, 'EURC', 'SOLANA')).toBe('1000.000000'))
  return { customerId, organizationId, bank, wallet }
}
