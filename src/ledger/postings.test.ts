import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { convert as convertAmount, type Rate } from '../lib/money.ts'
import { accountKinds } from './account.ts'
import * as facts from './postings.ts'

const USDC = 'USDC/BASE'
const [wallet, other, customer] = ['wallet-1', 'wallet-2', 'customer-1']
const rate = (units: bigint, scale: number): Rate => ({ units, scale })

/** Writes entries as one line. A debit is negative. */
function lineOf({ fact, entries }: facts.PostingContent): string {
  const words = entries.map(({ kind, holder, asset, amount }) => `${kind}${holder && `(${holder})`} ${asset} ${amount}`)
  return [fact, ...words].join(' · ')
}

// biome-ignore format: a table is read by column
test.each([
  [facts.depositToWallet({ paymentAccountId: wallet, asset: USDC, amount: 5n }),
    'DEPOSIT · CUSTODY USDC/BASE -5 · WALLET(wallet-1) USDC/BASE 5'],
  [facts.depositForTransaction({ at: 'usd-main', asset: 'USD', amount: 5n }),
    'DEPOSIT · BANK(usd-main) USD -5 · CLEARING USD 5'],
  [facts.depositForTransaction({ at: 'TREASURY', asset: USDC, amount: 5n }),
    'DEPOSIT · TREASURY USDC/BASE -5 · CLEARING USDC/BASE 5'],
  [facts.depositToSuspense({ at: 'eur-main', asset: 'EUR', amount: 5n }),
    'DEPOSIT · BANK(eur-main) EUR -5 · SUSPENSE EUR 5'],
  [facts.resolveSuspense({ to: { holding: 'eur-main' }, asset: 'EUR', amount: 5n }),
    'RESOLUTION · SUSPENSE EUR -5 · BANK(eur-main) EUR 5'],
  [facts.resolveSuspense({ to: 'CLEARING', asset: 'EUR', amount: 5n }),
    'RESOLUTION · SUSPENSE EUR -5 · CLEARING EUR 5'],
  [facts.resolveSuspense({ to: { wallet }, asset: USDC, amount: 5n }),
    'RESOLUTION · SUSPENSE USDC/BASE -5 · WALLET(wallet-1) USDC/BASE 5'],
  [facts.captureFromWallet({ paymentAccountId: wallet, asset: USDC, amount: 5n }),
    'CAPTURE · WALLET(wallet-1) USDC/BASE -5 · CLEARING USDC/BASE 5'],
  [facts.collect({ asset: USDC, amount: 5n }),
    'COLLECTION · TREASURY USDC/BASE -5 · CUSTODY USDC/BASE 5'],
  [facts.captureReturnedFunds({ customerId: customer, asset: 'USD', amount: 5n }),
    'CAPTURE · RETURNED_FUNDS(customer-1) USD -5 · CLEARING USD 5'],
  [facts.payout({ at: 'usd-main', asset: 'USD', amount: 5n }),
    'PAYOUT · CLEARING USD -5 · BANK(usd-main) USD 5'],
  [facts.payoutToWallet({ paymentAccountId: wallet, asset: USDC, amount: 5n }),
    'PAYOUT · CLEARING USDC/BASE -5 · WALLET(wallet-1) USDC/BASE 5 · CUSTODY USDC/BASE -5 · TREASURY USDC/BASE 5'],
  [facts.sendFromWallet({ paymentAccountId: wallet, asset: USDC, amount: 100n, svcFee: 3n, developerFee: 2n }),
    'TRANSFER · WALLET(wallet-1) USDC/BASE -100 · FEE_REVENUE USDC/BASE 3 · DEVELOPER_FEES USDC/BASE 2 · ' +
    'CUSTODY USDC/BASE 100 · UNCOLLECTED_FEES(wallet-1) USDC/BASE -3 · UNCOLLECTED_DEVELOPER_FEES(wallet-1) USDC/BASE -2'],
  [facts.sendFromWallet({ paymentAccountId: wallet, toPaymentAccountId: other, asset: USDC, amount: 100n, svcFee: 0n, developerFee: 0n }),
    'TRANSFER · WALLET(wallet-1) USDC/BASE -100 · CUSTODY USDC/BASE 100 · CUSTODY USDC/BASE -100 · WALLET(wallet-2) USDC/BASE 100'],
  [facts.refund({ at: 'usd-main', asset: 'USD', amount: 5n }),
    'REFUND · CLEARING USD -5 · BANK(usd-main) USD 5'],
  [facts.refundToWallet({ paymentAccountId: wallet, asset: USDC, amount: 5n }),
    'REFUND · CLEARING USDC/BASE -5 · WALLET(wallet-1) USDC/BASE 5'],
  [facts.refundToCustomer({ customerId: customer, asset: 'USD', amount: 5n }),
    'REFUND · CLEARING USD -5 · RETURNED_FUNDS(customer-1) USD 5'],
  [facts.returnPayout({ at: 'usd-main', to: { customerId: customer }, asset: 'USD', amount: 5n }),
    'RETURN · BANK(usd-main) USD -5 · RETURNED_FUNDS(customer-1) USD 5'],
  [facts.returnPayout({ at: 'usd-main', to: 'DEVELOPER_FEES', asset: 'USD', amount: 5n }),
    'RETURN · BANK(usd-main) USD -5 · DEVELOPER_FEES USD 5'],
  [facts.payDeveloperFees({ customerId: customer, asset: 'USD', amount: 5n }),
    'FEE_PAYOUT · DEVELOPER_FEES USD -5 · RETURNED_FUNDS(customer-1) USD 5'],
  [facts.payReturnedFunds({ at: 'usd-main', customerId: customer, asset: 'USD', amount: 5n }),
    'PAYOUT · RETURNED_FUNDS(customer-1) USD -5 · BANK(usd-main) USD 5'],
  [facts.disburseWallet({ paymentAccountId: wallet, asset: USDC, amount: 5n }),
    'PAYOUT · WALLET(wallet-1) USDC/BASE -5 · CUSTODY USDC/BASE 5'],
  [facts.sweepFees({ paymentAccountId: wallet, asset: USDC, svcFee: 5n, developerFee: 7n }),
    'FEE_SWEEP · TREASURY USDC/BASE -12 · UNCOLLECTED_FEES(wallet-1) USDC/BASE 5 · ' +
    'UNCOLLECTED_DEVELOPER_FEES(wallet-1) USDC/BASE 7'],
  [facts.networkCost({ at: 'TREASURY', asset: 'ETH/BASE', amount: 21_000n }),
    'NETWORK_COST · NETWORK_COSTS ETH/BASE -21000 · TREASURY ETH/BASE 21000'],
  [facts.refundNetworkCost({ at: 'usd-main', asset: 'USD', amount: 5n }),
    'NETWORK_COST · BANK(usd-main) USD -5 · NETWORK_COSTS USD 5'],
  [facts.rebalance({ at: 'usd-ach', asset: 'USD', amount: 50n }, { at: 'usd-wire', asset: 'USD', amount: 50n }),
    'REBALANCE · BANK(usd-ach) USD 50 · BANK(usd-wire) USD -50'],
  [facts.rebalance({ at: 'usd-ach', asset: 'USD', amount: 50n }, { at: 'usd-wire', asset: 'USD', amount: 47n }),
    'REBALANCE · BANK(usd-ach) USD 50 · NETWORK_COSTS USD -3 · BANK(usd-wire) USD -47'],
  [facts.rebalance({ at: 'TREASURY', asset: USDC, amount: 50n }, { at: 'TREASURY', asset: 'USDC/SOLANA', amount: 47n }),
    'REBALANCE · TREASURY USDC/BASE 50 · NETWORK_COSTS USDC/BASE -3 · FX_POSITION USDC/BASE -47 · ' +
    'FX_POSITION USDC/SOLANA 47 · TREASURY USDC/SOLANA -47'],
  [facts.fund({ at: 'TREASURY', asset: USDC, amount: 5n }),
    'FUNDING · TREASURY USDC/BASE -5 · OWN_FUNDS USDC/BASE 5'],
  [facts.withdraw({ at: 'usd-main', asset: 'USD', amount: 5n }),
    'WITHDRAWAL · OWN_FUNDS USD -5 · BANK(usd-main) USD 5'],
] as const)('%#: a fact and its entries', (content, line) => {
  expect(lineOf(content)).toBe(line)
})

