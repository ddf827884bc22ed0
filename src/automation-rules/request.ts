import { type Asset, assetOf, type Currency, scaleOf } from '../catalog/currencies.ts'
import type { PaymentMethod } from '../catalog/payment-methods.ts'
import { isUuid } from '../lib/ids.ts'
import { parseAmount } from '../lib/money.ts'
import type { FieldProblem } from '../lib/refusal.ts'
import { destinationProblems } from '../payment-accounts/destination.ts'
import type { DeveloperFeeType } from '../quotes/quote.ts'
import type { RuleAccount } from './references.ts'
import type { AmountType, Rule, TriggerType } from './rule.ts'
import { hundredPercent, percentScale } from './runs/amount.ts'
import { nextRunAfter, parseCron } from './triggers/cron.ts'

/** The terms of a rule: what it moves and when, without its owner. */
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

/** Reads a value of a body that need not be valid; undefined when a step of the path is missing. */
export function valueAt(body: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inside, step) => (inside as Record<string, unknown> | undefined)?.[step], body)
}

export const fieldPath = (side: Side, part: 'PaymentAccountId' | 'PaymentMethod' | 'Currency') =>
  `transactionTemplate.${side}.${side}${part}`

/** Reads an id in lower case, as ids are stored. */
export function idAt(body: unknown, path: string): string | undefined {
  const id = valueAt(body, path)
  return typeof id === 'string' && isUuid(id) ? id.toLowerCase() : undefined
}

/** Reads the asset of one side; undefined when it does not exist or the sent currency object contradicts it. */
export function assetAt(body: unknown, side: Side, showCurrency: ShowCurrency): Asset | undefined {
  const currency = valueAt(body, fieldPath(side, 'Currency'))
  const label = typeof currency === 'string' ? currency : valueAt(currency, 'label')
  const method = valueAt(body, fieldPath(side, 'PaymentMethod'))
  if (typeof label !== 'string' || typeof method !== 'string') return undefined
  const asset = assetOf(label, method)
  return asset && (typeof currency === 'string' || agrees(currency, showCurrency(asset))) ? asset : undefined
}

/** Checks that each field of a sent currency object, if present, equals the answer's. */
function agrees(sent: unknown, shown: Currency): boolean {
  const expected = shown as Record<string, unknown>
  return ['chain', 'contractAddress', 'currencyDecimals'].every((name) => {
    const value = valueAt(sent, name)
    return value === undefined || value === expected[name]
  })
}

/** Reads the terms and lists their problems beyond the schema. The terms are usable only if there are none. */
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
      sourcePaymentAccountId: idAt(body, fieldPath('source', 'PaymentAccountId')) ?? '',
      sourceAsset: assets.source as Asset,
      sourceMethod: valueAt(body, fieldPath('source', 'PaymentMethod')) as PaymentMethod,
      destinationPaymentAccountId: idAt(body, fieldPath('destination', 'PaymentAccountId')) ?? '',
      destinationAsset: assets.destination as Asset,
      destinationMethod: valueAt(body, fieldPath('destination', 'PaymentMethod')) as PaymentMethod,
      ...amount.terms,
      ...fee.terms,
      ...trigger.terms,
    },
    problems: [...sides, ...amount.problems, ...fee.problems, ...trigger.problems],
  }
}

function sideProblems(body: unknown, assets: Record<Side, Asset | undefined>): FieldProblem[] {
  const [from, to] = (['source', 'destination'] as const).map((side) => idAt(body, fieldPath(side, 'PaymentAccountId')))
  const problems = (['source', 'destination'] as const)
    .filter((side) => assets[side] === undefined)
    .map((side) => ({ field: fieldPath(side, 'Currency'), message: 'must be a currency of the payment method' }))
  if (from === undefined || from !== to) return problems
  const message = 'must differ from the source account'
  return [{ field: fieldPath('destination', 'PaymentAccountId'), message }, ...problems]
}

type TermsPart<Terms extends keyof RuleTerms> = { terms: Pick<RuleTerms, Terms>; problems: FieldProblem[] }

function readAmount(body: unknown, asset: Asset | undefined): TermsPart<'amountType' | 'amountText' | 'amountUnits'> {
  const field = 'transactionTemplate.amount.value'
  const amountType = valueAt(body, 'transactionTemplate.amount.type') as AmountType
  const amountText = valueAt(body, field) as string
  const terms = { amountType, amountText, amountUnits: '0' }
  const scale = amountType === 'PCT' ? percentScale : asset && scaleOf(asset)
  if (typeof amountText !== 'string' || scale === undefined) return { terms, problems: [] }
  const parsed = parseAmount(amountText, scale)
  if (!parsed.ok) return { terms, problems: [{ field, message: parsed.problem }] }
  const { units } = parsed
  if (amountType === 'PCT' && units > hundredPercent)
    return { terms, problems: [{ field, message: 'must be at most 100' }] }
  if (amountType === 'FLAT' && units === 0n)
    return { terms, problems: [{ field, message: 'must be greater than zero' }] }
  return { terms: { ...terms, amountUnits: String(units) }, problems: [] }
}

