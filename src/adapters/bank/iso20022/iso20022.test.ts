import { describe, expect, test } from 'vitest'
import type { IncomingRecord, Money } from '../../../transactions/bank-files/formats.ts'
import { BankFileError } from '../bank-file-error.ts'
import { collect, isoExamples } from '../examples.ts'
import { readIncoming } from '../read.ts'
import { checkPayment, writeFile } from '../write.ts'
import { readPain001 } from './pain001-reader.ts'
import { writeReturnMessage } from './returns/pacs004-writer.ts'
import { isoServiceNames } from './services.ts'
import { type NewEntry, writeNotification, writeStatement } from './statement-writer.ts'
import { writeStatusReport } from './status-writer.ts'

const bytesOf = (chunks: Iterable<Buffer>) => Buffer.concat([...chunks])
const euros = (units: bigint): Money => ({ currency: 'EUR', units })
const createdAt = new Date('2026-11-17T06:00:00Z')
const read = (bytes: Buffer | string) => collect(readIncoming([Buffer.from(bytes)]))

describe('pain.001', () => {
  test.each(isoServiceNames)('a file of %s is read back as it was ordered', async (service) => {
    const { file, payment } = isoExamples[service]
    const second = { ...payment, reference: 'SECOND', amount: 1n }
    const bytes = bytesOf(writeFile({ ...file, payments: [payment, second] }))
    expect(bytesOf(writeFile({ ...file, payments: [payment, second].values() }))).toEqual(bytes)
    const [header, batch, first, last] = await collect(readPain001([bytes]))
    expect(header).toEqual({
      type: 'FILE',
      version: '001.09',
      messageId: file.fileId,
      createdAt: '2026-11-16T15:04:05Z',
      count: 2,
    })
    expect(batch).toMatchObject({
      type: 'BATCH',
      paymentInformationId: file.fileId,
      service,
      executionDate: '2026-11-17',
    })
    const { iban, accountNumber, interacEmail } = payment.receiver.coordinates
    expect(first).toMatchObject({
      endToEndId: payment.reference,
      amount: { currency: file.account.currency, units: payment.amount },
      ultimateDebtor: 'Ada Lovelace',
      remittance: ['Rechnung 7 + Dank'],
    })
    expect(first).toMatchObject({
      creditor: iban
        ? { account: { iban } }
        : interacEmail
          ? { email: interacEmail }
          : { account: { number: accountNumber } },
    })
    expect(last).toMatchObject({ endToEndId: 'SECOND', amount: { units: 1n } })
  })

  test('names are transliterated, banks have their clearing codes, and the totals stand before the payments', () => {
    const text = (service: 'SEPA' | 'WIRE' | 'INTERAC' | 'RTGS') => {
      const { file, payment } = isoExamples[service]
      return bytesOf(writeFile({ ...file, payments: [payment] })).toString()
    }
    expect(text('SEPA')).toContain(
      '<Nm>Francois Luczak</Nm><PstlAdr><StrtNm>Rue de la Paix 1</StrtNm><PstCd>45000</PstCd><TwnNm>Orleans</TwnNm><Ctry>FR</Ctry></PstlAdr>',
    )
    expect(text('SEPA')).toContain(
      '<NbOfTxs>1</NbOfTxs><CtrlSum>1234.56</CtrlSum><PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl></PmtTpInf>',
    )
    expect(text('WIRE')).toContain(
      '<CdtrAgt><FinInstnId><BICFI>USBKUS44</BICFI><ClrSysMmbId><ClrSysId><Cd>USABA</Cd></ClrSysId><MmbId>122105155</MmbId></ClrSysMmbId><Nm>U.S. Bank</Nm></FinInstnId></CdtrAgt>',
    )
    expect(text('INTERAC')).toContain(
      '<Prxy><Tp><Cd>EMAL</Cd></Tp><Id>emile_tremblay+svc@a-rather-long-domain.example.ca</Id></Prxy>',
    )
    expect(text('INTERAC')).toContain('<ClrSysId><Cd>CACPA</Cd></ClrSysId><MmbId>000312345</MmbId>')
    expect(text('RTGS')).toContain('<LclInstrm><Prtry>RTGS</Prtry></LclInstrm>')
    expect(text('RTGS')).toContain('<ClrSysId><Cd>INFSC</Cd></ClrSysId><MmbId>SBIN0001234</MmbId>')
  })

  test.each(['SEPA', 'WIRE'] as const)('the customer for whom we pay has an address, except in SEPA: %s', (service) => {
    const originator = { name: 'Ada Lovelace', address: { streetLine1: 'Main 1', city: 'Bonn', countryCode: 'DE' } }
    const { file, payment } = isoExamples[service]
    const text = bytesOf(writeFile({ ...file, payments: [{ ...payment, originator }] })).toString()
    expect(text).toContain('<UltmtDbtr><Nm>Ada Lovelace</Nm>')
    expect(text.includes('<TwnNm>Bonn</TwnNm>')).toBe(service !== 'SEPA')
    expect(checkPayment(file, { ...payment, originator: { name: 'Sharma शर्मा' } })).toBeUndefined()
  })

  const sepa = isoExamples.SEPA
  // biome-ignore format: a table is read by column
  test.each([
    ['a long reference',   { reference: 'A'.repeat(36) },                                                           'the reference has more than 35 characters'],
    ['no amount',          { amount: 0n },                                                                          'the amount must have 1 to 18 digits'],
    ['no IBAN',            { receiver: { ...sepa.payment.receiver, coordinates: {} } },                             'the account must have an IBAN'],
    ['a wrong BIC',        { receiver: { ...sepa.payment.receiver, coordinates: { iban: 'DE75512108001245126199', bicSwift: 'X' } } }, 'the BIC must have 8 or 11 characters'],
    ['another script',     { receiver: { ...sepa.payment.receiver, name: '王小明' } },                               'the name of the receiver has no letter that the format can carry'],
    ['another originator', { originator: { name: '王小明' } },                                                       'the name of the originator has no letter that the format can carry'],
  ])('%s is refused, and never cut', (_case, changes, problem) => {
    const payment = { ...sepa.payment, ...changes }
    expect(checkPayment(sepa.file, payment)).toBe(payment.amount === 0n ? 'the amount is outside of the limits of SEPA' : problem)
    expect(() => bytesOf(writeFile({ ...sepa.file, payments: [payment] }))).toThrow(problem)
  })

  // biome-ignore format: a table is read by column
  test.each([
    ['another count',  '<NbOfTxs>1</NbOfTxs>',          '<NbOfTxs>2</NbOfTxs>',          'WRONG_TOTALS'],
    ['another sum',    '<CtrlSum>1234.56</CtrlSum>',    '<CtrlSum>1234.57</CtrlSum>',    'WRONG_TOTALS'],
    ['a second debtor account', '<ChrgBr>', '<DbtrAcct><Id><IBAN>X</IBAN></Id></DbtrAcct><ChrgBr>', 'MALFORMED'],
    ['another version', 'pain.001.001.09',              'pain.001.001.99',               'UNKNOWN_VERSION'],
  ])('%s is noticed when it is read', async (_case, from, to, code) => {
    const text = bytesOf(writeFile({ ...sepa.file, payments: [sepa.payment] })).toString()
    const failure = await collect(readPain001([Buffer.from(text.replace(from, to))])).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(BankFileError)
    expect(failure).toMatchObject({ code })
  })
})

