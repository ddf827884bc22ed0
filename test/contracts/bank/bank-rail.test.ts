import { afterAll } from 'vitest'
import { createFolderExchange } from '../../../src/adapters/bank/exchange.ts'
import { readIncoming } from '../../../src/adapters/bank/read.ts'
import { checkPayment, writeFile } from '../../../src/adapters/bank/write.ts'
import { readClock } from '../../../src/db/business-clock.ts'
import { createBankRail } from '../../../src/transactions/bank-files/outgoing/rail.ts'
import { entry, euroAccount, folderIdentity, openDesk, waitUntilRead } from '../../support/bank/bank-desk.ts'
import { advance } from '../../support/money/transactions.ts'
import { testRail } from '../../support/rails/rail-contract.ts'
import { startApi } from '../../support/runner/api.ts'
import { wakeWhileWaiting } from '../../support/runner/eventually.ts'

/** The rail of bank files keeps the promises of the port. The bank books each file that it finds, once. */
const desk = await openDesk()
const api = await startApi(desk.settings)
const { database, treasury, bankFiles } = api.app
let receiving: Promise<unknown> | undefined
function receive(): void {
  receiving ??= bankFiles?.receiveDue(9, 30_000).finally(() => {
    receiving = undefined
  })
}
const letSleep = wakeWhileWaiting({ wake: receive })
afterAll(async () => {
  letSleep()
  await receiving
})

const rail = createBankRail({
  database,
  formats: { checkPayment, writeFile, readIncoming },
  exchange: createFolderExchange(desk.folder, { settleMs: 0, identity: folderIdentity(database) }),
  keepsHours: false,
  usesSameDay: false,
  closedDays: new Set(),
  methods: ['SEPA'],
  validSeconds: 600,
  listAccounts: treasury.listAccounts,
  onPoint: () => {},
})
const booked = new Set<string>()

async function sentItems(payoutId?: string) {
  const text = `select item.reference, item.amount, file.name from svc.bank_file_items as item
                  join svc.bank_files as file using (bank_file_id) where $1::uuid is null or item.payout_id = $1`
  const items = await database.query<{ reference: string; amount: string; name: string }>({
    text,
    values: [payoutId ?? null],
  })
  const names: string[] = await desk.list('outgoing').catch(() => [])
  return items.filter(({ name }) => names.includes(name))
}

async function book(): Promise<void> {
  for (const { reference, amount, name } of await sentItems()) {
    if (booked.has(name)) continue
    booked.add(name)
    await desk.notify(euroAccount, [entry('DEBIT', BigInt(amount), { references: { endToEndId: reference } })])
  }
  await waitUntilRead(api, desk)
}

testRail('bank files', () => ({
  rail,
  makeOrder: () => ({
    purpose: 'PAYOUT',
    method: 'SEPA',
    asset: 'EUR',
    amount: 1_000n,
    attempt: 1,
    memo: 'a test',
    from: { type: 'BANK_ACCOUNT', bankAccountId: 'eur-main' },
    originator: { customerId: '00000000-0000-7000-8000-000000000001', name: 'Ada' },
    destination: {
      type: 'BANK',
      details: {
        paymentMethod: 'SEPA',
        currency: 'EUR',
        bankAccountType: 'CHECKING',
        coordinates: { iban: 'DE89370400440532013000' },
        ownerName: 'Ada Example',
      },
    },
  }),
  now: async () => (await readClock(database)).now,
  pass: async (seconds) => {
    await advance(api, `PT${seconds}S`)
    await book()
  },
  countPayments: async (reference) => (await sentItems(reference)).length,
}))
