import { newId } from '../../../src/lib/ids.ts'
import type { OrderFacts, PayoutReturn, Rail, RailAnswer } from '../../../src/transactions/payouts/rail.ts'
import type { NewReport } from '../../../src/transactions/payouts/reports/service.ts'
import { allMethods } from './test-rail.ts'

/** The fate of one order at the simulated bank, drawn at random. Seconds of business time. */
type Fate = {
  /** The request reaches the bank after this many seconds; null: never. */
  arrivesAfter: number | null
  isReplyLost: boolean
  isRefused: boolean
  /** The bank knows of an arrival in its answers only after this many seconds. */
  isKnownAfter: number
  settlesAfter: number
  /** The parts that come back, in percent, and after how many seconds. */
  returns: readonly { percent: number; after: number }[]
  /** The bank tells outcomes by reports, too; some twice. */
  reports: 'none' | 'once' | 'twice'
}

type Arrival = { at: number; isRefused: boolean; isKnownAt: number; settlesAt: number }

type Account = {
  reference: string
  amount: bigint
  fate: Fate
  attempts: number
  arrivals: Arrival[]
  isReported: boolean
  /** Returns that were reported, by id. */
  reported: Set<string>
}

type Bank = { accounts: Map<string, Account>; random: () => number; now: () => number }

export type RailSimulator = ReturnType<typeof makeRailSimulator>

/** The message of failures that the rail causes on purpose. */
export const simulatedFailure = 'the simulated bank does not answer'

/**
 * A bank with eventual consistency. It does not know a reference when it receives it a second time, as a bank that
 * books files overnight: two attempts that arrive are two payments. So only the port's rules keep money from being paid
 * twice.
 */
export function makeRailSimulator(random: () => number, now: () => number) {
  const bank: Bank = { accounts: new Map(), random, now }
  const rail = makeRail(bank)
  return {
    rail,
    /** Draws what the bank tells by itself now: late, and some of it twice, under the same id or another. */
    drawReports: (): NewReport[] => [...bank.accounts.values()].flatMap((account) => reportsOf(bank, rail, account)),
    /** Tells what the bank has done, by reference. */
    truth: () => new Map([...bank.accounts.values()].map((account) => [account.reference, truthOf(bank, account)])),
  }
}

function makeRail(bank: Bank): Rail {
  const { accounts, random, now } = bank
  return {
    name: 'simulated bank',
    methods: allMethods,
    capabilities: { batchSize: 7, validSeconds: 60 },
    prepare: async (orders) => {
      if (random() < 0.1) throw new Error(simulatedFailure)
      const items = orders.map(({ reference }) => ({ reference, key: newId() }))
      const declined = random() < 0.1 ? items.splice(0, 1) : []
      for (const order of orders) {
        if (!accounts.has(order.reference)) accounts.set(order.reference, openAccount(bank, order))
      }
      const until = new Date(now() + 1_000 * below(bank, 7_200))
      const content = Buffer.from(JSON.stringify(items))
      const notAfter = orders[0]?.notAfter ?? new Date(0)
      return {
        batches: items.length > 0 ? [{ batchId: newId(), content, notAfter, items }] : [],
        declined: declined.map(({ reference }) => ({ reference, outcome: 'NOT_NOW' as const, until, why: 'closed' })),
      }
    },
    submit: async ({ items, notAfter }) =>
      items.map(({ reference }) => {
        const account = accounts.get(reference)
        if (!account) throw new Error('it was not prepared')
        arrive(bank, account, notAfter.getTime())
        const { fate, arrivals } = account
        if (fate.isReplyLost || arrivals.length === 0) return { outcome: 'UNKNOWN', why: 'the reply was lost' }
        return fate.isRefused ? { outcome: 'REFUSED', reason: 'closed' } : { outcome: 'ACCEPTED' }
      }),
    ask: async ({ reference }, attempts) => {
      if (random() < 0.1) throw new Error(simulatedFailure)
      return answer(bank, accounts.get(reference), attempts.at(-1)?.notAfter.getTime() ?? 0)
    },
  }
}

const below = ({ random }: Bank, limit: number) => Math.floor(random() * limit)

function openAccount(bank: Bank, { reference, amount, purpose }: OrderFacts): Account {
  const fate = drawFate(bank)
  // Our treasury returns no tokens.
  if (purpose === 'COLLECT') fate.returns = []
  return { reference, amount, fate, attempts: 0, arrivals: [], isReported: false, reported: new Set() }
}

