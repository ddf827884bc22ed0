import { expect, test } from 'vitest'
import type { BankAccount } from '../../treasury/bank-account.ts'
import { createAccountFinder } from './read.ts'

const account = (bankAccountId: string, currency: string, coordinates: object) =>
  ({ bankAccountId, currency, files: { coordinates } }) as unknown as BankAccount
const byAch = account('usd-ach', 'USD', { accountNumber: '111000111', routingNumber: '021000021' })
const byWire = account('usd-wire', 'USD', { accountNumber: '222000222', routingNumber: '026009593' })
const euro = account('eur-main', 'EUR', { iban: 'DE75512108001245126199', bicSwift: 'SOGEDEFF' })
const find = createAccountFinder([byAch, byWire, euro], async ({ number }) => number === '8800000001')

test('the account behind a virtual account is the only one, or the one at the bank that the message names', async () => {
  expect(await find({ number: '8800000001', currency: 'EUR' })).toBe(euro)
  expect(await find({ number: '8800000001', currency: 'USD', bankId: '026009593' })).toBe(byWire)
  await expect(find({ number: '8800000001', currency: 'USD' })).rejects.toMatchObject({ code: 'SEVERAL_ACCOUNTS' })
  expect(await find({ number: '222000222', currency: 'USD' })).toBe(byWire)
  const withBic = account('usd-wire', 'USD', { accountNumber: '222000222', bicSwift: 'BOFAUS3N' })
  const findByBic = createAccountFinder([byAch, withBic], async () => true)
  expect(await findByBic({ number: '8800000001', currency: 'USD', bankId: 'BOFAUS3NXXX' })).toBe(withBic)
  expect(await findByBic({ number: '8800000001', currency: 'USD', bankId: 'CHASUS33' })).toBe(byAch)
  expect(await find({ number: '999', currency: 'USD' })).toBeUndefined()
})
