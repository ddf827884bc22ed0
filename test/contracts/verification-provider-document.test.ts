import { expect, test } from 'vitest'
import { isSignedBy, readSigningSecret } from '../../src/lib/standard-webhooks.ts'
import { pauseMs } from '../../src/verification/provider/request.ts'
import { readText } from '../support/style/source-tree.ts'

/** Compares the figures in docs/verification-provider.md, the guide for bridge authors, with the code. */
const page = readText('docs/verification-provider.md') ?? ''

test('the example has a valid signature', () => {
  const value = (name: string) => new RegExp(`^${name} +(\\S+)$`, 'm').exec(page)?.[1] ?? ''
  const message = {
    id: value('id'),
    timestamp: value('timestamp'),
    signature: value('signature'),
    content: Buffer.from(value('body')),
  }
  const secret = readSigningSecret(value('secret')) ?? Buffer.alloc(0)
  expect(isSignedBy([secret], message, new Date(1_000 * Number(message.timestamp)))).toBe(true)
})

test('the polling delays equal those in the code', () => {
  const [first, second, third, ...rest] = Array.from({ length: 7 }, (_, at) => pauseMs(at + 1) / 1_000)
  const [minute, five, fifteen, hour] = rest.map((seconds) => seconds / 60)
  expect(hour).toBe(60)
  const words = `after ${first}, ${second} and ${third} seconds, ${minute}, ${five} and ${fifteen} minutes, and then each hour`
  expect(page.replaceAll(/\s+/g, ' ')).toContain(words)
})
