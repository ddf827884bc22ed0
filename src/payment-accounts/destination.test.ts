import { expect, test } from 'vitest'
import { destinationProblems } from './destination.ts'

const bank = {
  paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
  currency: 'EUR',
  paymentMethod: 'SEPA',
  walletType: null,
} as const
const external = {
  paymentAccountType: 'EXTERNAL_CRYPTO_WALLET',
  currency: 'USDC',
  paymentMethod: 'BASE',
  walletType: null,
} as const
const evm = { paymentAccountType: 'SVC_CRYPTO_WALLET', currency: null, paymentMethod: null, walletType: 'EVM' } as const
const solana = { ...evm, walletType: 'SOLANA' } as const
const auto = {
  paymentAccountType: 'SVC_AUTO_FIAT_ACCOUNT',
  currency: 'USD',
  paymentMethod: null,
  walletType: null,
} as const

// biome-ignore format: a table is read by column
test.each([
  // account     currency  over       field that is wrong
  [bank,         'EUR',    'SEPA',    undefined],
  [bank,         'USD',    'SEPA',    'destinationCurrency'],
  [bank,         'EUR',    'WIRE',    'destinationPaymentMethod'],
  [bank,         'USDC',   'BASE',    'destinationPaymentMethod'],
  [external,     'USDC',   'BASE',    undefined],
  [external,     'EURC',   'BASE',    'destinationCurrency'],
  [external,     'USDC',   'POLYGON', 'destinationPaymentMethod'],
  [external,     'USD',    'ACH',     'destinationPaymentMethod'],
  [evm,          'USDC',   'BASE',    undefined],
  [evm,          'USDC',   'POLYGON', undefined],
  [evm,          'EURC',   'BASE',    undefined],
  [evm,          'EURC',   'POLYGON', 'destinationCurrency'],
  [evm,          'USD',    'BASE',    'destinationCurrency'],
  [evm,          'USDC',   'SOLANA',  'destinationPaymentMethod'],
  [evm,          'USD',    'ACH',     'destinationPaymentMethod'],
  [solana,       'USDC',   'SOLANA',  undefined],
  [solana,       'EURC',   'SOLANA',  undefined],
  [solana,       'USDC',   'BASE',    'destinationPaymentMethod'],
  [solana,       'usdc',   'SOLANA',  'destinationCurrency'],
  [auto,         'USD',    'ACH',     'destinationPaymentAccountId'],
] as const)('%j can receive %s over %s, but for %s', (account, currency, paymentMethod, wrong) => {
  const [problem] = destinationProblems(account, { currency, paymentMethod })
  expect(problem?.field).toBe(wrong)
})
