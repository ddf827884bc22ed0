import { expect, test } from 'vitest'
import { tokenAssets } from './currencies.ts'
import { dustLimitOf } from './dust.ts'

test('every token has a limit, and money at a bank has none', () => {
  expect(tokenAssets.map(dustLimitOf)).toEqual(tokenAssets.map(() => 10_000n))
  expect(dustLimitOf('USD')).toBe(0n)
})
