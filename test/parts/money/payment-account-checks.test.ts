import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { createCustomer } from '../../support/customers/customers.ts'
import { createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import { makeEvmAddress } from '../../support/money/wallet-addresses.ts'
import { fillAddressPool } from '../../support/money/wallets.ts'
import { startApi } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'

const api = await startApi()
await fillAddressPool(api.database)
const { customerId } = await createCustomer(api, { firstName: 'Ada' })
const wallet = await createAccount(api, serviceWalletOf(customerId))
const auto = await createAccount(api, {
  customerId,
  paymentAccountType: 'SVC_AUTO_FIAT_ACCOUNT',
  svcAutoFiatAccount: {
    currency: 'USD',
    destinationPaymentAccountId: wallet.paymentAccountId,
    destinationCurrency: 'USDC',
    destinationPaymentMethod: 'BASE',
  },
})
const violated = async () => {
  const { checks } = await api.app.verify()
  return checks.filter((check) => !check.ok)
}

test.each([
  [
    'the address of a wallet',
    wallet,
    'address',
    makeEvmAddress(),
    ['a service wallet has the address that custody assigned'],
  ],
  [
    'the customer of a wallet',
    wallet,
    'customer_id',
    newId(),
    [
      'every payment account belongs to a customer',
      'a service wallet has the address that custody assigned',
      'an auto fiat account pays into an account of its customer',
    ],
  ],
  [
    'the destination of deposits',
    auto,
    'destination_payment_account_id',
    newId(),
    ['an auto fiat account pays into an account of its customer'],
  ],
  [
    'the key of an account',
    auto,
    'data_key_id',
    newId(),
    ['every payment account belongs to a customer', 'every payment account has the hash of its coordinates'],
  ],
])('svc verify names an account after a direct change of %s', async (_what, account, column, value, names) => {
  const owner = openForTest({ connection: api.database.owner })
  expect(await violated()).toEqual([])
  const set = (to: unknown) =>
    owner.query<{ before: string }>({
      text: `update svc.payment_accounts as now set ${column} = $2 from svc.payment_accounts as old
              where now.payment_account_id = $1 and old.payment_account_id = $1 returning old.${column} as before`,
      values: [account.paymentAccountId, to],
    })
  const [row] = await set(value)
  const found = await violated()
  expect(found.map(({ name }) => name)).toEqual(names.map((name) => expect.stringContaining(name)))
  for (const { violations } of found) expect(violations.join()).toMatch(/[0-9a-f-]{36}/)
  await set(row?.before)
})
