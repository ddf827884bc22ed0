import { expect, test } from 'vitest'
import { type Asset, assets, labelOf, methodsOf, networks } from '../../../src/catalog/currencies.ts'
import { misfitsOf, type RoutedAccount } from '../../../src/payment-accounts/account-fit.ts'
import { walletTypeOf } from '../../../src/payment-accounts/payment-account.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'

const legs = assets.flatMap((asset: Asset) =>
  methodsOf(asset).map((paymentMethod) => ({ currency: labelOf(asset), paymentMethod })),
)
const accounts: RoutedAccount[] = [
  ...(['EVM', 'SOLANA'] as const).map((walletType) => {
    return { paymentAccountType: 'SVC_CRYPTO_WALLET', walletType, currency: null, paymentMethod: null } as const
  }),
  ...legs.flatMap(({ currency, paymentMethod }) => {
    const isChain = (networks as readonly string[]).includes(paymentMethod)
    const own = isChain ? 'EXTERNAL_CRYPTO_WALLET' : 'EXTERNAL_BANK_ACCOUNT'
    return ([own, 'SVC_AUTO_FIAT_ACCOUNT'] as const).map((paymentAccountType) => {
      return { paymentAccountType, currency, paymentMethod, walletType: null }
    })
  }),
]

test('SQL and TypeScript agree for every account and every leg of a payment', async () => {
  const { app } = await makeDatabase()
  const cases = accounts.flatMap((account) => legs.map((leg) => ({ account, leg })))
  const found = await openForTest(app).query<{ fits: boolean }>({
    text: `select svc.account_fits(type, account_currency, account_method, wallet_type, currency, method, holder) as fits
             from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
                  with ordinality as one (type, account_currency, account_method, wallet_type, currency, method, holder,
                  place) order by place`,
    values: [
      cases.map(({ account }) => account.paymentAccountType),
      cases.map(({ account }) => account.currency),
      cases.map(({ account }) => account.paymentMethod),
      cases.map(({ account }) => account.walletType),
      cases.map(({ leg }) => leg.currency),
      cases.map(({ leg }) => leg.paymentMethod),
      cases.map(({ leg }) => walletTypeOf(leg.paymentMethod) ?? null),
    ],
  })
  const expected = cases.map(({ account, leg }) => misfitsOf(account, leg).length === 0)
  expect(found.map(({ fits }) => fits ?? false)).toEqual(expected)
  expect(expected.filter(Boolean).length).toBeGreaterThan(legs.length)
})
