import { type Asset, assetOf, type Currency, scaleOf } from '../catalog/currencies.ts'
import type { PaymentMethod } from '../catalog/payment-methods.ts'
import { isUuid } from '../lib/ids.ts'
import { parseAmount } from '../lib/money.ts'
import type { FieldProblem } from '../lib/refusal.ts'
import { destinationProblems } from '../payment-accounts/destination.ts'
import type { DeveloperFeeType } from '../quotes/quote.ts'
import type { RuleAccount } from './references.ts'
import type { AmountType, Rule, TriggerType } from './rule.ts'
import { nextRunAfter, parseCron } from './triggers/cron.ts'

/** What a rule does, and when: all of it but whose it is. */
export type RuleTerms = Pick<
  Rule,
  | 'sourcePaymentAccountId'
  | 'sourceAsset'
  | 'sourceMethod'
  | 'destinationPaymentAccountId'
  | 'destinationAsset'
  | 'destinationMethod'
  | 'amountType'
  | 'amountText'
  | 'amountUnits'
  | 'developerFeeType'
  | 'developerFeeText'
  | 'triggerType'
  | 'cronSchedule'
  | 'thresholdText'
  | 'thresholdUnits'
>

export type ShowCurrency = (asset: Asset) => Currency
export type Side = 'source' | 'destination'

/** Ten-thousandths of a percent. */
const percentScale = 4
const wholeBalance = 100n * 10n ** BigInt(percentScale)

/** Any part of a body, which need not have validated: undefined where there is none. */
export function partOf(body: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inside, step) => (inside as Record<string, unknown> | undefined)?.[step], body)
}

export const fieldOf = (side: Side, part: 'PaymentAccountId' | 'PaymentMethod' | 'Currency') =>
  `transactionTemplate.${side}.${side}${part}`

/** An id that stands there, in the one case that ids are stored in. */
export function idAt(body: unknown, path: string): string | undefined {
  const id = partOf(body, path)
  return typeof id === 'string' && isUuid(id) ? id.toLowerCase() : undefined
}

/** The asset that one side names; undefined when there is no such thing, or it contradicts itself. */
export function assetAt(body: unknown, side: Side, showCurrency: ShowCurrency): Asset | undefined {
  const currency = partOf(body, fieldOf(side, 'Currency'))
  const label = typeof currency === 'string' ? currency : partOf(currency, 'label')
  const method = partOf(body, fieldOf(side, 'PaymentMethod'))
  if (typeof label !== 'string' || typeof method !== 'string') return undefined
  const asset = assetOf(label, method)
  return asset && (typeof currency === 'string' || isShown(currency, showCurrency(asset))) ? asset : undefined
}

/** A currency that comes back as an answer showed it may leave out what it likes, and may say nothing else. */
function isShown(sent: unknown, shown: Currency): boolean {
  const expected = shown as Record<string, unknown>
  return ['chain', 'contractAddress', 'currencyDecimals'].every((name) => {
    const value = partOf(sent, name)
    return value === undefined || value === expected[name]
  })
}

/** What is wrong with the terms by themselves, beside what the schema says; and the terms, if nothing is. */
export function readTerms(body: unknown, showCurrency: ShowCurrency): { terms: RuleTerms; problems: FieldProblem[] } {
  const assets = {
    source: assetAt(body, 'source', showCurrency),
    destination: assetAt(body, 'destination', showCurrency),
  }
  const amount = readAmount(body, assets.source)
  const fee = readDeveloperFee(body, assets.source)
  const trigger = readTrigger(body, assets.source)
  const sides = sideProblems(body, assets)
  return {
    terms: {
      sourcePaymentAccountId: idAt(body, fieldOf('source', 'PaymentAccountId')) ?? '',
      sourceAsset: assets.source as Asset,
      sourceMethod: partOf(body, fieldOf('source', 'PaymentMethod')) as PaymentMethod,
      destinationPaymentAccountId: idAt(body, fieldOf('destination', 'PaymentAccountId')) ?? '',
      destinationAsset: assets.destination as Asset,
      destinationMethod: partOf(body, fieldOf('destination', 'PaymentMethod')) as PaymentMethod,
      ...{ ...amount.terms, ...fee.terms, ...trigger.terms },
    },
    problems: [...sides, ...amount.problems, ...fee.problems, ...trigger.problems],
  }
}

function sideProblems(body: unknown, assets: Record<Side, Asset | undefined>): FieldProblem[] {
  const [from, to] = (['source', 'destination'] as const).map((side) => idAt(body, fieldOf(side, 'PaymentAccountId')))
  const problems = (['source', 'destination'] as const)
    .filter((side) => assets[side] === undefined)
    .map((side) => ({ field: fieldOf(side, 'Currency'), message: 'is not a currency of that payment method' }))
  if (from === undefined || from !== to) return problems
  const message = 'must be another account than the source'
  return [{ field: fieldOf('destination', 'PaymentAccountId'), message }, ...problems]
}

type Read<Terms extends keyof RuleTerms> = { terms: Pick<RuleTerms, Terms>; problems: FieldProblem[] }

