import { once } from 'node:events'
import { request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { makeApplicant } from '../../support/customers/applicants.ts'
import { makeFlatPicture, padJpeg } from '../../support/customers/document-files.ts'
import { actingWith, startApi, type TestApi } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'

const megabyte = 1024 * 1024
// Room for two bodies of the largest size: one organization holds half of it. A stalled body stays.
const api = await startApi({ SVC_BODY_BYTES_IN_FLIGHT: '210000000', SVC_LEAST_UPLOAD_BYTES_PER_SECOND: '0' })

async function createOrganization(name: string, { app }: Pick<TestApi, 'app'> = api): Promise<string> {
  const { organizationId } = await app.organizations.create({ name, tier: 'BUILDER', parentOrganizationId: null })
  return (await app.credentials.createFullKey(name, organizationId)).apiKey
}

async function bytesInFlight({ baseUrl }: Pick<TestApi, 'baseUrl'>): Promise<number> {
  const text = await (await fetch(`${baseUrl}/metrics`)).text()
  return Number(/^svc_http_body_bytes_in_flight (.*)$/m.exec(text)?.[1])
}

type Outcome = { status: number; message: string }

const now = Promise.resolve()
const never = new Promise<void>(() => {})

/** Sends a large body, whose last bytes wait for `end`. */
function upload(
  apiKey: string,
  { megabytes = 85, end = now, to = api }: { megabytes?: number; end?: Promise<void>; to?: TestApi } = {},
): Promise<Outcome> {
  const bytes = megabytes * megabyte
  const [before, after] = ['{"name":"', '","scopes":["quotes:read"]}']
  const headers = {
    'content-type': 'application/json',
    'content-length': before.length + bytes + after.length,
    authorization: `Bearer ${apiKey}`,
  }
  const outgoing = request(`${to.baseUrl}/api-keys`, { method: 'POST', headers })
  outgoing.on('error', () => {}) // the test ends before a stalled body does
  onTestFinished(() => void outgoing.destroy())
  const answer = once(outgoing, 'response').then(async ([incoming]) => {
    let text = ''
    for await (const chunk of incoming) text += chunk
    return { status: incoming.statusCode as number, message: JSON.parse(text).message as string }
  })
  answer.catch(() => {})
  const piece = Buffer.alloc(megabyte, 'a')
  outgoing.write(before)
  const writeOn = (left: number): void => {
    const next = piece.subarray(0, Math.min(left, piece.length))
    if (next.length > 0) outgoing.write(next, (error) => error ?? writeOn(left - next.length))
    else void end.then(() => outgoing.end(after))
  }
  writeOn(bytes)
  return answer
}

test('stalled bodies of one organization refuse no body of another, only its own', async () => {
  const [stalling, neighbour] = [await createOrganization('Stalling'), await createOrganization('Neighbour')]
  void upload(stalling, { end: never })
  await expect.poll(() => bytesInFlight(api)).toBeGreaterThanOrEqual(85 * megabyte)
  const refused: Outcome[] = []
  void upload(stalling, { end: never }).then((outcome) => refused.push(outcome))
  const isStalled = async () => refused.length > 0 || (await bytesInFlight(api)) >= 170 * megabyte
  await expect.poll(isStalled).toBe(true)
  expect(await upload(neighbour)).toEqual({ status: 400, message: 'name is too long' })
  expect(refused).toEqual([{ status: 503, message: expect.stringContaining('Too many of your large requests') }])
})

test.each([
  // Half of the default: the part of each of two API processes.
  ['134217728', 85, [], 85],
  ['268435456', 99, [90], 99],
])('within %s bytes, a stalled body of %i MB and others of %j MB leave room for one of %i MB', async (...row) => {
  const [limit, stalled, others, megabytes] = row
  const to = await startApi({ SVC_BODY_BYTES_IN_FLIGHT: limit, SVC_LEAST_UPLOAD_BYTES_PER_SECOND: '0' })
  const refused: Outcome[] = []
  const stalling = await createOrganization('Stalling', to)
  void upload(stalling, { megabytes: stalled, end: never, to }).then((outcome) => refused.push(outcome))
  const { promise: end, resolve } = Promise.withResolvers<void>()
  const slow = others.map(async (size, at) =>
    upload(await createOrganization(`Slow ${at}`, to), { megabytes: size, end, to }),
  )
  const sent = others.reduce((sum, size) => sum + size, stalled)
  await expect.poll(() => bytesInFlight(to)).toBeGreaterThanOrEqual(sent * megabyte)
  const read = { status: 400, message: 'name is too long' }
  expect(await upload(await createOrganization('Neighbour', to), { megabytes, to })).toEqual(read)
  resolve()
  expect(await Promise.all(slow)).toEqual(others.map(() => read))
  await expect
    .poll(() => refused)
    .toEqual([{ status: 503, message: expect.stringContaining('needs the room for requests of others') }])
})

test('lists of a million values are refused before their end, so that a neighbour waits for no parsing', async () => {
  const [hungry, neighbour] = [await createOrganization('Hungry'), await createOrganization('Patient')]
  const headers = { 'content-type': 'application/json', 'content-length': 2_700_003, authorization: `Bearer ${hungry}` }
  const outgoing = request(`${api.baseUrl}/customers`, { method: 'POST', headers })
  outgoing.on('error', () => {}) // the answer comes before the whole body
  onTestFinished(() => void outgoing.destroy())
  const refused: { status: number; message: string }[] = []
  outgoing.once('response', async (incoming) => {
    let text = ''
    for await (const chunk of incoming) text += chunk
    refused.push({ status: incoming.statusCode as number, message: JSON.parse(text).message as string })
  })
  // The last byte never comes: a body that is read to its end is never answered.
  outgoing.write(`[${'[],'.repeat(900_000)}0`)
  expect((await api.get('/organizations', { apiKey: neighbour })).status).toBe(200)
  await expect.poll(() => refused, { timeout: 10_000 }).toHaveLength(1)
  expect(refused).toEqual([{ status: 400, message: expect.stringContaining('body has too many values') }])
  expect((await api.get('/organizations', { apiKey: neighbour })).status).toBe(200)
})

test('a backlog of large pictures of one organization does not delay a picture of another', async () => {
  const [busy, neighbour] = [await createOrganization('Busy'), await createOrganization('Quick')]
  const large = padJpeg(await makeFlatPicture({ width: 3_000, height: 2_000 }).jpeg().toBuffer(), 400_000)
  const image = `data:image/jpeg;base64,${large.toString('base64')}`
  const done: string[] = []
  const send = async (name: string, apiKey: string, changes: object = {}) => {
    const applicant = makeApplicant()
    const documents = applicant.documents.map((each) => ({ ...each, ...changes }))
    const body = { customerType: 'INDIVIDUAL', email: 'ada@example.com', kycData: { ...applicant, documents } }
    const answer = await actingWith(api, apiKey).post('/customers', body)
    expect([name, answer.status]).toEqual([name, 201])
    done.push(name)
  }
  const backlog = Array.from({ length: 8 }, () => send('busy', busy, { frontIdImage: image, backIdImage: image }))
  // All of them have arrived: the files of none is done within the time that eight bodies take.
  await expect.poll(() => bytesInFlight(api), { interval: 5 }).toBeGreaterThan(7 * 500_000)
  await Promise.all([...backlog, send('neighbour', neighbour)])
  expect(done.indexOf('neighbour')).toBeLessThan(4)
})

test('searches of one organization leave connections to another, and one that takes long is refused', async () => {
  const [searching, neighbour] = [await createOrganization('Searching'), await createOrganization('Reading')]
  const database = openForTest({ connection: api.database.owner })
  const countWaiting = async () => {
    const text = `select count(*)::int as n from pg_locks where relation = 'svc.transactions'::regclass and not granted`
    return (await database.query<{ n: number }>({ text }))[0]?.n
  }
  const answered: string[] = []
  const count = (error: string) => answered.filter((each) => each === error).length
  // Stands for a tenant with so many rows that reading them takes minutes.
  await database.inTx(async (tx) => {
    await tx.query({ text: 'lock table svc.transactions in access exclusive mode' })
    const wide = '/transactions?createdFrom=1970-01-01T00:00:00Z&rail=SOLANA'
    for (let at = 0; at < 30; at++)
      void actingWith(api, searching)
        .get(wide)
        .then(({ status, body }) => answered.push(`${status} ${body.error}`))
    // Two run, and 25 wait.
    await expect.poll(() => count('503 SERVICE_UNAVAILABLE')).toBe(3)
    expect(await countWaiting()).toBe(2)
    expect((await actingWith(api, neighbour).get('/customers')).status).toBe(200)
    await expect.poll(() => count('422 SEARCH_TOO_WIDE')).toBeGreaterThanOrEqual(2)
  })
  await expect.poll(() => answered.length).toBe(30)
})
