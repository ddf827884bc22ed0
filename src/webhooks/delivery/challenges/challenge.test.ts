import { expect, test } from 'vitest'
import { challengeOutcomeOf, writeChallenge } from './challenge.ts'

const challenge = 'k3Jd0Zq'
const body = writeChallenge({ webhookId: 'w', organizationId: 'o', challenge, createdAt: new Date(0) })

// biome-ignore format: a table is read by column
test.each([
  // status  answer                              outcome
  [200,      challenge,                          'DELIVERED'],
  [200,      ` ${challenge}\n`,                  'DELIVERED'],
  [201,      `"${challenge}"`,                   'DELIVERED'],
  [200,      `{ "challenge": "${challenge}" }`,  'DELIVERED'],
  [200,      body,                               'NOT_ECHOED'],
  [200,      `you said ${challenge}`,            'NOT_ECHOED'],
  [200,      '{ "challenge": "another" }',       'NOT_ECHOED'],
  [200,      'null',                             'NOT_ECHOED'],
  [200,      '[]',                               'NOT_ECHOED'],
  [204,      '',                                 'NOT_ECHOED'],
  [302,      challenge,                          'REJECTED'],
  [500,      challenge,                          'REJECTED'],
] as const)('%s %s is %s', (status, answer, outcome) => {
  const posted = { ok: true, status, headers: {}, body: Buffer.from(answer), truncated: false } as const
  expect(challengeOutcomeOf(posted, challenge)).toBe(outcome)
})

test('a request that failed has the outcome of an attempt, and none when it was not made', () => {
  const failed = (kind: string) => ({ ok: false, kind, message: '', mayHaveArrived: false }) as const
  expect(challengeOutcomeOf(failed('timeout'), challenge)).toBe('TIMEOUT')
  expect(challengeOutcomeOf(failed('unavailable'), challenge)).toBe(undefined)
})
