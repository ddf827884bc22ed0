import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { activeCustomer } from '../../support/customers/reviews.ts'
import { makeAccounts } from '../../support/money/quotes.ts'
import {
  advance,
  createTransaction,
  expectVerified,
  sendDeposit,
  startWithWorkers,
  transferReference,
  waitForDeposit,
} from '../../support/money/transactions.ts'
import { makeEvmAddress } from '../../support/money/wallet-addresses.ts'
import { actingWith, createKey } from '../../support/runner/api.ts'
import { makeListFolder, sdnLine } from '../../support/screening/watch-list-folder.ts'

/** A deployment that requires a current watch list, and has none at first. */
const api = await startWithWorkers({ SVC_ACCEPT_UNSCREENED: 'false' })
afterAll(api.stop)
const owner = openDatabase({ connection: api.database.owner })
afterAll(owner.close)
const ada = await activeCustomer(api, { address: { countryCode: 'US' } })
const { bank, wallet } = await makeAccounts(api, ada)

const listedAddress = makeEvmAddress()
const lines = [
  sdnLine(101, 'QUILLFEATHER, Bertram'),
  sdnLine(102, 'EXAMPLE MIXER', '', `Digital Currency Address - ETH ${listedAddress};`),
]
const importList = async () => api.app.screening.importList(await makeListFolder(lines), { actor: 'test' })

/** Lets the bank name the sender of money that a transaction awaits. */
async function pay(senderName: string) {
  const created = await createTransaction(api, {
    customerId: ada.customerId,
    from: [bank, 'USD', 'ACH', '10.00'],
    to: [wallet, 'USDC', 'BASE'],
  })
  const reference = transferReference(created)
  return sendDeposit(api, bank, { amount: '10.00', currency: 'USD', rail: 'ACH', reference, senderName })
}

const senderOf = async ({ depositId }: { depositId: string }) => (await api.get(`/deposits/${depositId}/sender`)).body
const byName = {
  matchedBy: 'NAME',
  watchList: {
    list: 'ofac-sdn',
    listVersion: 1,
    programs: ['SDGT'],
    entryNumber: '101',
    listedName: 'QUILLFEATHER, Bertram',
    reasons: [expect.any(String)],
  },
}

test('a bank’s sender that came without a current list is screened when one is imported, before the release', async () => {
  const [listed, other] = [await pay('Bertram Quillfeather'), await pay('Ada Example')]
  const waiting = await waitForDeposit(api, listed, { depositStatus: 'HELD' })
  await waitForDeposit(api, other, { depositStatus: 'HELD' })
  expect(await senderOf(waiting)).toEqual({ depositId: waiting.depositId, isAwaitingList: true, matches: [] })
  const stored = async () => {
    const text = `select sealed_sender is not null as "isKept", to_jsonb(sighting)::text as content
                    from svc.sightings as sighting order by recorded_at`
    return owner.query<{ isKept: boolean; content: string }>({ text })
  }
  expect((await stored()).map(({ isKept }) => isKept)).toEqual([true, true])
  for (const { content } of await stored()) expect(content).not.toMatch(/Quillfeather|Example/)
  await importList()
  await expect.poll(() => api.app.screening.findGap()).toBeUndefined()
  await advance(api, 'PT2M')
  await waitForDeposit(api, other, { depositStatus: 'APPLIED' })
  await expect.poll(() => senderOf(waiting)).toMatchObject({ isAwaitingList: false, matches: [byName] })
  expect(await waitForDeposit(api, listed, { depositStatus: 'HELD' })).toEqual(waiting)
  expect((await stored()).map(({ isKept }) => isKept)).toEqual([false, false])
  await expectVerified(api)
})

test('a reviewer reads which entry the sender of a held deposit matches, and the integrator does not', async () => {
  const named = await waitForDeposit(api, await pay('Bertram Quillfeather'), { depositStatus: 'HELD' })
  const tokens = { amount: '1', currency: 'USDC', chain: 'BASE', senderAddress: listedAddress }
  const sent = await waitForDeposit(api, await sendDeposit(api, wallet, tokens), { depositStatus: 'HELD' })
  expect(await senderOf(named)).toMatchObject({ isAwaitingList: false, matches: [byName] })
  const listed = { list: 'ofac-sdn', entryNumber: '102', listedName: 'EXAMPLE MIXER', programs: ['SDGT'] }
  expect(await senderOf(sent)).toMatchObject({ matches: [{ matchedBy: 'ADDRESS', watchList: listed }] })
  for (const { depositId } of [named, sent]) {
    const shown = (await api.get(`/deposits/${depositId}`)).body
    expect(JSON.stringify(shown)).not.toMatch(/QUILLFEATHER|MIXER|SDGT|sdn/i)
  }
  const { apiKey } = await createKey(api, { name: 'Integrator', scopes: ['transactions:read', 'transactions:write'] })
  expect((await actingWith(api, apiKey).get(`/deposits/${named.depositId}/sender`)).status).toBe(403)
})

test('a sender that is not listed has no match', async () => {
  const applied = await waitForDeposit(api, await pay('Ada Example'), { depositStatus: 'APPLIED' })
  expect(await senderOf(applied)).toEqual({ depositId: applied.depositId, isAwaitingList: false, matches: [] })
})
