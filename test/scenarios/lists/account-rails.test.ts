import { afterAll, expect, test } from 'vitest'
import { methodsOf } from '../../../src/catalog/currencies.ts'
import { paymentMethodNames } from '../../../src/catalog/payment-methods.ts'
import { createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import { startWithWorkers } from '../../support/money/transactions.ts'

const api = await startWithWorkers()
afterAll(api.stop)

test('an account is found by each rail and network that its answer shows', async () => {
  const payer = await makeActive(api, 'US')
  const made = await makeAccounts(api, payer, 'WIRE')
  await createAccount(api, serviceWalletOf(payer.customerId, 'SOLANA'))
  await createAccount(api, {
    customerId: payer.customerId,
    paymentAccountType: 'SVC_AUTO_FIAT_ACCOUNT',
    svcAutoFiatAccount: {
      currency: 'USD',
      destinationPaymentAccountId: made.wallet,
      destinationCurrency: 'USDC',
      destinationPaymentMethod: 'BASE',
    },
  })
  const list = async (query = '') =>
    (await api.get(`/payment-accounts?customerId=${payer.customerId}${query}`)).body.paymentAccounts
  const railsOf = (account: Awaited<ReturnType<typeof list>>[number]): readonly string[] => {
    if (account.svcCryptoWallet) return account.svcCryptoWallet.chains
    if (account.svcAutoFiatAccount) return methodsOf(account.svcAutoFiatAccount.currency.label as 'USD')
    return [account.externalBankAccount?.bankAccountPaymentMethod ?? account.externalCryptoWallet?.address.chain ?? '']
  }
  const all = await list()
  expect(all).toHaveLength(5)
  for (const rail of paymentMethodNames) {
    expect(await list(`&rail=${rail}`), rail).toEqual(all.filter((account) => railsOf(account).includes(rail)))
  }
})