describe('a conversion', () => {
  // 100.000000 USDC less 0.50 and 1.00 at 0.9137: 89.999450 EUR, of which 89.99 are paid; the rest is rounding.
  const made = facts.convert({
    source: { asset: USDC, amount: 100_000_000n, scale: 6 },
    svcFee: 500_000n,
    developerFee: 1_000_000n,
    rate: rate(9137n, 4),
    destination: { asset: 'EUR', amount: 8_999n, scale: 2 },
  })

  test('takes the fees first, and posts the rounding remainder to its own account', () => {
    expect(lineOf(made)).toBe(
      'CONVERSION · CLEARING USDC/BASE -100000000 · FEE_REVENUE USDC/BASE 500000 · DEVELOPER_FEES USDC/BASE 1000000 · ' +
        'FX_POSITION USDC/BASE 98489658 · ROUNDING USDC/BASE 10342 · FX_POSITION EUR -8999 · CLEARING EUR 8999',
    )
  })

  test('is reversed entry by entry', () => {
    expect(lineOf(facts.reverse(made))).toBe(
      lineOf(made)
        .replace('CONVERSION', 'REVERSAL')
        .replace(/-?\d+(?= ·|$)/g, (digits) => String(-BigInt(digits))),
    )
  })

  test('never gives more than its rate allows', () => {
    const generous = {
      source: { asset: USDC, amount: 1_000_000n, scale: 6 },
      svcFee: 0n,
      developerFee: 0n,
      rate: rate(1n, 0),
      destination: { asset: 'USD', amount: 101n, scale: 2 },
    }
    expect(() => facts.convert(generous)).toThrow('more than its rate allows')
  })

  test('loses nothing for any amount, fees, rate and scales', () => {
    const cases = fc.record({
      amount: fc.bigInt(1n, 10n ** 30n),
      fee: fc.bigInt(0n, 10n ** 12n),
      units: fc.bigInt(1n, 10n ** 15n),
      scales: fc.tuple(
        fc.integer({ min: 0, max: 18 }),
        fc.integer({ min: 0, max: 18 }),
        fc.integer({ min: 0, max: 12 }),
      ),
    })
    fc.assert(
      fc.property(cases, ({ amount, fee, units, scales: [from, to, decimals] }) => {
        const price = rate(units, decimals)
        const destination = convertAmount(amount, from, price, to, 'down')
        fc.pre(destination > 0n)
        const { entries } = facts.convert({
          source: { asset: USDC, amount: amount + fee, scale: from },
          svcFee: fee,
          developerFee: 0n,
          rate: price,
          destination: { asset: 'EUR', amount: destination, scale: to },
        })
        for (const asset of [USDC, 'EUR']) expect(sumOf(entries.filter((entry) => entry.asset === asset))).toBe(0n)
        const rounding = sumOf(entries.filter((entry) => entry.kind === 'ROUNDING'))
        const cost = sumOf(entries.filter((entry) => entry.kind === 'FX_POSITION' && entry.asset === USDC))
        expect(rounding).toBeGreaterThanOrEqual(0n)
        // The cost buys this destination; one unit less would not.
        expect(convertAmount(cost, from, price, to, 'down')).toBeGreaterThanOrEqual(destination)
        expect(convertAmount(cost - 1n, from, price, to, 'down')).toBeLessThan(destination)
      }),
      { numRuns: 2_000 },
    )
  })
})