/** Reads the fee, which is stored as text because each quote parses it. Only a quote can tell whether it covers svcFee. */
function readDeveloperFee(body: unknown, asset: Asset | undefined): TermsPart<'developerFeeType' | 'developerFeeText'> {
  const sent = valueAt(body, 'transactionTemplate.developerFee')
  if (sent === undefined) return { terms: { developerFeeType: null, developerFeeText: null }, problems: [] }
  const developerFeeType = valueAt(sent, 'developerFeeType') as DeveloperFeeType
  const developerFeeText = valueAt(sent, 'developerFeeAmount') as string
  const scale = developerFeeType === 'USD' ? scaleOf('USD') : asset && scaleOf(asset)
  const isReadable = typeof developerFeeText === 'string' && scale !== undefined
  const parsed = isReadable ? parseAmount(developerFeeText, scale) : undefined
  const field = 'transactionTemplate.developerFee.developerFeeAmount'
  const problems = parsed?.ok === false ? [{ field, message: parsed.problem }] : []
  return { terms: { developerFeeType, developerFeeText }, problems }
}

type TriggerTerms = 'triggerType' | 'cronSchedule' | 'thresholdText' | 'thresholdUnits'

function readTrigger(body: unknown, asset: Asset | undefined): TermsPart<TriggerTerms> {
  const triggerType = valueAt(body, 'trigger.type') as TriggerType
  const none = { triggerType, cronSchedule: null, thresholdText: null, thresholdUnits: null }
  const isTimed = triggerType === 'TIME_BASED'
  if (!isTimed && triggerType !== 'THRESHOLD_BASED') return { terms: none, problems: [] }
  const [own, other] = isTimed ? ['cronSchedule', 'thresholdAmount'] : ['thresholdAmount', 'cronSchedule']
  const text = valueAt(body, `trigger.${own}`)
  const misplaced =
    valueAt(body, `trigger.${other}`) === undefined
      ? []
      : [{ field: `trigger.${other}`, message: `must be left out of a ${triggerType} rule` }]
  const field = `trigger.${own}`
  if (text === undefined) return { terms: none, problems: [{ field, message: 'is required' }, ...misplaced] }
  if (typeof text !== 'string') return { terms: none, problems: misplaced }
  const { message, units } = isTimed ? { message: scheduleProblem(text), units: null } : readThreshold(text, asset)
  const terms = isTimed ? { ...none, cronSchedule: text } : { ...none, thresholdText: text, thresholdUnits: units }
  return { terms, problems: [...(message === undefined ? [] : [{ field, message }]), ...misplaced] }
}

function readThreshold(text: string, asset: Asset | undefined): { message: string | undefined; units: string | null } {
  const parsed = asset && parseAmount(text, scaleOf(asset))
  if (!parsed) return { message: undefined, units: null }
  if (!parsed.ok) return { message: parsed.problem, units: null }
  return { message: parsed.units === 0n ? 'must be greater than zero' : undefined, units: String(parsed.units) }
}

function scheduleProblem(text: string): string | undefined {
  const parsed = parseCron(text)
  return parsed.ok ? undefined : parsed.message
}

/** Finds a valid schedule that never fires. Creation refuses it; a preview only warns. */
export function neverFiresProblems(body: unknown): FieldProblem[] {
  const text = valueAt(body, 'trigger.cronSchedule')
  const parsed = typeof text === 'string' ? parseCron(text) : undefined
  // Any instant will do: a schedule that fires once fires again after every instant.
  if (!parsed?.ok || nextRunAfter(parsed.value, new Date(0)) !== undefined) return []
  return [{ field: 'trigger.cronSchedule', message: 'never fires: no year has such a date' }]
}

/**
 * Lists why an account cannot be a side of a rule: money leaves service wallets only, and enters no auto fiat account.
 */
export function fitProblems(body: unknown, side: Side, account: RuleAccount): FieldProblem[] {
  const paymentMethod = valueAt(body, fieldPath(side, 'PaymentMethod'))
  const sent = valueAt(body, fieldPath(side, 'Currency'))
  const currency = typeof sent === 'string' ? sent : valueAt(sent, 'label')
  if (side === 'source' && account.paymentAccountType !== 'SVC_CRYPTO_WALLET') {
    return [{ field: fieldPath(side, 'PaymentAccountId'), message: 'must be a service wallet (SVC_CRYPTO_WALLET)' }]
  }
  if (typeof currency !== 'string' || typeof paymentMethod !== 'string') return []
  return destinationProblems(account, { currency, paymentMethod }).map(({ field, message }) => ({
    field: `transactionTemplate.${side}.${field.replace(/^destination/, side)}`,
    message,
  }))
}
