import { expect, test } from 'vitest'
import { startApi } from '../../support/runner/api.ts'

const api = await startApi()
const make = async (name: string) => (await api.post('/api-keys', { name, scopes: ['quotes:read'] })).body

async function readPage(query: string): Promise<{ names: string[]; next: string }> {
  const { status, body } = await api.get(`/api-keys?${query}`)
  expect(status).toBe(200)
  return { names: body.apiKeys.map((key) => key.name), next: body.nextPageToken }
}

for (let at = 1; at <= 24; at++) await make(`key ${at}`)

test('pages are ten long by default, newest first, and end with an empty token', async () => {
  const first = await readPage('')
  expect(first.names).toEqual(Array.from({ length: 10 }, (_, at) => `key ${24 - at}`))
  const second = await readPage(`pageToken=${first.next}`)
  const third = await readPage(`pageToken=${second.next}`)
  expect(third.names).toEqual(['key 4', 'key 3', 'key 2', 'key 1', 'Test'])
  expect(third.next).toBe('')
})

test('an empty token means the first page, and exactly one full page has no next', async () => {
  expect((await readPage('pageToken=')).names[0]).toBe('key 24')
  expect((await readPage('pageSize=25')).next).toBe('')
  expect((await readPage('pageSize=24')).next).not.toBe('')
})

test('pages stay stable while keys are created and revoked', async () => {
  const first = await readPage('pageSize=5')
  const made = await make('a newcomer')
  const second = await readPage(`pageSize=5&pageToken=${first.next}`)
  expect(second.names).toEqual(['key 19', 'key 18', 'key 17', 'key 16', 'key 15'])
  await api.delete(`/api-keys/${made.apiKeyId}`)
})

test('a page token is valid only for its own list and organization', async () => {
  const { next } = await readPage('pageSize=5')
  expect((await api.get(`/organizations?pageToken=${next}`)).status).toBe(400)
  const tampered = next.slice(0, -1) + (next.endsWith('A') ? 'B' : 'A')
  expect((await api.get(`/api-keys?pageToken=${tampered}`)).body).toMatchObject({ error: 'BAD_REQUEST' })
})