test('an amount of zero, a negative amount and a transfer of fees alone are refused', () => {
  expect(() => facts.depositToWallet({ paymentAccountId: wallet, asset: USDC, amount: 0n })).toThrow('positive')
  expect(() => facts.payout({ at: 'TREASURY', asset: USDC, amount: -1n })).toThrow('positive')
  const usd = (at: string, amount: bigint) => ({ at, asset: 'USD', amount })
  expect(() => facts.rebalance(usd('usd-ach', 5n), usd('usd-wire', 6n))).toThrow('what has left')
  expect(() => facts.rebalance(usd('usd-ach', 5n), usd('usd-wire', 0n))).toThrow('one unit')
  const fees = { svcFee: 3n, developerFee: 2n }
  expect(() => facts.sendFromWallet({ paymentAccountId: wallet, asset: USDC, amount: 5n, ...fees })).toThrow('fees')
})

test('only accounts that owe a customer keep a balance', () => {
  for (const kind of Object.values(accountKinds).filter(({ keepsBalance }) => keepsBalance)) {
    expect(kind).toMatchObject({ side: 'credit', per: expect.stringMatching(/payment account|customer/) })
  }
})

function sumOf(entries: readonly { amount: bigint }[]): bigint {
  return entries.reduce((sum, { amount }) => sum + amount, 0n)
}
