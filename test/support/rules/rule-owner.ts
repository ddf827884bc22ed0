import { sendDeposit } from '../money/transactions.ts'
import type { BodyOf } from '../runner/answers.ts'
import { makeRuleModel } from './rule-model.ts'
import {
  type Amount,
  anyAmount,
  anyDestination,
  anyRule,
  anyThreshold,
  anyTimes,
  below,
  oneOf,
  type Random,
  type RuleBody,
} from './rule-wishes.ts'
import { expectAnswer, type RuleWallet, type RuleWorld } from './rule-world.ts'
import type { Turn } from './threshold-replay.ts'

export type OwnedRule = {
  id: string
  at: RuleWallet
  body: RuleBody
  /** The amounts that the rule moves, each with its start time. */
  amounts: { since: Date; amount: Amount }[]
  state: 'ACTIVE' | 'PAUSED' | 'DELETED'
}

export type Foreseen = { rule: OwnedRule; since: Date; runs: BodyOf<'POST /automation-rules/preview'>['runs'] }

export type RuleOwner = ReturnType<typeof makeOwner>

/** An integrator that creates and changes rules and credits wallets at random, and records the expected runs. */
export function makeOwner(world: RuleWorld, random: Random) {
  const books = keepBooks(world)
  return { ...books, ...makeMaking(world, books, random), ...makeChanging(world, books, random) }
}

type Books = ReturnType<typeof keepBooks>
const isTimed = ({ body }: OwnedRule) => body.trigger.type === 'TIME_BASED'

function keepBooks({ now, workers }: RuleWorld) {
  const rules: OwnedRule[] = []
  const model = makeRuleModel()
  const turns: Turn[] = []
  let looks = new Map<string, number>()
  let stopped = new Set<string>()
  return {
    rules,
    model,
    turns,

    /** Records that the service has a reason to check the rule's balance. */
    look: ({ id }: OwnedRule) => looks.set(id, (looks.get(id) ?? 0) + 1),

    stop: (rule: OwnedRule, state: OwnedRule['state']) => {
      if (isTimed(rule)) model.stop(rule.id, now(), workers.isAnyAlive())
      if (rule.state === 'ACTIVE') stopped.add(rule.id)
      rule.state = state
    },

    /** Ends a turn: nothing is due any more. */
    settle: () => {
      model.settle(now())
      const active = new Set(rules.filter(({ state }) => state === 'ACTIVE').map(({ id }) => id))
      turns.push({ at: now(), looks, active, stopped })
      looks = new Map()
      stopped = new Set()
    },

    /** The next fire of any rule of this wallet. */
    nextOf: (wallet: string): Date | undefined => {
      const own = rules.filter((rule) => rule.at.wallet === wallet && rule.state === 'ACTIVE' && isTimed(rule))
      const [first] = own.flatMap(({ id }) => model.next(id, 1)).sort()
      return first === undefined ? undefined : new Date(first)
    },
  }
}

function makeMaking({ api, wallets, now }: RuleWorld, { rules, model, look }: Books, random: Random) {
  const create = async (at: RuleWallet, body: RuleBody): Promise<OwnedRule> => {
    const { id } = await expectAnswer(api.post('/automation-rules', body))
    const amounts = [{ since: now(), amount: body.transactionTemplate.amount }]
    const rule: OwnedRule = { id, at, body, amounts, state: 'ACTIVE' }
    rules.push(rule)
    if (body.trigger.type === 'TIME_BASED') model.create(id, body.trigger.cronSchedule, now())
    look(rule)
    return rule
  }
  return {
    create: async () => {
      const at = oneOf(random, wallets)
      await create(at, anyRule(random, at, random() < 0.6 ? anyTimes(random, now()) : anyThreshold(random)))
    },

    /** Previews a rule, then creates it. */
    foresee: async (): Promise<Foreseen> => {
      const at = oneOf(random, wallets)
      const body = anyRule(random, at, anyTimes(random, now()))
      const { runs } = await expectAnswer(api.post('/automation-rules/preview', { ...body, runs: 3 }))
      return { rule: await create(at, body), since: now(), runs }
    },

    deposit: async () => {
      const amount = `${1 + below(random, 150)}${oneOf(random, ['', '.25'])}`
      await sendDeposit(api, oneOf(random, wallets).wallet, { amount, currency: 'USDC', chain: 'BASE' })
    },
  }
}

function makeChanging({ api, wallets, now }: RuleWorld, { rules, model, look, stop }: Books, random: Random) {
  const pick = (...states: OwnedRule['state'][]) =>
    oneOf(
      random,
      rules.filter(({ state }) => states.includes(state)),
    )
  return {
    change: async () => {
      const rule = pick('ACTIVE', 'PAUSED')
      if (!rule) return
      const amount = anyAmount(random)
      Object.assign(rule.body.transactionTemplate, { amount, destination: anyDestination(random, rule.at) })
      rule.amounts.push({ since: now(), amount })
      const body = { id: rule.id, ...rule.body }
      await expectAnswer(api.call('PUT', `/automation-rules/${rule.id}`, { body }))
      if (rule.state === 'ACTIVE') look(rule)
    },

    pause: async () => {
      const rule = pick('ACTIVE')
      if (!rule) return
      stop(rule, 'PAUSED')
      await expectAnswer(api.post(`/automation-rules/${rule.id}/pause`))
    },

    resume: async () => {
      const rule = pick('PAUSED')
      if (!rule) return
      rule.state = 'ACTIVE'
      await expectAnswer(api.post(`/automation-rules/${rule.id}/resume`))
      if (isTimed(rule)) model.resume(rule.id, now())
      look(rule)
    },

    remove: async () => {
      const rule = pick('ACTIVE', 'PAUSED')
      if (!rule || rules.filter(({ state }) => state !== 'DELETED').length < 6) return
      stop(rule, 'DELETED')
      await expectAnswer(api.delete(`/automation-rules/${rule.id}`))
    },

    stopServing: async () => {
      await api.post(`/customers/${oneOf(random, wallets).customerId}/deactivate`, { reason: 'Away' })
    },

    serveEveryone: async () => {
      for (const customerId of new Set(wallets.map((each) => each.customerId))) {
        const { status } = await api.post(`/customers/${customerId}/reactivate`, { reason: 'Back' })
        for (const rule of rules) if (status === 200 && rule.at.customerId === customerId) look(rule)
      }
    },
  }
}
