import { expect, test } from 'vitest'
import { createCustodyService } from '../../../src/custody/service.ts'
import { type Database, openDatabase } from '../../../src/db/database.ts'
import { newId } from '../../../src/lib/ids.ts'
import { createEntropy } from '../../../src/signer/seed.ts'
import { createSeedService } from '../../../src/signer/seeds.ts'
import { openSigner } from '../../../src/signer/service.ts'
import { entropyOf, knownPhrases } from '../../support/money/wallets.ts'
import { makeDatabase, openForTest, type TestDatabase } from '../../support/runner/database.ts'
import { playRounds, roundsTimeoutMs } from '../../support/runner/form.ts'
import { makeDataFolder, svc, urlOf } from '../../support/runner/process.ts'
import { testSignerKey } from '../../support/secrets/signer.ts'

const knownSeeds = () => ({ WALLETS: entropyOf(knownPhrases.WALLETS), SERVICE: entropyOf(knownPhrases.SERVICE) })
const otherSeeds = () => ({ WALLETS: createEntropy(), SERVICE: createEntropy() })

async function start(open: typeof openDatabase = openForTest) {
  const database = await makeDatabase()
  const signers = open(database.signer)
  const seedService = createSeedService({ database: signers, signerKey: testSignerKey })
  const app = open(database.app)
  return { database, signers, seedService, app, custody: createCustodyService({ database: app }) }
}

function take(app: Database) {
  const owner = { organizationId: newId(), customerId: newId(), paymentAccountId: newId(), kind: 'EVM' as const }
  return app.inTx((tx) => createCustodyService({ database: app }).assignAddress(tx, owner))
}

const acts = async ({ owner }: TestDatabase) =>
  (
    await openForTest({ connection: owner }).query<{ act: string }>({
      text: 'select act from svc.custody_acts order by at, act_id',
    })
  ).map(({ act }) => act)

test('seeds are created once: a second call changes nothing', async () => {
  const { seedService, database } = await start()
  expect(await seedService.create('a test')).toEqual(['WALLETS', 'SERVICE'])
  expect(await seedService.create('a test')).toEqual([])
  expect(await acts(database)).toEqual(['CREATED', 'CREATED'])
})

test('an exported phrase can be restored elsewhere, and derives the same addresses', async () => {
  const first = await start()
  await first.seedService.create('a test')
  const revealed = await first.seedService.exportAll('a test')
  const entropyFor = (purpose: string) => revealed.find((seed) => seed.purpose === purpose)?.entropy ?? Buffer.alloc(0)
  const second = await start()
  await second.seedService.restore({ WALLETS: entropyFor('WALLETS'), SERVICE: entropyFor('SERVICE') }, 'a test')
  for (const { signers, seedService } of [first, second])
    await (await openSigner(signers, seedService, { poolSize: 1 })).refill()
  expect(await take(second.app)).toEqual(await take(first.app))
  expect(await second.custody.findServiceAddress('SOLANA', 'RELAYER')).toEqual(
    await first.custody.findServiceAddress('SOLANA', 'RELAYER'),
  )
  expect(await acts(first.database)).toEqual(['CREATED', 'CREATED', 'EXPORTED', 'EXPORTED'])
})

