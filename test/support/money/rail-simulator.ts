import { newId } from '../../../src/lib/ids.ts'
import type { PayoutReturn, Rail, RailAnswer } from '../../../src/transactions/payouts/rail.ts'
import type { NewReport } from '../../../src/transactions/payouts/reports/service.ts'
import { allMethods } from './test-rail.ts'

/** What happens to one order at the simulated bank, drawn at random. Seconds of business time. */
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

export type RailSimulator = ReturnType<typeof makeRailSimulator>

/**
 * A bank with eventual consistency. It does not know a reference when it receives it a second time, as a bank that
 * books files overnight: two attempts that arrive are two payments. So only the port's rules keep money from being paid
 * twice.
 */
export function makeRailSimulator(random: () => number, now: () => number) {
  const accounts = new Map<string, Account>()
  const payments = ({ arrivals }: Account) => arrivals.filter(({ isRefused }) => !isRefused)
  const below = (limit: number) => Math.floor(random() * limit)

  const drawFate = (): Fate => ({
    arrivesAfter: random() < 0.25 ? null : random() < 0.5 ? 0 : below(20),
    isReplyLost: random() < 0.4,
    isRefused: random() < 0.1,
    isKnownAfter: random() < 0.5 ? 0 : below(3_600),
    settlesAfter: below(600),
    returns:
      random() < 0.25
        ? Array.from({ length: 1 + below(3) }, () => ({ percent: 10 + below(20), after: below(4 * 86_400) }))
        : [],
    reports: random() < 0.4 ? 'none' : random() < 0.5 ? 'once' : 'twice',
  })

  const arrive = (account: Account, notAfter: number) => {
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

  const returnsOf = (account: Account, settlesAt: number): PayoutReturn[] =>
    account.fate.returns.flatMap(({ percent, after }, place) => {
      const amount = (account.amount * BigInt(percent)) / 100n
      const isDue = now() >= settlesAt + after * 1_000
      return isDue && amount > 0n ? [{ returnId: `${account.reference}-${place}`, reason: 'closed', amount }] : []
    })

  const answer = (account: Account | undefined, lastNotAfter: number): RailAnswer => {
    const [arrival] = account?.arrivals ?? []
    if (!account || !arrival) {
      return now() > lastNotAfter ? { state: 'DEAD', proof: 'expired' } : { state: 'NOT_KNOWN' }
    }
    if (now() < Math.max(arrival.at, arrival.isKnownAt)) return { state: 'NOT_KNOWN' }
    if (arrival.isRefused) return { state: 'REFUSED', reason: 'closed' }
    if (now() < arrival.settlesAt) return { state: 'PENDING' }
    const { reference, amount } = account
    const returns = returnsOf(account, arrival.settlesAt)
    return { state: 'CONFIRMED', externalReference: `bank-${reference}`, amount, costs: [], returns }
  }

  const rail: Rail = {
    name: 'simulated bank',
    methods: allMethods,
    capabilities: { batchSize: 7, validSeconds: 60 },
    prepare: async (orders) => {
      if (random() < 0.1) throw new Error(simulatedFailure)
      const items = orders.map(({ reference }) => ({ reference, key: newId() }))
      const declined = random() < 0.1 ? items.splice(0, 1) : []
      for (const { reference, amount } of orders) {
        const fresh = { fate: drawFate(), attempts: 0, arrivals: [], isReported: false, reported: new Set<string>() }
        if (!accounts.has(reference)) accounts.set(reference, { reference, amount, ...fresh })
      }
      const until = new Date(now() + 1_000 * below(7_200))
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
        arrive(account, notAfter.getTime())
        const { fate, arrivals } = account
        if (fate.isReplyLost || arrivals.length === 0) return { outcome: 'UNKNOWN', why: 'the reply was lost' }
        return fate.isRefused ? { outcome: 'REFUSED', reason: 'closed' } : { outcome: 'ACCEPTED' }
      }),
    ask: async ({ reference }, attempts) => {
      if (random() < 0.1) throw new Error(simulatedFailure)
      return answer(accounts.get(reference), attempts.at(-1)?.notAfter.getTime() ?? 0)
    },
  }

  /** What the bank tells by itself now: late, and some of it twice, under the same id or another. */
  const drawReports = (): NewReport[] =>
    [...accounts.values()].flatMap((account) => {
      const { fate, reference } = account
      const said = answer(account, Number.POSITIVE_INFINITY)
      if (fate.reports === 'none' || (said.state !== 'CONFIRMED' && said.state !== 'REFUSED')) return []
      const told = { rail: rail.name, reference }
      const copies = (report: NewReport): NewReport[] =>
        fate.reports === 'twice' ? [report, report, { ...report, reportId: `${report.reportId}-again` }] : [report]
      const reports: NewReport[] = []
      if (!account.isReported && random() < 0.5) {
        account.isReported = true
        const { returns: _, ...outcome } = said.state === 'CONFIRMED' ? said : { ...said, returns: [] }
        reports.push(...copies({ ...told, reportId: `outcome-${reference}`, report: outcome as NewReport['report'] }))
      }
      for (const returned of said.state === 'CONFIRMED' ? said.returns : []) {
        if (account.reported.has(returned.returnId) || random() < 0.5) continue
        account.reported.add(returned.returnId)
        reports.push(...copies({ ...told, reportId: returned.returnId, report: { state: 'RETURNED', ...returned } }))
      }
      return reports
    })

  return {
    rail,
    drawReports,
    /** What the bank has done, by reference. */
    truth: () =>
      new Map(
        [...accounts.values()].map((account) => {
          const [arrival] = payments(account)
          const returned = arrival ? returnsOf(account, arrival.settlesAt) : []
          return [
            account.reference,
            {
              attempts: account.attempts,
              payments: payments(account).length,
              returned: returned.reduce((sum, { amount }) => sum + amount, 0n),
            },
          ]
        }),
      ),
  }
}

/** The message of failures that the rail causes on purpose. */
export const simulatedFailure = 'the simulated bank does not answer'
