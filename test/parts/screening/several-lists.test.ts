import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createAudit } from '../../../src/db/audit/audit.ts'
import { createScreeningService } from '../../../src/screening/service.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'
import { makeDataFolder, svc, urlOf } from '../../support/runner/process.ts'
import { makeEntries, seededRandom, toCsv } from '../../support/screening/generated-list.ts'
import { type UnEntry, unXml } from '../../support/screening/un-list.ts'
import { altLine, makeListFolder, sdnLine } from '../../support/screening/watch-list-folder.ts'

/** Lists of several publishers, imported and shown by the command, screened side by side. */

async function start() {
  const { app, owner } = await makeDatabase()
  const database = openForTest(app)
  const screening = createScreeningService({ database, audit: createAudit(Buffer.alloc(32, 1)) })
  const settings = { DATABASE_URL: urlOf(owner), SVC_DATA_DIR: await makeDataFolder() }
  const run = async (...args: string[]) => {
    const command = svc(['watchlist', ...args], settings)
    return { code: await command.exited, output: command.output() }
  }
  const find = async (name: string) => {
    await screening.load()
    return (await screening.screen([{ kind: 'INDIVIDUAL', name }])).map(({ list, entryNumber, programs }) => ({
      list,
      entryNumber,
      programs,
    }))
  }
  return { database, screening, run, find }
}

async function makeConsolidated(lines: readonly string[], alternates: readonly string[] = []) {
  const folder = path.join(await makeDataFolder(), 'consolidated')
  await mkdir(folder)
  await writeFile(path.join(folder, 'CONS_PRIM.CSV'), `${lines.join('\r\n')}\r\n\u001A`)
  await writeFile(path.join(folder, 'CONS_ALT.CSV'), `${alternates.join('\r\n')}\r\n\u001A`)
  return folder
}

async function makeUnFile(...people: UnEntry[]) {
  const file = path.join(await makeDataFolder(), 'consolidatedLegacyByPRN.xml')
  await writeFile(file, unXml(people, [{ reference: 'XXe.001', names: ['SAMPLE TRADING HOUSE'] }]))
  return file
}

const marta = { reference: 'XXi.009', names: ['MARTA', 'QUILLFEATHER'] }

test.each(['watchlist', 'organizations create', 'serve'])(
  'svc %s --help prints the forms of the command',
  async (words) => {
    const command = svc([...words.split(' '), '--help'], {})
    expect(await command.exited, command.output()).toBe(0)
    expect(command.output()).toMatch(new RegExp(`^ {2}svc ${words}`))
    expect(command.output()).not.toMatch(/svc version/)
  },
)

test('an import tells an unchanged list, and keeps the date that the operator names', async () => {
  const { run, screening } = await start()
  const remarks = 'Digital Currency Address - ETH 0x7F367cC41522cE07553e823bf3be79A889DEbe1B; Passport AB123456 (Iran);'
  const folder = await makeListFolder([sdnLine(7, 'VOROSHKIN, Igor', 'individual', remarks)])
  expect((await run('import', folder, '--published', '2026-02-30')).code).toBe(2)
  const publishedAt = new Date('2026-02-20T00:00:00Z')
  await screening.importList(folder, { actor: 'test', publishedAt: publishedAt })
  expect(await screening.show()).toMatchObject([{ publishedAt }])
  const older = { actor: 'test', publishedAt: new Date('2026-02-19T00:00:00Z') }
  await expect(screening.importList(folder, older)).rejects.toThrow(/before the one in force/)
  const again = await run('import', folder, '--published', '2026-02-20')
  expect(again.output).toMatch(/confirmed, still version 1 .*: 1 entry, 1 name, 1 address, 1 document number\.\n/)
  expect(again.output).toMatch(/It has not changed since .*: check that your download brings new files\./)
})

test('three lists are in force side by side, and a match names its list and program', async () => {
  const { run, find, screening } = await start()
  const sdn = await makeListFolder([sdnLine(7, 'VOROSHKIN, Igor'), sdnLine(8, 'THISTLEWOOD, Clara')])
  expect(await run('import', 'ofac-sdn', sdn)).toEqual({
    code: 0,
    output: expect.stringMatching(
      /^ofac-sdn imported as version 1 in [\d.]+ s: 2 entries, 2 names, 0 addresses, 0 document numbers\.\nEverything in it could be read\.\n$/,
    ),
  })
  // The same number means another person on another list.
  const consolidated = await makeConsolidated([sdnLine(7, 'BRANDYBUCK, Otto')], [altLine(7, 'VOROSHKIN, Igor')])
  expect(await run('import', consolidated)).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^ofac-consolidated/),
  })
  const un = await makeUnFile({ ...marta, births: ['<TYPE_OF_DATE/><DATE>unknown</DATE>'] })
  const { code, output } = await run('import', 'un', un)
  expect([code, output.split('\n')]).toEqual([
    0,
    [
      expect.stringMatching(/^un imported as version 3 in .* 2 entries, 2 names, 0 addresses, 0 document numbers\.$/),
      'Not read, and not compared: 1 birth date, such as "unknown" of entry XXi.009.',
      '',
    ],
  ])
  expect(await find('Igor Voroshkin')).toEqual([
    { list: 'ofac-consolidated', entryNumber: '7', programs: ['SDGT'] },
    { list: 'ofac-sdn', entryNumber: '7', programs: ['SDGT'] },
  ])
  expect(await find('Marta Quillfeather')).toEqual([{ list: 'un', entryNumber: 'XXi.009', programs: ['DRC'] }])
  const shown = await run('show')
  expect([shown.code, shown.output.split('\n')]).toEqual([
    0,
    [
      expect.stringMatching(/^ofac-consolidated version 2: 1 entry, 2 names, .*; last imported .* ago$/),
      expect.stringMatching(/^ofac-sdn version 1: 2 entries, /),
      expect.stringMatching(/^un version 3, published 2026-02-27T00:00:09\.554Z: 2 entries, /),
      '',
    ],
  ])
  expect(await run('remove', 'ofac-sdn', '--reason', 'A test')).toMatchObject({ code: 0 })
  expect(await find('Clara Thistlewood')).toEqual([])
  expect(await find('Igor Voroshkin')).toHaveLength(1)
  // Customers are re-screened against what is left.
  expect(await screening.currentVersion()).toBe(4)
  expect(await run('remove', 'ofac-sdn', '--reason', 'A test')).toMatchObject({
    code: 1,
    output: expect.stringMatching(/not in force/),
  })
})

