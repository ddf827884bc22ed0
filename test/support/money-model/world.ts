import { openDatabase } from '../../../src/db/database.ts'
import { newId } from '../../../src/lib/ids.ts'
import { activeCustomer } from '../customers/reviews.ts'
import { takeOver } from '../money/money-stories.ts'
import {
  bankAccountOf,
  bankAccounts,
  createAccount,
  externalWalletOf,
  serviceWalletOf,
} from '../money/payment-accounts.ts'
import { makeEvmAddress } from '../money/wallet-addresses.ts'
import { fillAddressPool, makeDatabaseWithAddresses } from '../money/wallets.ts'
import { actingWith, startApi, type TestApi } from '../runner/api.ts'
import { makeModelRail, railFailure } from './rail.ts'

/** A service without running workers, whose clock stands still. */
export async function startModelService(): Promise<TestApi> {
  const settings = { SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_RATE_LIMIT_SANDBOX: '0', SVC_SANDBOX_LIQUIDITY: '0' }
  const checked = await startApi(settings, { database: await makeDatabaseWithAddresses() })
  // Thousands of calls: the contract of each operation is tested elsewhere.
  const api = { ...checked, ...checked.through(checked.baseUrl, () => {}) }
  await api.post('/sandbox/clock', { freeze: true })
  await separateWires(api)
  return api
}

/** Lets a second bank account serve wires, so that money arrives at one account and leaves from another. */
async function separateWires({ app, database }: TestApi): Promise<void> {
  const owner = openDatabase({ connection: database.owner, connections: 1 })
  await owner.query({ text: `delete from svc.bank_account_rails where rail = 'WIRE'` })
  await owner.close()
  const account = { bankAccountId: 'usd-wire', bankName: 'Example Bank', currency: 'USD', rails: ['WIRE'] } as const
  await app.treasury.openAccount({ ...account, rails: [...account.rails] })
}

export const names = ['ann', 'bob', 'cem'] as const
export type Name = (typeof names)[number]
/** Two bank accounts, two service wallets (one to be deleted) and an external wallet of each customer. */
export const accountNames = ['bank', 'otherBank', 'wallet', 'spare', 'external'] as const
export type AccountName = (typeof accountNames)[number]

export type Person = {
  name: Name
  /** Calls with a key of the customer's organization. */
  api: TestApi
  organizationId: string
  customerId: string
  currency: 'USD' | 'EUR'
  /** The rails of both bank accounts, and our own bank accounts that serve them. */
  rails: Readonly<Record<'bank' | 'otherBank', string>>
  holdings: Readonly<Record<'bank' | 'otherBank', string>>
  accounts: Record<AccountName, string>
  /** Account numbers and addresses outside the service, where only this customer receives money. */
  receives: Set<string>
}

export type World = Awaited<ReturnType<typeof makeWorld>>

let worlds = 0

/** New organizations with new customers, so that runs share nothing but the database and its clock. */
export async function makeWorld(api: TestApi) {
  worlds += 1
  // Each world needs six addresses for wallets, and one for each transaction that awaits tokens.
  if (worlds % 4 === 0) await fillAddressPool(api.database)
  await api.app.rates.refresh()
  await api.app.rates.load()
  const [home, abroad] = [await makeOrganization(api), await makeOrganization(api)]
  const people: Record<Name, Person> = {
    ann: await makeAmerican('ann', home),
    bob: await makeAmerican('bob', home),
    cem: await makeEuropean('cem', abroad),
  }
  const rail = makeModelRail()
  const failures: string[] = []
  const { verification, isCounterpartyBlocked } = api.app
  const { isBlocked, findBlocked } = verification
  const hands = takeOver(
    { api },
    {
      rail: rail.rail,
      screening: { isBlocked, findBlocked, isCounterpartyBlocked },
      sandboxLiquidity: 0,
      onFailure: (error) => {
        const message = error instanceof Error ? error.message : String(error)
        if (message !== railFailure) failures.push(message)
      },
    },
  )
  const organizationIds = [home.organizationId, abroad.organizationId]
  return { api, people, organizationIds, rail, failures, hands, prefix: `model-${worlds}-${newId()}` }
}