test('a pain.002 tells the status of the file, of the batch and of each payment', async () => {
  const bytes = bytesOf(
    writeStatusReport({
      messageId: 'STS-1',
      createdAt,
      original: { fileId: 'SVC-SEPA-1', messageName: 'pain.001.001.09' },
      group: { statusCode: 'PART', reasons: [{ code: 'NARR', text: 'One of two' }] },
      batches: [
        {
          paymentInformationId: 'SVC-SEPA-1',
          status: { statusCode: 'PART' },
          payments: [
            { reference: 'A1', statusCode: 'ACSP', bankReference: 'BANK-1', amount: euros(1_00n) },
            {
              reference: 'A2',
              statusCode: 'RJCT',
              reasons: [{ code: 'AC04', text: 'Closed < & >' }, { code: 'OWN-CODE-77' }],
            },
          ],
        },
      ],
    }),
  )
  const common = { originalFileId: 'SVC-SEPA-1', paymentInformationId: 'SVC-SEPA-1' }
  expect(await read(bytes)).toEqual([
    { type: 'FILE', format: 'pain.002', version: '001.11', messageId: 'STS-1', createdAt: '2026-11-17T06:00:00Z' },
    {
      type: 'FILE_STATUS',
      originalFileId: 'SVC-SEPA-1',
      status: 'PARTIAL',
      statusCode: 'PART',
      reasons: [{ code: 'NARR', text: 'One of two' }],
    },
    {
      type: 'PAYMENT_STATUS',
      ...common,
      reference: 'A1',
      amount: euros(1_00n),
      status: 'ACCEPTED',
      statusCode: 'ACSP',
      reasons: [],
      bankReference: 'BANK-1',
    },
    {
      type: 'PAYMENT_STATUS',
      ...common,
      reference: 'A2',
      status: 'REJECTED',
      statusCode: 'RJCT',
      reasons: [{ code: 'AC04', text: 'Closed < & >' }, { code: 'OWN-CODE-77' }],
    },
    { type: 'FILE_STATUS', ...common, status: 'PARTIAL', statusCode: 'PART', reasons: [] },
  ])
})

