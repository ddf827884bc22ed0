import { expect, test } from 'vitest'
import { parseAmount } from '../lib/money.ts'
import { assetOf, scaleOf } from './currencies.ts'
import { paymentMethodNames, paymentMethods } from './payment-methods.ts'
import { railLimits } from './rail-limits.ts'

test.each(paymentMethodNames)('%s has limits that its currencies can carry, with their source', (method) => {
  const { minimum, maximum, source, asOf } = railLimits[method]
  for (const label of paymentMethods[method].currencies) {
    const asset = assetOf(label, method)
    const [least, most] = [minimum, maximum].map((text) => parseAmount(text, asset ? scaleOf(asset) : -1))
    if (!least?.ok || !most?.ok) throw new Error(`the limits of ${method} are no amounts of ${label}`)
    expect(least.units).toBeGreaterThan(0n)
    expect(most.units).toBeGreaterThan(least.units)
  }
  expect(source.length).toBeGreaterThan(20)
  expect(asOf).toMatch(/^\d{4}-\d\d-\d\d$/)
})
