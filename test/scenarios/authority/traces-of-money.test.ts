import { expect, test } from 'vitest'
import { autoFiatAccountOf, createAccount } from '../../support/money/payment-accounts.ts'
import { makePolicyWorld } from '../../support/policies/policy-world.ts'
import { changeRule, createRule } from '../../support/rules/rules.ts'

/** Rules and accounts that will pay by themselves leave their terms in the audit log. */
const { api, customerId, wallet, external, bank } = await makePolicyWorld()

const tracesOf = async (act: string) => (await api.get(`/audit?act=${act}`)).body.entries

test('the audit log has the terms of a new automation rule, and the old and the new ones of a change', async () => {
  const wish = {
    customerId,
    from: [wallet, 'USDC', 'BASE'],
    to: [external, 'USDC', 'BASE'],
    amount: ['FLAT', '10.00'],
    threshold: '100.00',
  } as const
  const rule = await createRule(api, wish)
  const terms = {
    sourcePaymentAccountId: wallet,
    destinationPaymentAccountId: external,
    destinationMethod: 'BASE',
    amountType: 'FLAT',
    amount: '10.00',
    threshold: '100.00',
  }
  expect(await tracesOf('automation_rule.created')).toMatchObject([{ subjectId: rule.id, details: { terms } }])
  await changeRule(api, rule, { ...wish, to: [bank, 'USD', 'ACH'], amount: ['PCT', '50'] })
  expect((await tracesOf('automation_rule.changed'))[0]?.details).toEqual({
    changes: {
      destinationPaymentAccountId: { from: external, to: bank },
      destinationAsset: { from: 'USDC/BASE', to: 'USD' },
      destinationMethod: { from: 'BASE', to: 'ACH' },
      amountType: { from: 'FLAT', to: 'PCT' },
      amount: { from: '10.00', to: '50' },
    },
  })
})

test('the audit log has the destination of a new auto fiat account', async () => {
  const { paymentAccountId } = await createAccount(api, autoFiatAccountOf(customerId, 'USD', external))
  expect((await tracesOf('payment_account.created'))[0]).toMatchObject({
    subjectId: paymentAccountId,
    details: { paymentAccountType: 'SVC_AUTO_FIAT_ACCOUNT', destinationPaymentAccountId: external },
  })
})
