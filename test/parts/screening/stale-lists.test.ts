import { expect, test } from 'vitest'
import { createAudit } from '../../../src/db/audit/audit.ts'
import { createScreeningService } from '../../../src/screening/service.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'
import { makeListFolder, sdnLine } from '../../support/screening/watch-list-folder.ts'

/** A process that has not yet loaded the newest version of a list, where a current list is required. */
async function start() {
  const { app, owner } = await makeDatabase()
  const screening = createScreeningService({
    database: openForTest(app),
    audit: createAudit(Buffer.alloc(32, 1)),
    freshness: { isRequired: true, maxAgeSeconds: 3_600 },
  })
  const importNames = async (...names: string[]) =>
    screening.importList(await makeListFolder(names.map((name, at) => sdnLine(at + 1, name, 'individual'))), {
      actor: 'test',
    })
  const age = () =>
    openForTest({ connection: owner }).query({
      text: `update svc.watch_list_imports set imported_at = imported_at - interval '1 day'`,
    })
  return { screening, importNames, age }
}

test('a new version of an old list lets no one pass before this process compares with it', async () => {
  const { screening, importNames, age } = await start()
  await importNames('QUILLFEATHER, Bertram')
  await screening.load()
  expect(await screening.findGap()).toBeUndefined()
  await age()
  expect(await screening.findGap()).toBe('OLD_LIST')
  await importNames('QUILLFEATHER, Bertram', 'THISTLEWOOD, Clara')
  expect(await screening.screen([{ kind: 'INDIVIDUAL', name: 'Clara Thistlewood' }])).toEqual([])
  expect(await screening.findGap()).toBe('NOT_LOADED')
  await screening.load()
  expect(await screening.findGap()).toBeUndefined()
  expect(await screening.screen([{ kind: 'INDIVIDUAL', name: 'Clara Thistlewood' }])).toHaveLength(1)
})
