import { request } from 'node:http'
import { expect, test } from 'vitest'
import { type Answer, startApi } from '../../support/runner/api.ts'

const megabyte = 1024 * 1024
// A budget for one body of the largest size, the smallest setting that the service accepts.
const api = await startApi({ SVC_BODY_BYTES_IN_FLIGHT: '105000000', SVC_RATE_LIMIT_SANDBOX: '0' })

type Body = { before: string; fill: string; bytes: number; after: string }

/** Streams a body of any size without holding it in memory: the service runs in this process. */
function sendHuge(
  body: Body,
  options: { chunked?: boolean; apiKey?: string | null; mayEnd?: Promise<void> } = {},
): Promise<Pick<Answer, 'status' | 'headers' | 'body'>> {
  const { apiKey = api.apiKey } = options
  const piece = Buffer.alloc(256 * 1024, body.fill)
  return new Promise((resolve, reject) => {
    const length = body.before.length + body.bytes + body.after.length
    const outgoing = request(`${api.baseUrl}/api-keys`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(options.chunked ? {} : { 'content-length': length }),
        ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
      },
    })
    outgoing.on('error', reject)
    outgoing.on('response', async (incoming) => {
      let text = ''
      for await (const chunk of incoming) text += chunk
      const headers = new Headers(incoming.headers as Record<string, string>)
      resolve({ status: incoming.statusCode ?? 0, headers, body: JSON.parse(text) })
      outgoing.destroy()
    })
    let left = body.bytes
    const writeOn = () => {
      while (left > 0 && !outgoing.destroyed) {
        const next = piece.subarray(0, Math.min(left, piece.length))
        left -= next.length
        if (!outgoing.write(next)) return outgoing.once('drain', writeOn)
      }
      return void Promise.resolve(options.mayEnd).then(() => outgoing.end(body.after))
    }
    outgoing.write(body.before)
    writeOn()
  })
}

const longName = (bytes: number): Body => ({
  before: '{"name":"',
  fill: 'a',
  bytes,
  after: '","scopes":["quotes:read"]}',
})

test('a body of just under 100 MB is read, and the error names its field', async () => {
  const before = process.memoryUsage().rss
  const answer = await sendHuge(longName(99 * megabyte))
  expect(answer.status).toBe(400)
  expect(answer.body).toMatchObject({ error: 'BAD_REQUEST', message: 'name is too long' })
  expect(process.memoryUsage().rss - before).toBeLessThan(400 * megabyte)
})

test.each([
  ['with its length announced', false],
  ['in chunks of unknown total', true],
])('a body of more than 104,857,600 bytes gets a 413, %s', async (_how, chunked) => {
  const answer = await sendHuge(longName(104_857_600), { chunked })
  expect(answer.status).toBe(413)
  expect(answer.body).toMatchObject({ error: 'PAYLOAD_TOO_LARGE', statusCode: 413 })
})

test('a body of very many small values is rejected without being parsed in one piece', async () => {
  const answer = await sendHuge({ before: '[1', fill: ',1', bytes: 50 * megabyte, after: ']' })
  expect(answer.status).toBe(400)
  expect(answer.body.message).toBe('body has too many values; send at most 50000 in one request')
})

test('no body is read before the caller is authenticated', async () => {
  const answer = await sendHuge(longName(99 * megabyte), { apiKey: null })
  expect(answer.status).toBe(401)
})

test('of ten concurrent huge bodies some get a 503 with Retry-After, and the service keeps answering', async () => {
  // No body ends before one is rejected and others were answered, so all of them are in flight together.
  const { promise: mayEnd, resolve: letEnd } = Promise.withResolvers<void>()
  let isRejected = false
  const send = async () => {
    const answer = await sendHuge(longName(20 * megabyte), { chunked: true, mayEnd })
    if (answer.status === 503) isRejected = true
    return answer
  }
  const huge = Promise.all(Array.from({ length: 10 }, send))
  let answered = 0
  let finished = false
  void huge.finally(() => {
    finished = true
  })
  while (!finished) {
    expect((await api.get('/organizations')).status).toBe(200)
    answered += 1
    if (isRejected && answered > 10) letEnd()
  }
  const answers = await huge
  const statuses = answers.map((answer) => answer.status)
  expect(statuses).toContain(503)
  expect(statuses).toContain(400)
  expect(statuses.filter((status) => status !== 503 && status !== 400)).toEqual([])
  for (const { status, headers } of answers)
    if (status === 503) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  expect(answered).toBeGreaterThan(10)
  // All memory is released: a single huge request succeeds.
  expect((await sendHuge(longName(99 * megabyte))).status).toBe(400)
})

test('a caller that disconnects releases its part of the budget', async () => {
  for (let round = 0; round < 4; round++) {
    const hungUp = new Promise<void>((resolve) => {
      const outgoing = request(`${api.baseUrl}/api-keys`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-length': 99 * megabyte,
          authorization: `Bearer ${api.apiKey}`,
        },
      })
      outgoing.on('error', () => resolve())
      outgoing.on('close', () => resolve())
      outgoing.write('{"name":"', () => outgoing.destroy())
    })
    await hungUp
  }
  await expect.poll(async () => metric('svc_http_body_bytes_in_flight')).toBe('0')
})

async function metric(name: string): Promise<string | undefined> {
  const text = await (await fetch(`${api.baseUrl}/metrics`)).text()
  return new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]
}
