import { expect, test } from 'vitest'
import { createTransferMessage, findTransferMessage } from './transfer-message.ts'

const bytes = (seed: number) => Uint8Array.from({ length: 12 }, (_, at) => (seed * 31 + at * 97) % 256)
const message = createTransferMessage(bytes(7))

test('a message is short, and is found in the text that a bank passes on', () => {
  expect(message).toMatch(/^SVC[2-9A-HJKMNP-Z]{13}$/)
  const spaced = message.replace(/(.{4})/g, '$1 ')
  for (const text of [message, message.toLowerCase(), spaced, `RFB/${message}/INV 12`, `payment ${spaced} thanks`]) {
    expect(findTransferMessage(text)).toBe(message)
  }
})

test('a message with one wrong character or two swapped ones is not found', () => {
  const alphabet = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'
  for (let at = 3; at < message.length; at += 1) {
    for (const other of alphabet.replace(message[at] ?? '', '')) {
      expect(findTransferMessage(message.slice(0, at) + other + message.slice(at + 1))).toBeUndefined()
    }
  }
  for (let at = 3; at + 1 < message.length; at += 1) {
    const swapped = message.slice(0, at) + message[at + 1] + message[at] + message.slice(at + 2)
    if (swapped !== message) expect([at, findTransferMessage(swapped)]).toEqual([at, undefined])
  }
})

test.each(['', 'SVC', 'rent for May', 'SVC00000000000000', `${message.slice(0, -1)}`])(
  '"%s" contains no message',
  (text) => {
    expect(findTransferMessage(text)).toBeUndefined()
  },
)