function readAmount(body: unknown, asset: Asset | undefined): Read<'amountType' | 'amountText' | 'amountUnits'> {
  const field = 'transactionTemplate.amount.value'
  const amountType = partOf(body, 'transactionTemplate.amount.type') as AmountType
  const amountText = partOf(body, field) as string
  const terms = { amountType, amountText, amountUnits: '0' }
  const scale = amountType === 'PCT' ? percentScale : asset && scaleOf(asset)
  if (typeof amountText !== 'string' || scale === undefined) return { terms, problems: [] }
  const parsed = parseAmount(amountText, scale)
  if (!parsed.ok) return { terms, problems: [{ field, message: parsed.problem }] }
  const { units } = parsed
  if (amountType === 'PCT' && units > wholeBalance)
    return { terms, problems: [{ field, message: 'must be at most 100' }] }
  if (amountType === 'FLAT' && units === 0n)
    return { terms, problems: [{ field, message: 'must be greater than zero' }] }
  return { terms: { ...terms, amountUnits: String(units) }, problems: [] }
}

/** Stored as it was written: a quote reads it anew each time. Whether it is enough is known at firing. */
function readDeveloperFee(body: unknown, asset: Asset | undefined): Read<'developerFeeType' | 'developerFeeText'> {
  const sent = partOf(body, 'transactionTemplate.developerFee')
  if (sent === undefined) return { terms: { developerFeeType: null, developerFeeText: null }, problems: [] }
  const developerFeeType = partOf(sent, 'developerFeeType') as DeveloperFeeType
  const developerFeeText = partOf(sent, 'developerFeeAmount') as string
  const scale = developerFeeType === 'USD' ? scaleOf('USD') : asset && scaleOf(asset)
  const isReadable = typeof developerFeeText === 'string' && scale !== undefined
  const parsed = isReadable ? parseAmount(developerFeeText, scale) : undefined
  const field = 'transactionTemplate.developerFee.developerFeeAmount'
  const problems = parsed?.ok === false ? [{ field, message: parsed.problem }] : []
  return { terms: { developerFeeType, developerFeeText }, problems }
}

type TriggerTerms = 'triggerType' | 'cronSchedule' | 'thresholdText' | 'thresholdUnits'

function readTrigger(body: unknown, asset: Asset | undefined): Read<TriggerTerms> {
  const triggerType = partOf(body, 'trigger.type') as TriggerType
  const none = { triggerType, cronSchedule: null, thresholdText: null, thresholdUnits: null }
  const isTimed = triggerType === 'TIME_BASED'
  if (!isTimed && triggerType !== 'THRESHOLD_BASED') return { terms: none, problems: [] }
  const [own, other] = isTimed ? ['cronSchedule', 'thresholdAmount'] : ['thresholdAmount', 'cronSchedule']
  const text = partOf(body, `trigger.${own}`)
  const misplaced =
    partOf(body, `trigger.${other}`) === undefined
      ? []
      : [{ field: `trigger.${other}`, message: `must be left out of a ${triggerType} rule` }]
  const field = `trigger.${own}`
  if (text === undefined) return { terms: none, problems: [{ field, message: 'is required' }, ...misplaced] }
  if (typeof text !== 'string') return { terms: none, problems: misplaced }
  const { message, units } = isTimed ? { message: whyNoSchedule(text), units: null } : readThreshold(text, asset)
  const terms = isTimed ? { ...none, cronSchedule: text } : { ...none, thresholdText: text, thresholdUnits: units }
  return { terms, problems: [...(message === undefined ? [] : [{ field, message }]), ...misplaced] }
}

function readThreshold(text: string, asset: Asset | undefined): { message: string | undefined; units: string | null } {
  const parsed = asset && parseAmount(text, scaleOf(asset))
  if (!parsed) return { message: undefined, units: null }
  if (!parsed.ok) return { message: parsed.problem, units: null }
  return { message: parsed.units === 0n ? 'must be greater than zero' : undefined, units: String(parsed.units) }
}

function whyNoSchedule(text: string): string | undefined {
  const parsed = parseCron(text)
  return parsed.ok ? undefined : parsed.message
}

/** What a schedule is for: apart from its form, because a preview shows one that never fires and only warns. */
export function firingProblems(body: unknown): FieldProblem[] {
  const text = partOf(body, 'trigger.cronSchedule')
  const parsed = typeof text === 'string' ? parseCron(text) : undefined
  // What comes after one instant comes after every one.
  if (!parsed?.ok || nextRunAfter(parsed.value, new Date(0)) !== undefined) return []
  return [{ field: 'trigger.cronSchedule', message: 'names no day that any year has: it would never fire' }]
}

/** Whether an account can be that side of a rule: money leaves service wallets only, and never enters an auto account. */
export function fitProblems(body: unknown, side: Side, account: RuleAccount): FieldProblem[] {
  const paymentMethod = partOf(body, fieldOf(side, 'PaymentMethod'))
  const sent = partOf(body, fieldOf(side, 'Currency'))
  const currency = typeof sent === 'string' ? sent : partOf(sent, 'label')
  if (side === 'source' && account.paymentAccountType !== 'SVC_CRYPTO_WALLET') {
    return [{ field: fieldOf(side, 'PaymentAccountId'), message: 'must be a service wallet (SVC_CRYPTO_WALLET)' }]
  }
  if (typeof currency !== 'string' || typeof paymentMethod !== 'string') return []
  return destinationProblems(account, { currency, paymentMethod }).map(({ field, message }) => ({
    field: `transactionTemplate.${side}.${field.replace(/^destination/, side)}`,
    message,
  }))
}
