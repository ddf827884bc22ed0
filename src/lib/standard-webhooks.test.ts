import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { isSignedBy, readSigningSecret, signatureHeaders } from './standard-webhooks.ts'

const now = new Date()
const ours = Buffer.alloc(32, 1)
const other = Buffer.alloc(32, 2)
const third = Buffer.alloc(32, 3)
const body = '{"reference":"Zoë"}'
const theirs = (secret: Buffer) => new Webhook(secret.toString('base64'))

test('an independent verifier accepts our signatures, with the old and with the new secret', () => {
  const headers = signatureHeaders([ours, other], 'msg_1', now, body)
  for (const secret of [ours, other]) expect(theirs(secret).verify(body, headers)).toEqual({ reference: 'Zoë' })
  expect(() => theirs(third).verify(body, headers)).toThrow()
})

const sign = (secret: Buffer, at: Date) => theirs(secret).sign('msg_1', at, body)
const secondsAway = (seconds: number) => new Date(now.getTime() + 1_000 * seconds)

// biome-ignore format: a table is read by column
test.each([
  // message                       changes                                                        accepted
  ['our own secret',               {},                                                            true],
  ['one of two secrets',           { signature: sign(other, now) },                               true],
  ['one of many signatures',       { signature: `v1,AAAA v1a,x ${sign(ours, now)}` },             true],
  ['another secret',               { signature: sign(third, now) },                               false],
  ['no signature',                 { signature: '' },                                             false],
  ['a signature of no version',    { signature: sign(ours, now).slice(3) },                       false],
  ['a signature of a version 2',   { signature: sign(ours, now).replace('v1', 'v2') },            false],
  ['half a signature',             { signature: sign(ours, now).slice(0, 20) },                   false],
  ['another body',                 { content: Buffer.from('{}') },                                false],
  ['another id',                   { id: 'msg_2' },                                               false],
  ['no id',                        { id: '' },                                                    false],
  ['another time',                 { timestamp: String(Math.floor(now.getTime() / 1_000) - 1) },  false],
  ['no time',                      { timestamp: '' },                                             false],
  ['a time that is none',          { timestamp: 'NaN' },                                          false],
])('a message with %s', (_what, changes, accepted) => {
  const timestamp = String(Math.floor(now.getTime() / 1_000))
  const message = { id: 'msg_1', timestamp, signature: sign(ours, now), content: Buffer.from(body), ...changes }
  expect(isSignedBy([ours, other], message, now)).toBe(accepted)
  expect(isSignedBy([], message, now)).toBe(false)
})

// biome-ignore format: a table is read by column
test.each([
  // seconds  accepted
  [-301,      false],
  [-299,      true],
  [299,       true],
  [301,       false],
])('a message signed %d seconds away from now', (seconds, accepted) => {
  const at = secondsAway(seconds)
  const message = {
    id: 'msg_1',
    timestamp: String(Math.floor(at.getTime() / 1_000)),
    content: Buffer.from(body),
    signature: sign(ours, at),
  }
  expect(isSignedBy([ours], message, now)).toBe(accepted)
})

// biome-ignore format: a table is read by column
test.each([
  // text                                                     bytes
  [`whsec_${ours.toString('base64')}`,                        32],
  [ours.toString('base64'),                                   32],
  [Buffer.alloc(24, 1).toString('base64'),                    24],
  [Buffer.alloc(23, 1).toString('base64'),                    undefined],
  [Buffer.alloc(65, 1).toString('base64'),                    undefined],
  ['whsec_',                                                  undefined],
  ['correct horse battery staple and more words than that',   undefined],
])('the secret %s has %s bytes', (text, bytes) => {
  expect(readSigningSecret(text)?.length).toBe(bytes)
})