function drawFate(bank: Bank): Fate {
  const { random } = bank
  return {
    arrivesAfter: random() < 0.25 ? null : random() < 0.5 ? 0 : below(bank, 20),
    isReplyLost: random() < 0.4,
    isRefused: random() < 0.1,
    isKnownAfter: random() < 0.5 ? 0 : below(bank, 3_600),
    settlesAfter: below(bank, 600),
    returns:
      random() < 0.25
        ? Array.from({ length: 1 + below(bank, 3) }, () => ({
            percent: 10 + below(bank, 20),
            after: below(bank, 4 * 86_400),
          }))
        : [],
    reports: random() < 0.4 ? 'none' : random() < 0.5 ? 'once' : 'twice',
  }
}

function arrive({ random, now }: Bank, account: Account, notAfter: number): void {
  const { fate } = account
  account.attempts += 1
  if (fate.arrivesAfter === null) {
    // The next attempt gets through, sooner or later.
    account.fate = { ...fate, arrivesAfter: random() < 0.7 ? 0 : null }
    return
  }
  const at = now() + fate.arrivesAfter * 1_000
  if (at > notAfter) return
  const isKnownAt = at + fate.isKnownAfter * 1_000
  account.arrivals.push({ at, isRefused: fate.isRefused, isKnownAt, settlesAt: at + fate.settlesAfter * 1_000 })
}

function answer(bank: Bank, account: Account | undefined, lastNotAfter: number): RailAnswer {
  const now = bank.now()
  const [arrival] = account?.arrivals ?? []
  if (!account || !arrival) return now > lastNotAfter ? { state: 'DEAD', proof: 'expired' } : { state: 'NOT_KNOWN' }
  if (now < Math.max(arrival.at, arrival.isKnownAt)) return { state: 'NOT_KNOWN' }
  if (arrival.isRefused) return { state: 'REFUSED', reason: 'closed' }
  if (now < arrival.settlesAt) return { state: 'PENDING' }
  const { reference, amount } = account
  const returns = returnsOf(bank, account, arrival)
  return { state: 'CONFIRMED', externalReference: `bank-${reference}`, amount, costs: [], returns }
}

function returnsOf({ now }: Bank, { reference, amount: paid, fate }: Account, { settlesAt }: Arrival): PayoutReturn[] {
  return fate.returns.flatMap(({ percent, after }, place) => {
    const amount = (paid * BigInt(percent)) / 100n
    const isDue = now() >= settlesAt + after * 1_000
    return isDue && amount > 0n ? [{ returnId: `${reference}-${place}`, reason: 'closed', amount }] : []
  })
}

function reportsOf(bank: Bank, rail: Rail, account: Account): NewReport[] {
  const { fate, reference } = account
  const said = answer(bank, account, Number.POSITIVE_INFINITY)
  if (fate.reports === 'none' || (said.state !== 'CONFIRMED' && said.state !== 'REFUSED')) return []
  const told = { rail: rail.name, reference }
  const copies = (report: NewReport): NewReport[] =>
    fate.reports === 'twice' ? [report, report, { ...report, reportId: `${report.reportId}-again` }] : [report]
  const reports: NewReport[] = []
  if (!account.isReported && bank.random() < 0.5) {
    account.isReported = true
    const { returns: _, ...outcome } = said.state === 'CONFIRMED' ? said : { ...said, returns: [] }
    reports.push(...copies({ ...told, reportId: `outcome-${reference}`, report: outcome as NewReport['report'] }))
  }
  for (const returned of said.state === 'CONFIRMED' ? said.returns : []) {
    if (account.reported.has(returned.returnId) || bank.random() < 0.5) continue
    account.reported.add(returned.returnId)
    reports.push(...copies({ ...told, reportId: returned.returnId, report: { state: 'RETURNED', ...returned } }))
  }
  return reports
}

function truthOf(bank: Bank, account: Account) {
  const paid = account.arrivals.filter(({ isRefused }) => !isRefused)
  const returned = paid[0] ? returnsOf(bank, account, paid[0]) : []
  return {
    attempts: account.attempts,
    payments: paid.length,
    returned: returned.reduce((sum, { amount }) => sum + amount, 0n),
  }
}
