import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { checkSignature } from './signature.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const other = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'
const now = new Date('2025-11-21T10:00:00Z')
const text = '{"name":"Zoë"}'
const body = Buffer.from(text)

/** Signs with an independent implementation of the standard. */
function sign(with_ = secret, ageSeconds = 0, id = 'msg_1'): Record<string, string> {
  const at = new Date(now.getTime() - ageSeconds * 1_000)
  const timestamp = String(at.getTime() / 1_000)
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': new Webhook(with_).sign(id, at, text),
  }
}
const without = (name: string) => Object.fromEntries(Object.entries(sign()).filter(([each]) => each !== name))
const both = `${sign(other)['webhook-signature']} v1a,asymmetric ${sign()['webhook-signature']}`

// biome-ignore format: a table is read by column
test.each<[string, Record<string, string>, string[], string, string | undefined]>([
  // message                          headers                                     secrets          outcome      reason
  ['signed with the secret',          sign(),                                     [secret],        'VALID',     undefined],
  ['the older of two secrets',        sign(other),                                [secret, other], 'VALID',     undefined],
  ['one of several signatures',       { ...sign(), 'webhook-signature': both },   [secret],        'VALID',     undefined],
  ['five minutes old',                sign(secret, 300),                          [secret],        'VALID',     undefined],
  ['five minutes early',              sign(secret, -300),                         [secret],        'VALID',     undefined],
  ['older than that',                 sign(secret, 301),                          [secret],        'INVALID',   'TOO_OLD'],
  ['earlier than that',               sign(secret, -301),                         [secret],        'INVALID',   'TOO_NEW'],
  ['signed with another secret',      sign(other),                                [secret],        'INVALID',   'BAD_SIGNATURE'],
  ['another id than the signed one',  { ...sign(), 'webhook-id': 'msg_2' },       [secret],        'INVALID',   'BAD_SIGNATURE'],
  ['half a signature',                { ...sign(), 'webhook-signature': 'v1,ab' }, [secret],       'INVALID',   'BAD_SIGNATURE'],
  ['no id',                           without('webhook-id'),                      [secret],        'INVALID',   'MISSING_HEADER'],
  ['no time',                         without('webhook-timestamp'),               [secret],        'INVALID',   'MISSING_HEADER'],
  ['no signature',                    without('webhook-signature'),               [secret],        'INVALID',   'MISSING_HEADER'],
  ['a time that is none',             { ...sign(), 'webhook-timestamp': 'noon' }, [secret],        'INVALID',   'BAD_TIMESTAMP'],
  ['no secret to check with',         sign(),                                     [],              'NO_SECRET', undefined],
])('%s', (_what, headers, secrets, outcome, reason) => {
  expect(checkSignature({ headers, body }, secrets, now.getTime())).toEqual({ outcome, ...(reason && { reason }) })
})

test('every changed byte of the body is detected', () => {
  for (let at = 0; at < body.length; at++) {
    const changed = Buffer.from(body)
    changed[at] = (changed[at] ?? 0) ^ 1
    const check = checkSignature({ headers: sign(), body: changed }, [secret], now.getTime())
    expect(check).toEqual({ outcome: 'INVALID', reason: 'BAD_SIGNATURE' })
  }
})