/** Leaves no work behind that the next run would find. */
export async function abandon({ api }: World): Promise<void> {
  for (const table of ['transactions', 'payouts', 'deposits', 'sightings']) {
    await api.app.database.query({ text: `update svc.${table} set due_at = null where due_at is not null` })
  }
}

type Organization = { api: TestApi; organizationId: string }

async function makeOrganization(api: TestApi): Promise<Organization> {
  const { organizations, credentials } = api.app
  const { organizationId } = await organizations.create({ name: 'Model', tier: 'BUILDER', parentOrganizationId: null })
  const { apiKey } = await credentials.createFullKey('Model', organizationId)
  return { api: actingWith(api, apiKey), organizationId }
}

async function makeAmerican(name: Name, organization: Organization): Promise<Person> {
  const address = { countryCode: 'US', streetLine1: '1 Main Street', city: 'Springfield', stateRegionProvince: 'CA' }
  const numbers = [`10${worlds}${names.indexOf(name)}`, `20${worlds}${names.indexOf(name)}`] as const
  return makePerson(name, organization, {
    address: { ...address, postalCode: '94104' },
    currency: 'USD',
    rails: { bank: 'ACH', otherBank: 'WIRE' },
    holdings: { bank: 'usd-main', otherBank: 'usd-wire' },
    bank: bankAccounts.ACH({ accountNumber: numbers[0] }),
    otherBank: bankAccounts.WIRE({ accountNumber: numbers[1] }),
    numbers,
  })
}

async function makeEuropean(name: Name, organization: Organization): Promise<Person> {
  const numbers = [ibanOf(`1${worlds}`), ibanOf(`2${worlds}`)] as const
  return makePerson(name, organization, {
    address: { countryCode: 'DE', streetLine1: 'Hauptstrasse 1', city: 'Berlin', postalCode: '10115' },
    currency: 'EUR',
    rails: { bank: 'SEPA', otherBank: 'SEPA' },
    holdings: { bank: 'eur-main', otherBank: 'eur-main' },
    bank: bankAccounts.SEPA({ iban: numbers[0] }),
    otherBank: bankAccounts.SEPA({ iban: numbers[1] }),
    numbers,
  })
}

type PersonPlan = Pick<Person, 'currency' | 'rails' | 'holdings'> & {
  address: object
  bank: object
  otherBank: object
  numbers: readonly string[]
}

async function makePerson(name: Name, { api, organizationId }: Organization, plan: PersonPlan): Promise<Person> {
  const { customerId } = await activeCustomer(api, { address: plan.address })
  const create = async (body: object) => (await createAccount(api, body)).paymentAccountId
  const outside = await createExternalWallet({ api, customerId })
  const accounts = {
    bank: await create(bankAccountOf(customerId, plan.bank)),
    otherBank: await create(bankAccountOf(customerId, plan.otherBank)),
    wallet: await create(serviceWalletOf(customerId, 'EVM')),
    spare: await create(serviceWalletOf(customerId, 'EVM')),
    external: outside.paymentAccountId,
  }
  const { currency, rails, holdings } = plan
  const receives = new Set([...plan.numbers, outside.address])
  return { name, api, organizationId, customerId, currency, rails, holdings, accounts, receives }
}

async function createExternalWallet({ api, customerId }: Pick<Person, 'api' | 'customerId'>) {
  const address = makeEvmAddress()
  const body = externalWalletOf(customerId, { chain: 'BASE', currency: 'USDC', address })
  return { address, paymentAccountId: (await createAccount(api, body)).paymentAccountId }
}

/** Registers a wallet in place of a deleted one, as a customer does who has no other account that can take tokens. */
export async function replaceExternalWallet(person: Person): Promise<void> {
  const { address, paymentAccountId } = await createExternalWallet(person)
  person.accounts.external = paymentAccountId
  person.receives.add(address)
}

/** A German IBAN with its check digits (ISO 13616). */
function ibanOf(digits: string): string {
  const account = digits.padStart(18, '37')
  const check = 98n - (BigInt(`${account}131400`) % 97n)
  return `DE${String(check).padStart(2, '0')}${account}`
}
