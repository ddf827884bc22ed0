import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { clientConfig } from '../../../src/db/database.ts'
import * as facts from '../../../src/ledger/postings.ts'
import { newId } from '../../../src/lib/ids.ts'
import { createKey, startApi, testMasterKey } from '../../support/runner/api.ts'
import { readMetric } from '../../support/runner/metrics.ts'
import { makeDataFolder, svc, urlOf } from '../../support/runner/process.ts'

const api = await startApi({ SVC_RATE_LIMIT_SANDBOX: '0' })
const { ledger, organizations, credentials, database } = api.app
const superuser = new pg.Client(clientConfig({ connection: api.database.owner }))
await superuser.connect()
afterAll(() => superuser.end())

const asset = 'USDC/BASE'

/** Creates an organization whose ledger has a deposit, a capture, a release and an open reserve. */
async function makeLedger() {
  const { organizationId } = await organizations.create({ name: 'Kept', tier: 'BUILDER', parentOrganizationId: null })
  const { apiKey } = await credentials.createFullKey('Kept', organizationId)
  const [wallet, other] = [newId(), newId()]
  const reserve = (reference: string, amount: bigint) => ({
    organizationId,
    reference,
    amount,
    account: facts.walletOf(wallet, asset),
  })
  await database.inTx(async (tx) => {
    const deposit = facts.depositToWallet({ paymentAccountId: wallet, asset, amount: 1_000n })
    await ledger.post(tx, [{ organizationId, reference: 'deposit', ...deposit }])
    await ledger.reserve(tx, [reserve('captured', 300n), reserve('released', 200n), reserve('open', 100n)])
    const spent = facts.captureFromWallet({ paymentAccountId: wallet, asset, amount: 250n })
    const sent = facts.sendFromWallet({
      paymentAccountId: wallet,
      toPaymentAccountId: other,
      asset,
      amount: 50n,
      svcFee: 1n,
      developerFee: 2n,
    })
    await ledger.post(tx, [
      { organizationId, reference: 'spent', ...spent, captures: 'captured' },
      { organizationId, reference: 'sent', ...sent },
    ])
    await ledger.release(tx, [{ organizationId, reference: 'released' }])
  })
  const read = async () => {
    const { status, body } = await api.get('/ledger/check', { apiKey })
    return { status, ...body }
  }
  const check = async () => {
    await api.app.verify()
    return read()
  }
  return { organizationId, wallet, check, read, ledgerOf: () => ledger.balances(database, organizationId, wallet) }
}

test('the check confirms a correct ledger, folded or not', async () => {
  const { check, ledgerOf } = await makeLedger()
  expect(await ledgerOf()).toEqual([{ asset, posted: 700n, available: 600n }])
  const found = await check()
  expect(found).toMatchObject({ status: 200, ok: true })
  expect(found.checks).toHaveLength(11)
  await ledger.fold()
  expect((await check()).checks.filter(({ ok }) => !ok)).toEqual([])
  expect(await halts()).toEqual([])
})

test('the check needs its scope', async () => {
  const narrow = await createKey(api, { name: 'Narrow', scopes: ['customers:read'] })
  expect(await api.get('/ledger/check', narrow)).toMatchObject({ status: 403, body: { error: 'FORBIDDEN' } })
})

const sums = 'postings sum to zero in each asset'
const belongs = 'every entry has its posting and its account, and every posting its entries'
const said = 'postings are unaltered since they were written'
const once = 'a fact is posted once'
const balances = 'customer balances are the sum of their entries, whose sequence has no gap'
const lines = 'each statement balance follows from the one before'
const below = 'no customer balance is below its reserved amount'
const reserved = 'reserved amounts are the sum of open reserves'
const resolves = 'a reserve is captured at most once, by the posting that took its money'
const folded = 'folded balances are the sum of their entries'
const bankLines = 'lines of bank accounts are their folded entries'

test('a broken ledger halts payouts until an operator resumes them, with a reason, in the audit log', async () => {
  const { organizationId, check } = await makeLedger()
  await superuser.query('update svc.entries set balance = balance + 1 where organization_id = $1', [organizationId])
  expect(await metric()).toBe('0')
  await check()
  await check()
  expect(await halts()).toEqual([{ kind: 'VIOLATED', asset, checks: [lines] }])
  expect(await metric()).toBe('1')
  expect(api.logs.join('')).toContain('payouts are halted')

  const settings = {
    DATABASE_URL: urlOf(api.database.owner),
    SVC_MASTER_KEY: testMasterKey.toString('base64'),
    SVC_DATA_DIR: await makeDataFolder(),
  }
  const run = async (args: string[]) => {
    const command = svc(args, settings)
    return { code: await command.exited, output: command.output() }
  }
  expect(await run(['payouts', 'resume'])).toMatchObject({ code: 2 })
  const verified = await run(['verify'])
  expect(verified.output).toContain(`VIOLATED     ${lines}`)
  expect(verified.code).toBe(1)
  const refused = await run(['payouts', 'resume', '--reason', 'Looks fine'])
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining(lines) })
  expect(await halts()).toEqual([{ kind: 'VIOLATED', asset, checks: [lines] }])
  const forced = await run(['payouts', 'resume', '--reason', 'Restored from the backup', '--force'])
  expect(forced).toMatchObject({ code: 0, output: `Resumed ${asset}: ${lines}\n` })
  expect(await metric()).toBe('0')

  const { rows } = await superuser.query(
    `select action, actor, details from svc.audit where action like 'payouts.%' order by at desc limit 2`,
  )
  expect(rows).toEqual([
    {
      action: 'payouts.resumed',
      actor: 'command line',
      details: { kind: 'VIOLATED', asset, reason: 'Restored from the backup', force: true },
    },
    {
      action: 'payouts.halted',
      actor: 'command line',
      details: { kind: 'VIOLATED', asset, violated: [lines] },
    },
  ])
})