test('a size is compared with that of the same list', async () => {
  const { screening } = await start()
  const people = Array.from({ length: 9 }, (_, at) => sdnLine(at + 1, `PERSONOVA${'abcdefghi'[at]}, Ada`))
  const act = { actor: 'test' }
  await screening.importList(await makeListFolder(people), act)
  await screening.importList(await makeConsolidated(people.slice(0, 1)), act)
  await screening.importList(await makeUnFile(marta), act)
  expect((await screening.show()).map(({ list, entryCount }) => [list, entryCount])).toEqual([
    ['ofac-consolidated', 1],
    ['ofac-sdn', 9],
    ['un', 2],
  ])
  await expect(screening.importList(await makeListFolder(people.slice(0, 4)), act)).rejects.toThrow(
    '4 entries instead of 9',
  )
})

test('a file that was published before the list in force needs --force', async () => {
  const { screening } = await start()
  const newer = await makeUnFile(marta)
  const text = await readFile(newer, 'utf8')
  const older = path.join(await makeDataFolder(), 'older.xml')
  const act = { actor: 'test' }
  await screening.importList(newer, act)
  const refusal = 'published 2025-02-27T00:00:09.554Z, before the one in force (2026-02-27T00:00:09.554Z)'
  // A download that always brings the same old file must not count as current.
  for (const changed of [text, text.replace('QUILLFEATHER', 'QUILLFEATHERS')]) {
    await writeFile(older, changed.replace('2026-02-27', '2025-02-27'))
    await expect(screening.importList(older, act)).rejects.toThrow(refusal)
  }
  expect(await screening.importList(older, { ...act, isForced: true })).toMatchObject({ list: { version: 2 } })
})

test('a list that is removed and imported again is in force again', async () => {
  const { screening, find } = await start()
  const folder = await makeListFolder([sdnLine(8, 'THISTLEWOOD, Clara')])
  await screening.importList(folder, { actor: 'test' })
  await screening.removeList('ofac-sdn', { actor: 'test', reason: 'A test' })
  expect(await find('Clara Thistlewood')).toEqual([])
  expect(await screening.currentVersion()).toBeUndefined()
  expect(await screening.importList(folder, { actor: 'test' })).toMatchObject({ isNew: true, list: { version: 3 } })
  expect(await find('Clara Thistlewood')).toHaveLength(1)
})

test('a wrong list or place ends with what to change', async () => {
  const { run } = await start()
  expect(await run('import', 'eu', '.')).toMatchObject({
    code: 2,
    output: expect.stringMatching(/^The list must be one of ofac-sdn, ofac-consolidated, un, not "eu"\./),
  })
  expect(await run('import', 'un')).toMatchObject({
    code: 2,
    output: expect.stringMatching(/^Name the folder or file of the list after "un"\./),
  })
  expect(await run('import', 'un', './nowhere.xml')).toMatchObject({
    code: 1,
    output: expect.stringMatching(/There is no \.\/nowhere\.xml\. Nothing was imported\./),
  })
})

test('the import of 20,000 entries ends without a warning and says what it could not read', async () => {
  const { run } = await start()
  const files = toCsv(makeEntries(seededRandom(1), 20_000))
  const odd = [
    sdnLine(
      900_001,
      'ODD, Ada',
      'individual',
      'DOB unknown; Passport 12 (Iran); Digital Currency Address - XBT short;',
    ),
    sdnLine(900_002, 'ODD, Otto', 'individual', 'DOB long ago; National ID No. 0012345678 (Iran);'),
  ]
  const folder = await makeListFolder(
    [...files['sdn.csv'].trimEnd().split('\r\n'), ...odd],
    files['alt.csv'].split('\r\n'),
  )
  const { code, output } = await run('import', folder)
  // A busy machine delays the polls of any process.
  const lines = output.split('\n').filter((line) => !line.includes('bypasses its caches'))
  expect([code, lines]).toEqual([
    0,
    [
      expect.stringMatching(/^ofac-sdn imported as version 1 in [\d.]+ s: 20002 entries, .* 1 document number\.$/),
      'Not read, and not compared: 2 birth dates, such as "DOB unknown" of entry 900001.',
      'Not read, and not compared: 1 crypto address, such as "Digital Currency Address - XBT short" of entry 900001.',
      'Not read, and not compared: 1 document number, such as "Passport 12 (Iran)" of entry 900001.',
      '',
    ],
  ])
})
