import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { startApi } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'
import { makeFolder } from '../../support/runner/folder.ts'
import { runSvc } from '../../support/runner/process.ts'
import { startReceiver } from '../../support/webhooks/receiver.ts'

type Line = { kind: string; organizationId: string; sequence: number; chainHash: string; act?: string; at?: string }

const { folder, remove } = await makeFolder('svc audit exports ')
afterAll(remove)
const anchors = path.join(folder, 'anchors.jsonl')
const api = await startApi({ SVC_AUDIT_ANCHOR_FILE: anchors })
const own = first((await api.get('/organizations')).body.organizations).organizationId
const hook = { url: 'https://hooks.example.com/one', events: ['customer.created'] }
const read = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)
const readAnchors = async () => read(await readFile(anchors, 'utf8').catch(() => ''))
const run = (...args: string[]) => runSvc(api, ['audit', ...args])

// The organization, its key and two webhooks.
await api.post('/webhooks', hook)
await api.post('/webhooks', hook)
const worker = await api.app.startWorker()
afterAll(() => worker.stop())
const sealed = async () => {
  const { output } = await run('export', '--organization', own)
  return read(output)
}

test('the sealed log is exported in the order of its chain, with its head, and never over another file', async () => {
  const count = { text: 'select 1 from svc.audit_seals where organization_id = $1', values: [own] }
  await expect.poll(() => api.app.database.query(count)).toHaveLength(4)
  const lines = await sealed()
  const acts = ['organization.created', 'api_key.created', 'webhook.created', 'webhook.created']
  expect(lines.slice(0, 4)).toMatchObject(
    acts.map((act, place) => ({ kind: 'entry', organizationId: own, sequence: place + 1, act })),
  )
  const { chainHash } = lines[3]!
  expect(lines[4]).toEqual({ kind: 'head', organizationId: own, sequence: 4, chainHash })
  const second = lines[1]!.at ?? ''
  const since = read((await run('export', '--organization', own, '--from', second)).output)
  expect(since).toEqual(lines.filter(({ at = second }) => at.slice(0, 23) >= second.slice(0, 23)))
  expect(read((await run('export', '--organization', own, '--to', '2020-01-01')).output)).toEqual([lines[4]])
  const file = path.join(folder, 'export.jsonl')
  expect(await run('export', '--organization', own, '--output', file)).toEqual({ code: 0, output: '' })
  expect(read(await readFile(file, 'utf8'))).toEqual(lines)
  const again = await run('export', '--output', file)
  expect(again).toMatchObject({ code: 1, output: expect.stringContaining('a file with this name exists already') })
  expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([])
  expect(await run('export', '--from', 'yesterday')).toMatchObject({ code: 2 })
  expect(await run('check', '--output', file)).toMatchObject({ code: 2 })
  expect(await run('check', '--export', file)).toMatchObject({
    code: 0,
    output: expect.stringContaining('5 anchored heads compared, 0 differences'),
  })
  expect(await run('check', '--export', file, '--anchors', file)).toMatchObject({ code: 2 })
  expect(await run('check', '--anchors', path.join(folder, 'none'))).toMatchObject({ code: 1 })
})

test('heads are anchored in a file, and a check names a stored chain that differs', async () => {
  const ofOwn = async () => (await readAnchors()).filter(({ organizationId }) => organizationId === own)
  await expect.poll(ofOwn).toContainEqual(expect.objectContaining({ sequence: 4 }))
  expect(await run('check', '--anchors', anchors)).toMatchObject({
    code: 0,
    output: expect.stringContaining('0 differences'),
  })
  const empty = path.join(folder, 'empty.jsonl')
  await writeFile(empty, '')
  expect(await run('check', '--anchors', empty)).toMatchObject({
    code: 1,
    output: expect.stringContaining('Some chains are not anchored any more'),
  })
  const forged = path.join(folder, 'forged.jsonl')
  const anchor = (await ofOwn()).find(({ sequence }) => sequence === 4)!
  await writeFile(forged, `${JSON.stringify({ ...anchor, chainHash: '0'.repeat(64) })}\n`)
  expect(await run('check', '--anchors', forged)).toMatchObject({
    code: 1,
    output: expect.stringContaining(`seal 4 of organization ${own} differs from the anchored one`),
  })
})

test('heads are posted to an address; a failure is counted, and retried until the receiver has them', async () => {
  const receiver = await startReceiver()
  receiver.answer('/anchors', 500)
  const posting = await startApi({ SVC_AUDIT_ANCHOR_URL: `${receiver.url}/anchors` })
  const postingWorker = await posting.app.startWorker()
  const failures = async () => (await fetch(`${posting.baseUrl}/metrics`)).text()
  const failed = /svc_job_failures_total\{job="anchor audit"\} [1-9]/
  await expect.poll(failures).toMatch(failed)
  const asOwner = openDatabase({ connection: posting.database.owner, connections: 1 })
  const unanchored = { text: `select 1 from svc.audit_heads where last_sequence > anchored_sequence` }
  expect(await asOwner.query(unanchored)).not.toEqual([])
  receiver.answer('/anchors', 204)
  await expect.poll(() => asOwner.query(unanchored)).toEqual([])
  const { heads } = JSON.parse(receiver.at('/anchors').at(-1)?.body ?? '{}') as { heads: Line[] }
  expect(heads).toContainEqual({
    organizationId: expect.any(String),
    sequence: expect.any(Number),
    chainHash: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  await postingWorker.stop()
  await asOwner.close()
  receiver.close()
})