const account = { iban: 'DE75512108001245126199', currency: 'EUR', bankId: 'SOGEDEFF' }
const credit: NewEntry = {
  entryReference: 'E-1',
  bankReference: 'BANK-77',
  direction: 'CREDIT',
  isReversal: false,
  status: 'BOOKED',
  amount: euros(500_00n),
  bookingDate: '2026-11-17',
  valueDate: '2026-11-17',
  bankTransactionCode: 'PMNT/RCDT/ESCT',
  charges: [],
  details: [
    {
      references: { endToEndId: 'E2E-1', transactionId: 'TX-1', bankReference: 'BANK-77-1' },
      amount: euros(500_00n),
      direction: 'CREDIT',
      charges: [{ amount: euros(1_50n), direction: 'DEBIT', isIncluded: true }],
      counterparty: { name: 'Grace Hopper', account: { iban: 'FR1420041010050500013M02606' } },
      ownAccount: { iban: 'DE02120300000000202051' },
      remittance: ['SVC 2345 6789', 'thank you'],
      creditorReferences: ['RF18539007547034'],
    },
  ],
}
const debit: NewEntry = {
  entryReference: 'E-2',
  direction: 'DEBIT',
  isReversal: false,
  status: 'BOOKED',
  amount: euros(300_00n),
  bookingDate: '2026-11-17',
  bankTransactionCode: 'OWN-CODE',
  charges: [{ amount: euros(5n), direction: 'DEBIT', isIncluded: false }],
  batch: { fileId: 'SVC-SEPA-1', paymentInformationId: 'SVC-SEPA-1', count: 2, total: euros(300_00n) },
  details: [],
}
const returned: NewEntry = {
  entryReference: 'E-3',
  direction: 'CREDIT',
  isReversal: true,
  status: 'PENDING',
  amount: euros(100_00n),
  bankTransactionCode: 'PMNT/ICDT/RRTN',
  charges: [],
  details: [
    {
      references: { endToEndId: 'A2', messageId: 'SVC-SEPA-1' },
      charges: [],
      counterparty: { name: 'François' },
      ownAccount: { iban: 'DE75512108001245126199' },
      remittance: [],
      creditorReferences: [],
      return: { reason: { code: 'AC04', text: 'Account closed' }, originalBankTransactionCode: 'PMNT/ICDT/ESCT' },
    },
  ],
}

test.each([
  ['camt.053', writeStatement],
  ['camt.054', writeNotification],
] as const)('a %s tells entries with their details, batches and returns', async (format, write) => {
  const balances = [
    { code: 'OPBD', direction: 'CREDIT', amount: euros(0n), date: '2026-11-16' },
    { code: 'CLBD', direction: 'CREDIT', amount: euros(200_00n), date: '2026-11-17' },
  ] as const
  const statement = { statementId: 'STMT-9', electronicSequence: '12', page: { number: '2', isLast: false }, account }
  const hasBalances = format === 'camt.053'
  const bytes = bytesOf(
    write({
      messageId: 'CAMT-1',
      createdAt,
      statements: [
        { ...statement, ...(hasBalances ? { balances } : {}), entries: [credit, debit, returned] },
        { ...statement, statementId: 'STMT-10', ...(hasBalances ? { balances } : {}), entries: [] },
      ],
    }),
  )
  const key = { account, statementId: 'STMT-9', statementKey: 'STMT-9|12||2' }
  const [file, begin, ...rest] = await read(bytes)
  expect(file).toMatchObject({ type: 'FILE', format, version: '001.08', messageId: 'CAMT-1' })
  expect(begin).toMatchObject({ type: 'STATEMENT', ...key, page: { number: '2', isLast: false } })
  const balanceRecords = rest.filter(({ type }) => type === 'BALANCE')
  expect(balanceRecords).toHaveLength(hasBalances ? 4 : 0)
  expect(rest.filter(({ type }) => type === 'ENTRY')).toEqual([
    { type: 'ENTRY', ...key, position: 1, ...credit },
    { type: 'ENTRY', ...key, position: 2, ...debit },
    { type: 'ENTRY', ...key, position: 3, ...returned },
  ])
  expect(rest.filter(({ type }) => type === 'STATEMENT')).toMatchObject([{ statementKey: 'STMT-10|12||2' }])
})

test('a pacs.004 tells returns with both amounts', async () => {
  const bytes = bytesOf(
    writeReturnMessage({
      messageId: 'RTR-1',
      createdAt,
      returns: [
        {
          returnId: 'R-1',
          originalFileId: 'SVC-SEPA-1',
          reference: 'A2',
          transactionId: 'TX-2',
          originalAmount: euros(100_00n),
          amount: euros(95_00n),
          effectiveDate: '2026-11-18',
          code: 'AC04',
          text: 'Account closed',
        },
      ],
    }),
  )
  expect(await read(bytes)).toEqual([
    { type: 'FILE', format: 'pacs.004', version: '001.10', messageId: 'RTR-1', createdAt: '2026-11-17T06:00:00Z' },
    {
      type: 'RETURN',
      source: 'pacs.004',
      returnId: 'R-1',
      reference: 'A2',
      originalFileId: 'SVC-SEPA-1',
      original: 'CREDIT',
      amount: euros(95_00n),
      originalAmount: euros(100_00n),
      code: 'AC04',
      text: 'Account closed',
      isDishonored: false,
      isContested: false,
      effectiveDate: '2026-11-18',
    },
  ] satisfies IncomingRecord[])
})