test('a seed without assigned addresses can be replaced: a running signer follows, and the old seed is kept', async () => {
  const { signers, seedService, app, custody } = await start()
  await seedService.create('a test')
  const signer = await openSigner(signers, seedService, { poolSize: 20 })
  await signer.refill()
  const treasuryBefore = await custody.findServiceAddress('EVM', 'TREASURY')
  expect(await seedService.restore(knownSeeds(), 'a test')).toEqual({ WALLETS: 'IMPORTED', SERVICE: 'IMPORTED' })
  expect(await custody.countFree()).toEqual({ EVM: 0, SOLANA: 0 })
  expect(await take(app)).toBeUndefined()
  await signer.refill()
  expect(await take(app)).toEqual({ address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' })
  expect(await custody.findServiceAddress('EVM', 'TREASURY')).toBe('0x9858EfFD232B4033E47d90003D41EC34EcaEda94')
  // A sender may still pay the old treasury: it stays our address, and its phrase is still exported.
  expect(await custody.isOwnAddress('EVM', treasuryBefore ?? '')).toBe(true)
  expect(
    (await seedService.exportAll('a test')).map(({ purpose, retiredAt }) => [purpose, retiredAt === null]),
  ).toEqual([
    ['WALLETS', false],
    ['SERVICE', false],
    ['WALLETS', true],
    ['SERVICE', true],
  ])
})

test('a seed with an assigned address is never replaced, not even in part', async () => {
  const { signers, seedService, app, custody } = await start()
  await seedService.restore(knownSeeds(), 'a test')
  await (await openSigner(signers, seedService, { poolSize: 20 })).refill()
  await take(app)
  await expect(seedService.restore(otherSeeds(), 'a test')).rejects.toThrow(/Customers have an address/)
  expect(await custody.countFree()).toEqual({ EVM: 49, SOLANA: 50 })
  expect(await take(app)).toEqual({ address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' })
})

test(
  'of an address assignment and a concurrent replacement of its seed, one fails',
  async () => {
    await playRounds({ short: 4, full: 200 }, async (round) => {
      // Closed after each round: all rounds together would exceed the server's connections.
      const { signers, seedService, app } = await start(openDatabase)
      await seedService.create('a test')
      await (await openSigner(signers, seedService, { poolSize: 1 })).refill()
      const [replaced, ...taken] = await Promise.allSettled([
        seedService.restore(otherSeeds(), 'a test'),
        ...Array.from({ length: 4 }, () => take(app)),
      ])
      const given = taken.filter((each) => each.status === 'fulfilled' && each.value !== undefined)
      expect(replaced.status === 'fulfilled' ? given : [], `round ${round}`).toEqual([])
      await seedService.openInUse()
      await Promise.all([signers.close(), app.close()])
    })
  },
  roundsTimeoutMs,
)

test('a retired phrase, or one that serves the other purpose, is rejected', async () => {
  const { seedService } = await start()
  await seedService.restore(knownSeeds(), 'a test')
  const { WALLETS, SERVICE } = knownSeeds()
  await expect(seedService.restore({ WALLETS: SERVICE, SERVICE: WALLETS }, 'a test')).rejects.toThrow(
    /was used here before/,
  )
  await seedService.restore(otherSeeds(), 'a test')
  await expect(seedService.restore(knownSeeds(), 'a test')).rejects.toThrow(/was used here before/)
})

test('with another signer key no seed opens, until the backup phrases are imported', async () => {
  const { signers, seedService, database } = await start()
  await seedService.restore(knownSeeds(), 'a test')
  const withNewKey = createSeedService({ database: signers, signerKey: Buffer.alloc(32, 1) })
  await expect(withNewKey.openInUse()).rejects.toThrow(/sealed with the signer key [0-9a-f]{16}, which/)
  await expect(withNewKey.exportAll('a test')).rejects.toThrow(/sealed with the signer key/)
  expect(await withNewKey.restore(knownSeeds(), 'a test')).toEqual({ WALLETS: 'RESEALED', SERVICE: 'RESEALED' })
  await withNewKey.openInUse()
  await expect(seedService.openInUse()).rejects.toThrow(/sealed with the signer key/)
  expect(await acts(database)).toEqual(['IMPORTED', 'IMPORTED', 'RESEALED', 'RESEALED'])
})

test('a sealed seed opens only in its own row', async () => {
  const { seedService, database } = await start()
  await seedService.create('a test')
  const owner = openForTest({ connection: database.owner })
  await owner.query({
    text: `update svc.signer_seeds as mine set sealed_entropy = other.sealed_entropy
             from svc.signer_seeds as other where mine.purpose <> other.purpose`,
  })
  await expect(seedService.openInUse()).rejects.toThrow('A sealed value cannot be opened')
})

test('the commands init, status (which asks for a backup), export and import work together', async () => {
  const settingsOf = async () => ({
    DATABASE_URL: urlOf((await makeDatabase()).owner),
    SVC_DATA_DIR: await makeDataFolder(),
  })
  const run = async (settings: Record<string, string>, args: string, input = '') => {
    const command = svc(['custody', ...args.split(' ')], settings, input)
    return { code: await command.exited, output: command.output() }
  }
  const first = await settingsOf()
  expect(await run(first, 'export --i-understand')).toMatchObject({
    code: 1,
    output: expect.stringMatching(/no seeds yet/),
  })
  expect(await run(first, 'init')).toMatchObject({ code: 0, output: expect.stringMatching(/Back them up now/) })
  expect(await run(first, 'init')).toMatchObject({ code: 0, output: expect.stringMatching(/nothing was changed/) })
  expect(await run(first, 'status')).toMatchObject({ code: 0, output: expect.stringMatching(/backed up +NEVER/) })
  expect(await run(first, 'export')).toMatchObject({
    code: 1,
    output: expect.stringMatching(/svc: This prints the seeds/),
  })
  expect(await run(first, 'fly')).toMatchObject({
    code: 2,
    output: expect.stringMatching(/"svc custody fly" is no valid command/),
  })
  const backup = (await run(first, 'export --i-understand')).output
  expect(backup).toMatch(/^# Anyone who reads.*^WALLETS: (?:[a-z]+ ){23}[a-z]+$.*^SERVICE: (?:[a-z]+ ){23}[a-z]+$/ms)
  expect((await run(first, 'status')).output).not.toMatch(/NEVER/)

  const second = await settingsOf()
  const broken = backup.replace(/^WALLETS: \w+ \w+/m, 'WALLETS: zoo zoo')
  const refused = await run(second, 'import', broken)
  expect(refused).toMatchObject({ code: 1, output: expect.stringMatching(/Expected one line "WALLETS: word word …"/) })
  expect(refused.output).not.toMatch(/zoo/)
  const same = `WALLETS: ${knownPhrases.WALLETS}\nSERVICE: ${knownPhrases.WALLETS}`
  expect(await run(second, 'import', same)).toMatchObject({
    code: 1,
    output: expect.stringMatching(/need different phrases/),
  })
  expect(await run(second, 'import', backup)).toMatchObject({
    code: 0,
    output: expect.stringMatching(/WALLETS is now in use/),
  })
  const fingerprints = async (settings: Record<string, string>) =>
    (await run(settings, 'status')).output.match(/fingerprint \w+/g)
  expect(await fingerprints(second)).toEqual(await fingerprints(first))
  expect(await run(second, 'check')).toMatchObject({
    code: 0,
    output: expect.stringMatching(/ok +every address is derived from its seed/),
  })
})
