import { expect, test } from 'vitest'
import { formCatalog } from '../../../src/forms/choices.ts'
import { stepsOf } from '../../../web/forms/model/steps.ts'
import type { Catalog, FormState } from '../../../web/forms/model/types.ts'

test.each([
  ['US', true],
  ['HK', false],
  ['AE', false],
])('a form asks for a postal code where there are some: %s %s', (countryCode, isAsked) => {
  const state = {
    customerType: 'INDIVIDUAL',
    values: { kycData: { address: { countryCode } } },
  } as unknown as FormState
  const fields = stepsOf(state, formCatalog as unknown as Catalog).flatMap((step) => step.fields)
  expect(fields.includes('kycData.address.postalCode')).toBe(isAsked)
})
