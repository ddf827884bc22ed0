import Type, { type Static } from 'typebox'
import { isAsset, scaleOf } from '../../catalog/currencies.ts'
import { nativeScaleOf } from '../../catalog/native-coins.ts'
import { NextPageToken, oneOf, pageQuery, resource } from '../../http/wire.ts'
import { formatAmount } from '../../lib/money.ts'
import { agedAfterDays, type Item, isAged, itemKinds, itemStates } from './reconciliation.ts'
import type { ReconciledAccount, ReconciledNetwork, ReconciliationPage } from './service.ts'

const Day = Type.String({ format: 'date', examples: ['2026-11-16'] })
const Amount = (description: string, example: string) => Type.String({ description, examples: [example] })

const ItemAnswer = resource('ReconciliationItem', {
  state: oneOf(
    itemStates,
    'MATCHED: both sides have it. MISSING: the ledger has it, and the bank or chain does not. UNEXPECTED: the other way round',
  ),
  kind: oneOf(
    itemKinds,
    'What the reference names: our payment (PAYOUT, RETURN), the bank’s credit (DEPOSIT, REVERSAL), a debit for a payment ' +
      'that was paid before (SECOND_DEBIT), what an operator recorded (OWN), an unexplained booking (ENTRY), the balance ' +
      'before the first statement (OPENING), or a missing statement (GAP). On networks: a payout on its way (PAYOUT), an ' +
      'address with tokens that are not credited yet (DEPOSIT) or too small for it (DUST), a treasury that received what ' +
      'no operator recorded (UNRECORDED), a fee on its way (FEES), an address that has more or less than all records ' +
      'explain (ADDRESS), a ledger that differs from the records of deposits and payouts (RECORDS), or an address whose ' +
      'customers have more than those records (CLAIMS)',
  ),
  reference: Type.String({ examples: ['8C1B5A0F6B1F4AX'] }),
  amount: Amount('Positive for money that came in', '-120.00'),
  ageDays: Type.Integer({ description: 'Days since its first movement', examples: [1] }),
  isAged: Type.Boolean({
    description: `An open item that is ${agedAfterDays} days old, or an alarm at once: look into it`,
  }),
  isAccepted: Type.Optional(
    Type.Boolean({ description: 'An operator knows the difference and expects nothing more: it is no alarm' }),
  ),
  matchedOn: Type.Optional(
    Type.String({ format: 'date', description: 'The later day on which both sides agreed', examples: ['2026-11-17'] }),
  ),
})

const AccountAnswer = resource('ReconciledAccount', {
  account: Type.String({
    description: 'Our bank account, or our addresses on a network: “BASE USDC treasury”',
    examples: ['eur-main'],
  }),
  currency: Type.String({ examples: ['EUR'] }),
  ledger: Amount('The balance in the ledger', '1200.00'),
  outside: Amount(
    'The balance at the bank or on the network. In the sandbox without the play money with which its bank opens accounts',
    '1080.00',
  ),
  difference: Amount('outside less ledger: the sum of the open items', '-120.00'),
  lastStatement: Type.Optional(
    Type.String({
      format: 'date',
      description: 'The last statement of the bank up to this day',
      examples: ['2026-11-16'],
    }),
  ),
  items: Type.Array(ItemAnswer),
})

const NetworkAnswer = resource('ReconciledNetwork', {
  network: Type.String({ examples: ['BASE'] }),
  isCompared: Type.Boolean({ description: 'False is an alarm: `accounts` has nothing about this network' }),
  problem: Type.Optional(Type.String({ description: 'Why it is not compared', examples: ['the nodes do not answer'] })),
  comparedAt: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Business time of the comparison, or of the attempt. The first one after the day tells how it ended',
      examples: ['2026-11-17T00:00:05.000Z'],
    }),
  ),
  block: Type.Optional(
    Type.Object(
      { number: Type.String({ examples: ['21904551'] }), hash: Type.String({ examples: ['0x5f1c…'] }) },
      { description: 'The final block, or slot, at which balances were read' },
    ),
  ),
})

export const ReconciliationAnswer = resource('Reconciliation', {
  date: Day,
  networks: Type.Array(NetworkAnswer),
  accounts: Type.Array(AccountAnswer),
  nextPageToken: NextPageToken,
})

export const ReconciliationQuery = Type.Object({
  date: Type.Optional(Day),
  ...pageQuery,
  pageSize: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 100, description: 'Maximum number of items to return' }),
  ),
})

export const StatementQuery = Type.Object({
  account: Type.String({ description: 'A bank account of ours', examples: ['eur-main'] }),
  date: Type.String({ format: 'date', description: 'A day that has ended, in UTC', examples: ['2026-11-16'] }),
})

export const StatementCsv = Type.String({
  examples: [
    'date,kind,reference,bankReference,fact,posting,amount,balance\r\n' +
      '2026-11-16,OPENING_BALANCE,,,,,,1000.00\r\n' +
      '2026-11-16,PAYOUT,8C1B5A0F6B1F4AX,B-77,PAYOUT,transaction:0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11:payout,-120.00,880.00\r\n' +
      '2026-11-16,CLOSING_BALANCE,,,,,,880.00\r\n',
  ],
})

export const StatementXml = Type.String({
  examples: [
    '<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">…',
  ],
})

export function presentReconciliation(reconciliation: ReconciliationPage): Static<typeof ReconciliationAnswer> {
  const { date, accounts, networks, nextPageToken } = reconciliation
  const all = [...accounts, ...networks.flatMap((network) => network.accounts)]
  return { date, networks: networks.map(presentNetwork), accounts: all.map(presentAccount), nextPageToken }
}

function presentNetwork({ network, problem, comparedAt, block }: ReconciledNetwork): Static<typeof NetworkAnswer> {
  return {
    network,
    isCompared: problem === undefined,
    ...(problem === undefined ? {} : { problem }),
    ...(comparedAt === undefined ? {} : { comparedAt: comparedAt.toISOString() }),
    ...(block === undefined ? {} : { block: { number: String(block.number), hash: block.hash } }),
  }
}

function presentAccount(reconciled: ReconciledAccount): Static<typeof AccountAnswer> {
  const { account, asset, ledger, outside, items, lastStatement } = reconciled
  const show = (units: bigint) => formatAmount(units, decimalsOf(asset))
  return {
    account,
    currency: asset.split('/')[0] ?? asset,
    ledger: show(ledger),
    outside: show(outside),
    difference: show(outside - ledger),
    ...(lastStatement === undefined ? {} : { lastStatement }),
    items: items.map((item) => presentItem(item, show)),
  }
}

/** The decimals of a currency, a token or the coin of a network. */
export function decimalsOf(asset: string): number {
  return isAsset(asset) ? scaleOf(asset) : nativeScaleOf(asset)
}

function presentItem(item: Item, show: (units: bigint) => string): Static<typeof ItemAnswer> {
  const { state, kind, reference, amount, ageDays, matchedOn, isAccepted } = item
  return {
    state,
    kind,
    reference,
    amount: show(amount),
    ageDays,
    isAged: isAged(item),
    ...(isAccepted ? { isAccepted } : {}),
    ...(matchedOn === undefined ? {} : { matchedOn }),
  }
}
