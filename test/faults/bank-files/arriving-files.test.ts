import { randomUUID } from 'node:crypto'
import { rename, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { writeNotification } from '../../../src/adapters/bank/iso20022/statement-writer.ts'
import { entry, euroAccount, openDesk, waitUntilRead } from '../../support/bank/bank-desk.ts'
import { startWithWorkers } from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

/**
 * Banks choose the names of their files. No name may hide a file, or put one in the place of another, and none may wait
 * for ever without an alarm.
 */
const desk = await openDesk()
const api = await startWithWorkers(desk.settings)
afterAll(api.stop)

function credits(id: string, count = 1) {
  const entries = Array.from({ length: count }, (_, at) =>
    entry('CREDIT', 15_001n, {}, { bankReference: `${id}-${at}` }),
  )
  const statements = [{ statementId: id, account: euroAccount, entries }]
  return Buffer.concat([...writeNotification({ messageId: id, createdAt: new Date(), statements })])
}

const query = (text: string, ...values: unknown[]) => api.app.database.query({ text, values })
const hasEntry = async (reference: string) =>
  expect(await query('select from svc.bank_entries where bank_reference = $1', reference)).toHaveLength(1)
const inFolder = (name: string) => path.join(desk.folder, 'incoming', name)

test('a file that arrives under the name of one that is being read counts, too', async () => {
  await desk.deliver([credits('FIRST', 600)], 'camt054.xml')
  const begun = `select from svc.bank_files where records_done > 0 and status = 'RECEIVED'`
  await eventually(async () => expect(await query(begun)).toHaveLength(1))
  await desk.deliver([credits('SECOND')], 'camt054.xml')
  await eventually(() => hasEntry('SECOND-0'))
  await waitUntilRead(api, desk)
  await hasEntry('FIRST-599')
  const kept = (await desk.list('archive')).filter((name) => name.endsWith('-camt054.xml'))
  expect(kept).toHaveLength(2)
})

test('a file with a long name is read and archived once', async () => {
  await desk.deliver([credits('LONG')], `${'ñ'.repeat(115)}.xml`)
  await eventually(() => hasEntry('LONG-0'))
  await waitUntilRead(api, desk)
  const text = `select file.status, file.deliveries from svc.bank_files as file join svc.bank_entries using (bank_file_id)
                 where bank_reference = 'LONG-0'`
  expect(await query(text)).toEqual([{ status: 'APPLIED', deliveries: 1 }])
})

test('a name need not be UTF-8, and shows no control characters', async () => {
  await writeFile(inFolder('x.tmp'), credits('LATIN'))
  const name = Buffer.concat([
    Buffer.from(`${inFolder('Kontoausz')}`),
    Buffer.from([0xfc]),
    Buffer.from('g\x1b[2J.xml'),
  ])
  await rename(inFolder('x.tmp'), name)
  await eventually(() => hasEntry('LATIN-0'))
  const shown = (await api.app.bankFileRecords.listRecent({})).map((file) => file.name)
  expect(shown).toContain('Kontoauszüg?[2J.xml')
})

test('a link is not read, and told', async () => {
  await writeFile(path.join(desk.folder, 'real.xml'), credits('LINK'))
  await symlink(path.join(desk.folder, 'real.xml'), inFolder('link.xml'))
  await eventually(async () => expect(api.logs.join('')).toContain('link.xml'))
  expect(await query(`select from svc.bank_entries where bank_reference = 'LINK-0'`)).toEqual([])
  await rm(inFolder('link.xml'))
})

test('a collective entry under the name of a part that is known is recorded, too', async () => {
  await desk.notify(euroAccount, [entry('CREDIT', 100n, {}, { bankReference: 'A/2' })])
  await eventually(() => hasEntry('A/2'))
  const part = (units: bigint) => ({
    ...entry('CREDIT', units).details[0]!,
    references: { endToEndId: `E${units}` },
    amount: { currency: 'EUR' as const, units },
  })
  const details = [part(700n), part(800n)]
  await desk.notify(euroAccount, [entry('CREDIT', 1_500n, {}, { bankReference: 'A', details })])
  await eventually(() => hasEntry('A'))
  await waitUntilRead(api, desk)
})

test('a file that workers cannot apply is counted after ten minutes, and quarantined in the end', async () => {
  const id = randomUUID()
  const insert = `insert into svc.bank_files (bank_file_id, direction, status, name, content_hash, size, failures,
                         created_at, changed_at, due_at)
                  values ($1, 'INCOMING', 'RECEIVED', 'lost.xml', $2, 1, 19, svc.now() - interval '11 minutes',
                          svc.now() - interval '11 minutes', 'infinity')`
  await query(insert, id, Buffer.from(id))
  expect(await api.app.bankFileRecords.count()).toMatchObject({ delayed: 1, quarantined: 0 })
  await query('update svc.bank_files set due_at = clock_timestamp() where bank_file_id = $1', id)
  const isQuarantined = `select from svc.bank_files where bank_file_id = $1 and status = 'QUARANTINED' and problem_code = 'FAILED'`
  await eventually(async () => expect(await query(isQuarantined, id)).toHaveLength(1))
  expect(await api.app.bankFileRecords.count()).toMatchObject({ delayed: 0, quarantined: 1 })
})
