import { createHash } from 'node:crypto'
import { rename, rm, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createFolderExchange } from '../../../src/adapters/bank/exchange.ts'
import { newId } from '../../../src/lib/ids.ts'
import { folderIdentity, openDesk, waitUntilRead } from '../../support/bank/bank-desk.ts'
import { startWithWorkers } from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Files in quarantine, and operators who let them be read again. */
const desk = await openDesk()
const api = await startWithWorkers(desk.settings)
afterAll(api.stop)
const { bankFileRecords: records } = api.app

async function quarantined(name: string, content: string) {
  await desk.deliver([content], name)
  await waitUntilRead(api, desk)
  const found = (await records.listRecent({ status: 'QUARANTINED' })).find((file) => file.name === name)
  if (!found) throw new Error('the file is not in quarantine')
  const kept = path.join(desk.folder, 'quarantine', `${found.bankFileId}-${name}`)
  return { ...found, kept }
}

test('a retry reads the file again, and replaces no file that the bank has delivered under its name', async () => {
  const { bankFileId } = await quarantined('statement.xml', 'first')
  await desk.deliver(['second'], 'statement.xml')
  expect(await records.retry(bankFileId, 'try again')).toBe(true)
  await waitUntilRead(api, desk)
  const kept = await desk.list('quarantine')
  const contents = await Promise.all(
    kept.filter((name) => name.endsWith('.xml')).map(async (name) => String(await desk.read('quarantine', name))),
  )
  expect(contents.toSorted()).toEqual(['first', 'second'])
  expect((await records.find(bankFileId))?.status).toBe('QUARANTINED')
})

test('a retry without a file is refused', async () => {
  const { bankFileId, kept } = await quarantined('lost.xml', 'lost')
  await rm(kept)
  await expect(records.retry(bankFileId, 'try again')).rejects.toThrow(/not in quarantine/)
  expect((await records.find(bankFileId))?.status).toBe('QUARANTINED')
})

test('a quarantined file that a dead worker left in received/ is moved to quarantine/', async () => {
  const { bankFileId, kept } = await quarantined('left.xml', 'left')
  await rename(kept, path.join(desk.folder, 'received', path.basename(kept)))
  await eventually(async () => expect(await desk.list('quarantine')).toContain(path.basename(kept)))
  expect(await records.retry(bankFileId, 'try again')).toBe(true)
})

test('a file is complete when nothing has changed it for a while', async () => {
  const other = await openDesk()
  const identity = folderIdentity(api.app.database)
  const exchange = createFolderExchange(other.folder, { settleMs: 600_000, identity })
  const patient = createFolderExchange(other.folder, { settleMs: 0, identity })
  await exchange.adopt()
  await exchange.listIncoming()
  expect(await exchange.hasIncoming()).toBe(false)
  await writeFile(path.join(other.folder, 'incoming', 'slow.xml'), 'half of')
  expect(await exchange.hasIncoming()).toBe(true)
  for (const each of [exchange, patient]) await each.listIncoming()
  expect((await exchange.listIncoming()).map(({ isSettled }) => isSettled)).toEqual([false])
  expect((await patient.listIncoming()).map(({ isSettled }) => isSettled)).toEqual([true])
})

test('a file with a time in the future is complete when it has not changed for a while', async () => {
  const other = await openDesk()
  const exchange = createFolderExchange(other.folder, { settleMs: 20, identity: folderIdentity(api.app.database) })
  await exchange.adopt()
  const file = path.join(other.folder, 'incoming', 'early.xml')
  await writeFile(file, 'complete')
  const tomorrow = new Date(Date.now() + 86_400_000)
  await utimes(file, tomorrow, tomorrow)
  await eventually(async () => expect(await exchange.listIncoming()).toMatchObject([{ isSettled: true }]))
})

test('a file that an operator dismissed by mistake can be read again', async () => {
  const { bankFileId } = await quarantined('dismissed.xml', 'dismissed')
  expect(await records.dismiss(bankFileId, 'not needed')).toBe(true)
  expect(await records.retry(bankFileId, 'needed after all')).toBe(true)
  await waitUntilRead(api, desk)
  expect((await records.find(bankFileId))?.status).toBe('QUARANTINED')
})

test('bytes that were still being written are registered anew, and count when the bank sends them after all', async () => {
  const statusesOf = async (wanted: string) =>
    (await records.listRecent({})).filter(({ name }) => name === wanted).map(({ status }) => status)
  // The worker registers the first bytes, and finds others when it reads them. It sees the row and the file at once: it
  // would register a file without a row itself, with all of its bytes.
  const text = `insert into svc.bank_files (bank_file_id, direction, status, name, content_hash, size, created_at,
                       changed_at, due_at)
                values ($1, 'INCOMING', 'RECEIVED', 'grown.xml', $2, 1, svc.now(), svc.now(), clock_timestamp())`
  const bankFileId = newId()
  const values = [bankFileId, createHash('sha256').update('half of it').digest()]
  await api.app.database.inTx(async (tx) => {
    await tx.query({ text, values })
    await writeFile(path.join(desk.folder, 'received', `${bankFileId}-grown.xml`), 'the whole file')
  })
  await eventually(async () => expect((await statusesOf('grown.xml')).toSorted()).toEqual(['DISMISSED', 'QUARANTINED']))
  await desk.deliver(['half of it'], 'half.xml')
  await eventually(async () => expect(await statusesOf('grown.xml')).toEqual(['QUARANTINED', 'QUARANTINED']))
})
