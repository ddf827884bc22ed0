import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Pace } from '../../../src/http/bodies/arrival.ts'
import { BodyBudget } from '../../../src/http/bodies/body-budget.ts'
import { readBodyOrRefusal, UnreadableBody } from '../../../src/http/bodies/read-body.ts'

/** A server that reads bodies at a pace, and answers with what it read or why it did not. */
async function startReader(pace: Pace) {
  const budget = new BodyBudget(105_000_000)
  const server = createServer(async (incoming, response) => {
    const options = { owner: 'o', pace, acceptsForm: false, acceptsAnyBytes: false, isAuthenticated: true }
    try {
      const { value, release } = await readBodyOrRefusal(incoming, budget, options)
      release()
      response.end(value instanceof UnreadableBody ? value.refusal.message : JSON.stringify(value))
    } catch (error) {
      response.end(String(error))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const send = () => {
    const { promise: answer, resolve, reject } = Promise.withResolvers<string>()
    const headers = { 'content-type': 'application/json' }
    const outgoing = request({ port, host: '127.0.0.1', method: 'POST', headers })
    outgoing.on('error', reject)
    outgoing.on('response', async (incoming) => {
      let text = ''
      for await (const chunk of incoming) text += chunk
      resolve(text)
    })
    return { outgoing, answer }
  }
  return { send, budget }
}

const long = `"${'a'.repeat(400_000)}`

test('a body that stalls is refused, and its bytes are released before the caller ends it', async () => {
  const { send, budget } = await startReader({ bytesPerSecond: 4_096, windowMs: 50 })
  const { outgoing, answer } = send()
  outgoing.write(long)
  expect(await answer).toBe('body arrives too slowly; send at least 4096 bytes per second')
  expect(budget.used).toBe(0)
  outgoing.end('"')
})
