import { expect, test } from 'vitest'
import type { Caller } from '../../lib/caller.ts'
import { createAuthenticator } from './authenticate.ts'

const caller: Caller = {
  organizationId: 'o',
  organizationIds: ['o'],
  tiers: new Map(),
  apiKeyId: 'k',
  scopes: new Set(),
  requestsPerMinute: 0,
  isToken: false,
  isReviewer: false,
}

/** Creates a look-up that answers only after `open`. */
function createSlowLookUp() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  let lookUps = 0
  const findCaller = async (credential: string) => {
    lookUps += 1
    await opened
    return credential === 'good' ? caller : undefined
  }
  return { findCaller, open: () => open(), lookUps: () => lookUps }
}

const codes = (answers: readonly PromiseSettledResult<Caller>[]) =>
  answers.map((answer) => (answer.status === 'fulfilled' ? 'admitted' : (answer.reason as { code: string }).code))

const unexplained = { isKnown: async () => false, explain: async () => undefined }

test('concurrent requests with one credential share one look-up, and all are admitted', async () => {
  const { findCaller, open, lookUps } = createSlowLookUp()
  const authenticate = createAuthenticator({ ...unexplained, findCaller, failuresPerMinute: 5 })
  const concurrent = Array.from({ length: 100 }, () => authenticate('good', '192.0.2.1'))
  open()
  expect(new Set(codes(await Promise.allSettled(concurrent)))).toEqual(new Set(['admitted']))
  expect(lookUps()).toBe(1)
  // Nothing is cached: the next request is looked up anew.
  await authenticate('good', '192.0.2.1')
  expect(lookUps()).toBe(2)
})

test('each different guess counts before the first is answered', async () => {
  const { findCaller, open, lookUps } = createSlowLookUp()
  const authenticate = createAuthenticator({ ...unexplained, findCaller, failuresPerMinute: 5 })
  const guesses = Array.from({ length: 20 }, (_, at) => authenticate(`guess ${at}`, '192.0.2.1'))
  open()
  const answers = codes(await Promise.allSettled(guesses))
  expect(answers.filter((code) => code === 'UNAUTHORIZED')).toHaveLength(5)
  expect(answers.filter((code) => code === 'RATE_LIMITED')).toHaveLength(15)
  expect(lookUps()).toBe(5)
})

test('successes make no room for guesses: as many fail as without them', async () => {
  const findCaller = async (credential: string) => (credential === 'good' ? caller : undefined)
  const isKnown = async (credential: string) => credential === 'good'
  const authenticate = createAuthenticator({ ...unexplained, findCaller, isKnown, failuresPerMinute: 5 })
  const answers: string[] = []
  for (let at = 0; at < 40; at++) {
    expect(codes(await Promise.allSettled([authenticate('good', '192.0.2.1')]))).toEqual(['admitted'])
    answers.push(...codes(await Promise.allSettled([authenticate(`guess ${at}`, '192.0.2.1')])))
  }
  expect(answers.filter((code) => code === 'UNAUTHORIZED')).toHaveLength(5)
  expect(answers.filter((code) => code === 'RATE_LIMITED')).toHaveLength(35)
})
