import { expect, test } from 'vitest'
import { type Asset, currencyOf, type FiatRail } from '../../../src/catalog/currencies.ts'
import type { PaymentMethod } from '../../../src/catalog/payment-methods.ts'
import { renderParts } from '../../../src/forms/pay/html.ts'
import type { Transfer } from '../../../src/forms/pay/transfer.ts'
import { transferInstructions } from '../../../src/quotes/transfer-instructions.ts'
import { sandboxReceivingAccounts } from '../../../src/sandbox/receiving-accounts.ts'
import { readQrCode } from '../../support/forms/qr-code.ts'

/** A transfer on a rail, with the instructions that a quote has. */
function transferOf(method: PaymentMethod, asset: Asset, more: Partial<Transfer> = {}): Transfer {
  const receiving = sandboxReceivingAccounts[method as FiatRail]
  const currency = currencyOf('sandbox', asset)
  const wanted = { asset, method, amount: 25_000_000n, currency, environment: 'sandbox', receiving } as const
  const instructions = transferInstructions(wanted) ?? expect.fail('the rail has no account')
  return {
    organizationId: 'an organization',
    transactionId: 'a transaction',
    linkVersion: 1,
    status: 'AWAITING_TRANSFER',
    asset,
    method,
    amount: String(wanted.amount),
    received: '0',
    seen: '0',
    confirmations: null,
    instructions: instructions.replaceAll('$MESSAGE', 'SVC7K2MPQ4WX8RTB').replaceAll('$ADDRESS', 'DepositAddress1'),
    refundStatus: null,
    refundAmount: null,
    expiresAt: new Date('2026-01-02T12:00:00Z'),
    now: new Date('2026-01-01T12:00:00Z'),
    ...more,
  }
}

const linesOf = ({ transfer }: { transfer: string }) =>
  [...transfer.matchAll(/<dt>(.*?)<\/dt><dd><bdi class="value">(.*?)<\/bdi>/g)].map(([, label, value]) => [
    label,
    value,
  ])

const svgOf = ({ transfer }: { transfer: string }) => /<svg .*<\/svg>/s.exec(transfer)?.[0]

const bank = ['Bank', 'Sandbox Bank']
const address = ['Address of the bank', '1 Sandbox Street, Springfield']
const message = ['Message', 'SVC7K2MPQ4WX8RTB']
const american = [['Account number', '900000000001'], ['Routing number', '021000021'], bank, address, message]

// biome-ignore format: a table is read by column
const rails: [method: FiatRail, asset: Asset, title: string, amount: string, lines: (string | undefined)[][]][] = [
  ['ACH',  'USD', 'Pay $250,000.00 by ACH transfer',  '$250,000.00', american],
  ['WIRE', 'USD', 'Pay $250,000.00 by wire transfer', '$250,000.00', american],
  ['CA_INTERAC', 'CAD', 'Pay CA$250,000.00 by Interac transfer', 'CA$250,000.00',
    [['Account number', '9000003'], ['Institution number', '003'], ['Transit number', '12345'], bank, message]],
  ['IN_NEFT_RTGS_IMPS', 'INR', 'Pay ₹250,000.00 by NEFT, RTGS or IMPS transfer', '₹250,000.00',
    [['Account number', '900000000004'], ['IFSC', 'HDFC0000001'], bank, message]],
]

test.each(rails)('%s: each line of the instructions, and no code', (method, asset, title, amount, lines) => {
  const parts = renderParts(transferOf(method, asset), 'en-u-nu-latn')
  expect(parts.head).toContain(`<h1>${title}</h1>`)
  expect(linesOf(parts)).toEqual([['Amount', amount], ['Recipient', 'Svc Sandbox'], ...lines])
  expect(parts.transfer).toContain('data-copy="250000.00"')
  expect(svgOf(parts)).toBeUndefined()
})

test.each(Object.entries(sandboxReceivingAccounts))('%s: no part of our account is left out', (method, account) => {
  const asset = { ACH: 'USD', WIRE: 'USD', SEPA: 'EUR', CA_INTERAC: 'CAD', IN_NEFT_RTGS_IMPS: 'INR' }[method] as Asset
  const { transfer } = renderParts(transferOf(method as FiatRail, asset), 'ar-u-nu-latn')
  const copied = [...transfer.matchAll(/data-copy="(.*?)"/g)].map(([, value]) => value)
  expect(copied).toEqual(expect.arrayContaining([...Object.values(account), 'SVC7K2MPQ4WX8RTB']))
})

test('Solana: the address, and a code with what is still due', () => {
  const asset = 'USDC/SOLANA' as Asset
  const whole = renderParts(transferOf('SOLANA', asset), 'en-u-nu-latn')
  const { contractAddress } = currencyOf('sandbox', asset) as { contractAddress: string }
  expect(whole.head).toContain('<h1>Pay 25.00 USDC on Solana</h1>')
  expect(whole.transfer).toContain('Send only USDC on Solana.')
  expect(linesOf(whole)).toEqual([
    ['Amount', '25.00 USDC'],
    ['Network', 'Solana'],
    ['Address', 'DepositAddress1'],
    ['Token contract', contractAddress],
  ])
  const link = (amount: string) =>
    `solana:DepositAddress1?amount=${amount}&spl-token=${contractAddress}&reference=DepositAddress1`
  expect(readQrCode(svgOf(whole) ?? '')).toBe(link('25.000000'))
  const rest = renderParts(transferOf('SOLANA', asset, { received: '10500000' }), 'en-u-nu-latn')
  expect(readQrCode(svgOf(rest) ?? '')).toBe(link('14.500000'))
})
