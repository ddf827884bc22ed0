import { expect } from 'vitest'
import { type NewEntry, writeNotification } from '../../../src/adapters/bank/iso20022/statement-writer.ts'
import { newId } from '../../../src/lib/ids.ts'
import type { EntryDetail } from '../../../src/transactions/bank-files/formats.ts'
import { entry, euroAccount } from '../bank/bank-desk.ts'
import { type Deposit, transferReference, waitForDeposit } from '../money/transactions.ts'
import { type TestApi, testMasterKey } from '../runner/api.ts'
import { eventually } from '../runner/eventually.ts'
import { makeDataFolder, svc, urlOf } from '../runner/process.ts'
import { type BankWorld, makePayer, onRamp } from './bank-world.ts'

/** A recalled payment as a bank tells it; an empty amount is left out. */
type RecallOf = { id: string; payment?: string; amount?: string; reasons?: readonly string[] }

export const txInf = ({
  id,
  payment = `<OrgnlTxId>${id}</OrgnlTxId>`,
  amount = '100.00',
  reasons = ['TECH'],
}: RecallOf) => `<TxInf><CxlId>C-${id}</CxlId>${payment}
${amount && `<OrgnlIntrBkSttlmAmt Ccy="EUR">${amount}</OrgnlIntrBkSttlmAmt>`}
${reasons.map((code) => `<CxlRsnInf><Rsn><Cd>${code}</Cd></Rsn></CxlRsnInf>`).join('')}</TxInf>`

export const recallFile = (id: string, underlying = txInf({ id }), more = '') => `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.056.001.08"><FIToFIPmtCxlReq>
<Assgnmt><Id>A-${id}</Id><CreDtTm>2026-11-17T10:00:00Z</CreDtTm></Assgnmt>
<Undrlyg>${underlying}</Undrlyg>${more}</FIToFIPmtCxlReq></Document>`

/** Runs `svc` commands on the database of a test. */
export const commandsOf =
  (api: TestApi) =>
  async (...args: string[]) => {
    const secrets = { SVC_MASTER_KEY: testMasterKey.toString('base64'), SVC_DATA_DIR: await makeDataFolder() }
    const ran = svc(args, { DATABASE_URL: urlOf(api.database.owner), ...secrets })
    return { code: await ran.exited, output: ran.output() }
  }

/** Steps of tests about recalls: payments come, the bank tells entries of our euro account, operators look at both. */
export function openRecalls({ api, folder }: Pick<BankWorld, 'api' | 'folder'>) {
  const command = commandsOf(api)
  const notify = async (entries: NewEntry[]) => {
    const id = newId().replaceAll('-', '').slice(0, 30)
    const statements = [{ statementId: id, account: euroAccount, entries, balances: [] }]
    const content = Buffer.concat([...writeNotification({ messageId: id, createdAt: new Date(), statements })])
    await folder.put('incoming', `${id}.xml`, content)
    await folder.arrived(id)
  }
  const read = async (depositId: string): Promise<Deposit> => (await api.get(`/deposits/${depositId}`)).body
  const listed = async () => (await command('deposits', 'recalls')).output
  const unmatched = async () => (await command('bank-files', 'unmatched')).output
  return {
    command,
    notify,
    read,
    /** A payment of a part of what a transaction awaits, with the bank's ids. */
    payShort: async (references: EntryDetail['references'], units = 10_000n): Promise<Deposit> => {
      const awaiting = await onRamp(api, await makePayer(api, 'SEPA'), '300.00')
      const bankReference = newId().slice(-12)
      const remittance = [transferReference(awaiting) ?? '']
      await notify([entry('CREDIT', units, { references, remittance }, { bankReference })])
      return waitForDeposit(api, bankReference, { depositStatus: 'APPLIED' })
    },
    /** A debit that names nothing; answers its id. */
    debit: async (units: bigint): Promise<string> => {
      await notify([entry('DEBIT', units, { remittance: ['A CASE'] }, { bankReference: newId().slice(-12) })])
      return eventually(async () => {
        const found = (await api.app.bankFileRecords.listUnmatched()).find(({ amount }) => BigInt(amount) === units)
        expect(found).toMatchObject({ direction: 'DEBIT' })
        return found?.bankEntryId ?? ''
      })
    },
    shown: (depositId: string, expected: object) =>
      eventually(async () => expect(await read(depositId)).toMatchObject(expected)),
    unmatched,
    /** The id of the recall that a line of the list tells. */
    idOf: async (what: RegExp) => new RegExp(`^[0-9a-f-]{36}(?=.*${what.source})`, 'm').exec(await listed())?.[0] ?? '',
  }
}