const mine = 'organization_id = $1'
const postingOf = (reference: string) =>
  `(select posting_id from svc.postings where ${mine} and reference = '${reference}')`
const dropFence = 'alter table svc.ledger_accounts drop constraint if exists ledger_accounts_not_below_zero'
/** Changes made as the superuser, and the findings that each causes at least. */
const corruptions: [what: string, named: string[], ...statements: string[]][] = [
  [
    'an entry is altered',
    [sums, said, balances, lines],
    `update svc.entries set amount = amount + 1 where ${mine} and account_sequence = 2`,
  ],
  [
    'two entries are altered so that they still add up',
    [said],
    `update svc.entries set amount = -amount where ${mine} and posting_id = ${postingOf('spent')}`,
  ],
  ['an entry is removed', [sums, said, balances], `delete from svc.entries where ${mine} and account_sequence = 1`],
  [
    'an entry is moved to another posting',
    [said],
    `update svc.entries set posting_id = ${postingOf('sent')}, entry_number = entry_number + 20
      where ${mine} and posting_id = ${postingOf('deposit')}`,
  ],
  [
    'a posting is removed, and its entries are left',
    [belongs],
    `delete from svc.postings where ${mine} and reference = 'sent'`,
  ],
  [
    'a posting is removed with its entries, and the balance is made to fit',
    [balances],
    `update svc.ledger_accounts as account set posted = posted - amount from svc.entries as entry
      where account.organization_id = $1 and entry.organization_id = $1 and entry.account_id = account.account_id
        and keeps_balance and posting_id = ${postingOf('sent')}`,
    `delete from svc.entries where ${mine} and posting_id = ${postingOf('sent')}`,
    `delete from svc.unfolded_postings where ${mine} and posting_id = ${postingOf('sent')}`,
    `delete from svc.postings where ${mine} and reference = 'sent'`,
  ],
  [
    'a posting refers to another fact',
    [said],
    `update svc.postings set reference = 'other' where ${mine} and reference = 'sent'`,
  ],
  [
    'a balance is altered',
    [balances],
    `update svc.ledger_accounts set posted = posted + 1 where ${mine} and keeps_balance and posted > 500`,
  ],
  [
    'a line of a statement is altered',
    [lines],
    `update svc.entries set balance = balance + 1 where ${mine} and account_sequence = 2`,
  ],
  [
    'more is reserved than posted',
    [below, reserved],
    dropFence,
    `update svc.ledger_accounts set reserved = posted + 1 where ${mine} and keeps_balance`,
  ],
  [
    'an open reserve is altered',
    [reserved],
    `update svc.reserves set amount = amount - 1 where ${mine} and reference = 'open'`,
  ],
  ['an open reserve is removed', [reserved], `delete from svc.reserves where ${mine} and reference = 'open'`],
  [
    'a captured reserve is made a released one',
    [resolves],
    `update svc.reserves set status = 'RELEASED', posting_id = null, captured = 0
      where ${mine} and reference = 'captured'`,
  ],
  [
    'a released reserve was captured as well',
    [resolves],
    `update svc.postings set captures = 'released' where ${mine} and reference = 'sent'`,
  ],
  ['a captured reserve is removed', [resolves], `delete from svc.reserves where ${mine} and reference = 'captured'`],
  [
    'a folded total is altered',
    [folded],
    `update svc.ledger_accounts set posted = posted + 1 where ${mine} and kind = 'CUSTODY'`,
  ],
  [
    'a posting is excluded from folding',
    [folded],
    `delete from svc.unfolded_postings where ${mine} and posting_id = ${postingOf('deposit')}`,
  ],
  [
    'an account changes its owner',
    [said],
    `update svc.ledger_accounts set holder = 'thief' where ${mine} and kind = 'WALLET' and posted > 500`,
  ],
  [
    'a line of a bank account is added',
    [bankLines],
    `insert into svc.ledger_lines (organization_id, posting_id, entry_number, holder, asset, day, reference, fact, amount)
     select organization_id, posting_id, 99, 'usd-main', 'USD', current_date, reference, fact, -500
       from svc.postings where ${mine} and reference = 'sent'`,
  ],
  // Last: without that constraint nothing more can be posted.
  [
    'a fact is posted a second time',
    [once],
    'alter table svc.postings drop constraint if exists postings_once',
    `insert into svc.postings (organization_id, posting_id, reference, fact, content_hash, created_at)
     select organization_id, gen_random_uuid(), reference, fact, content_hash, created_at from svc.postings
      where ${mine} and reference = 'sent'`,
  ],
]

test.each(corruptions)('%s: the check names it, and integrators do not see it', async (_what, named, ...statements) => {
  const [struck, bystander] = [await makeLedger(), await makeLedger()]
  for (const statement of statements) {
    await superuser.query(statement, statement.includes('$1') ? [struck.organizationId] : [])
  }
  const found = (await struck.check()).checks.filter(({ ok }) => !ok)
  expect(found.map(({ name }) => name)).toEqual(expect.arrayContaining(named))
  for (const { state, violations } of found) {
    expect(state).toBe('VIOLATED')
    for (const violation of violations) expect(violation).toContain(struck.organizationId)
  }
  expect(await bystander.read()).toMatchObject({ ok: true })
})

const halts = async () => (await ledger.readHalts(database)).halts
const metric = () => readMetric(api, 'svc_payouts_halted')
