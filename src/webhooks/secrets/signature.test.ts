import { expect, test } from 'vitest'
import { createSecret, keyOfSecret, signedHeaders } from './signature.ts'

test('the example of the specification gets the signature of the specification', () => {
  // Standard Webhooks 1.0, section "Signature scheme": the worked example.
  const key = keyOfSecret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
  const headers = signedHeaders([key], 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, '{"test": 2432232314}')
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('each secret adds one signature, in order', () => {
  const keys = [createSecret(), createSecret()].map(keyOfSecret)
  const signatures = keys.map((key) => signedHeaders([key], 'id', 1, '{}')['webhook-signature'])
  expect(signedHeaders(keys, 'id', 1, '{}')['webhook-signature']).toBe(signatures.join(' '))
  expect(new Set(signatures).size).toBe(2)
  for (const key of keys) expect(key.symmetricKeySize).toBe(32)
})
