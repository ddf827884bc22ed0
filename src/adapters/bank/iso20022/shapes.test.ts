import { expect, test } from 'vitest'
import { collect } from '../examples.ts'
import { readIncoming } from '../read.ts'

const read = (content: string | Buffer) => collect(readIncoming([Buffer.from(content as string)]))

/** Forms in which banks write messages: each is read, and means the same as the plain one. */

const iso = 'urn:iso:std:iso:20022:tech:xsd:'
const document = (namespace: string, content: string) => `<Document xmlns="${namespace}">${content}</Document>`
const header = '<GrpHdr><MsgId>M1</MsgId><CreDtTm>2026-11-16T20:00:00</CreDtTm><NbOfTxs>1</NbOfTxs></GrpHdr>'

const balance = (code: string, amount: string, currency = 'EUR') =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-16</Dt></Dt></Bal>`
const balances = balance('OPBD', '5.00') + balance('CLBD', '15.50')
const entry = (status: string, { own = '', details = '' } = {}) =>
  `<Ntry><Amt Ccy="EUR">10.50</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>${status}</Sts><BkTxCd/>${own}<NtryDtls>${details}</NtryDtls></Ntry>`
const booked = entry('<Cd>BOOK</Cd>')
/** A statement; its balances agree with its one entry unless a test gives some. */
const statement = (given: string) => stated(given.includes('<Bal>') ? given : balancesOf(given) + given)
const balancesOf = (given: string) => {
  if (!/BOOK/.test(given)) return balance('OPBD', '5.00') + balance('CLBD', '5.00')
  return given.includes('DBIT') ? balance('OPBD', '15.50') + balance('CLBD', '5.00') : balances
}
const stated = (content: string) =>
  document(
    `${iso}camt.053.001.08`,
    `<BkToCstmrStmt>${header}<Stmt><Id>S1</Id><Acct><Id><IBAN>DE75512108001245126199</IBAN></Id></Acct>${content}</Stmt></BkToCstmrStmt>`,
  )
const charges = (currency: string, isIncluded = false) =>
  `<Chrgs><Rcrd><Amt Ccy="${currency}">1.25</Amt><ChrgInclInd>${isIncluded}</ChrgInclInd></Rcrd></Chrgs>`
const summary = (side: 'Cdt' | 'Dbt', count: string, sum: string) =>
  `<TxsSummry><Ttl${side}Ntries><NbOfNtries>${count}</NbOfNtries><Sum>${sum}</Sum></Ttl${side}Ntries></TxsSummry>`
const debit = booked.replace('CRDT', 'DBIT')

// biome-ignore format: a table is read by column
test.each([
  ['fees of a correspondent, at the entry',       statement(entry('<Cd>BOOK</Cd>', { own: charges('GBP') })),                                  'BOOKED'],
  ['fees of a correspondent, at the transaction', statement(entry('<Cd>BOOK</Cd>', { details: `<TxDtls>${charges('CHF', true)}</TxDtls>` })),   'BOOKED'],
  ['the sum of a batch in another currency',      statement(entry('<Cd>BOOK</Cd>', { details: '<Btch><TtlAmt Ccy="CHF">9</TtlAmt></Btch>' })), 'BOOKED'],
  ['a balance in another currency',               statement(balances + balance('CLBD', '9', 'CHF') + booked),                                  'BOOKED'],
  ['a balance in another known currency',         statement(balances + balance('CLBD', '9', 'USD') + booked),                                  'BOOKED'],
  ['the closing balance of the day before',       statement(balance('PRCD', '5') + balance('CLBD', '15.50') + balance('ITAV', '1') + booked),  'BOOKED'],
  ['an entry of the future',                      statement(entry('<Cd>FUTR</Cd>')),                                                           'PENDING'],
  ['a future entry of an old version',            statement(entry('FUTR')),                                                                    'PENDING'],
  ['a known status as one of the bank’s own',     statement(entry('<Prtry>BOOK</Prtry>')),                                                     'BOOKED'],
  ['a status of the bank’s own, not booked by the balances', statement(balance('OPBD', '5') + balance('CLBD', '5') + entry('<Prtry>HELD</Prtry>')), 'PENDING'],
  ['a count with zeros before it',                statement(summary('Cdt', '001', '10.5') + booked),                                           'BOOKED'],
  ['a sum of debits below zero',                  statement(summary('Dbt', '1', '-10.50') + debit),                                            'BOOKED'],
  ['an amount with zeros after it',               statement(booked.replace('10.50', '10.50000')),                                              'BOOKED'],
  ['empty elements',                              statement(entry('<Cd>BOOK</Cd>', { own: '<NtryRef/><BookgDt/><Chrgs/>', details: '<TxDtls><Refs/><Purp/><RltdPties/></TxDtls>' })), 'BOOKED'],
  ['a day with its time zone',                    statement(entry('<Cd>BOOK</Cd>', { own: '<BookgDt><Dt>2026-11-16+01:00</Dt></BookgDt>' })),  'BOOKED'],
])('a statement with %s', async (_case, text, status) => {
  const entries = (await read(text)).filter((record) => record.type === 'ENTRY')
  expect(entries).toMatchObject([{ status, amount: { currency: 'EUR', units: 10_50n }, charges: [] }])
  expect(entries[0]?.details.flatMap((detail) => detail.charges)).toEqual([])
})

// biome-ignore format: a table is read by column
test.each([
  ['booked by the balances', statement(balances + entry('<Prtry>HELD</Prtry>')), 'WRONG_TOTALS'],
  ['without balances of the books', statement(balance('ITAV', '1.00') + entry('<Prtry>HELD</Prtry>')), 'MALFORMED'],
])('a status of the bank’s own, %s, is refused', async (_case, text, code) => {
  await expect(read(text)).rejects.toMatchObject({ code })
})

const pages = (number: string, isLast: boolean) =>
  `<StmtPgntn><PgNb>${number}</PgNb><LastPgInd>${isLast}</LastPgInd></StmtPgntn>`

test('a statement without balances is refused, unless it is a page of several', async () => {
  const message = expect.stringContaining('no balance')
  await expect(read(stated(booked))).rejects.toMatchObject({ code: 'MALFORMED', message })
  await expect(read(stated(pages('1', true) + booked))).rejects.toMatchObject({ code: 'MALFORMED', message })
  for (const page of [pages('1', false), pages('2', true)])
    expect((await read(stated(page + booked))).at(-1)).toMatchObject({ type: 'ENTRY' })
  const notice = stated(booked).replaceAll('BkToCstmrStmt', 'BkToCstmrDbtCdtNtfctn').replaceAll('Stmt>', 'Ntfctn>')
  expect((await read(notice.replace('camt.053', 'camt.054'))).at(-1)).toMatchObject({ type: 'ENTRY' })
})

// biome-ignore format: a table is read by column
test.each([
  ['available balances alone',  balance('ITAV', '1.00')],
  ['a balance after them alone', balance('CLBD', '15.50')],
  ['a balance before them alone', balance('OPBD', '5.00')],
  ['two balances before them',  balance('OPBD', '5.00') + balances],
  ['two balances after them',   balances + balance('CLBD', '15.50')],
  ['a balance in an unknown currency', balance('OPBD', '5.00', 'CHF') + balance('CLBD', '15.50', 'CHF')],
])('a statement whose balances do not prove its entries is refused: %s', async (_case, told) => {
  await expect(read(stated(told + booked))).rejects.toMatchObject({ code: 'MALFORMED' })
  expect((await read(stated(pages('1', false) + told + booked))).at(-1)).toMatchObject({ type: 'ENTRY' })
})

test.each(['CdtrAcct', 'DbtrAcct'])('an empty IBAN of %s is refused', async (name) => {
  const details = `<TxDtls><RltdPties><${name}><Id><IBAN></IBAN></Id></${name}></RltdPties></TxDtls>`
  const text = statement(entry('<Cd>BOOK</Cd>', { details }))
  const message = expect.stringContaining('IBAN')
  await expect(read(text)).rejects.toMatchObject({ code: 'MALFORMED', message })
})

const answer = (original: string) =>
  `<CstmrPmtStsRpt>${header}<OrgnlGrpInfAndSts><OrgnlMsgId>F1</OrgnlMsgId></OrgnlGrpInfAndSts><OrgnlPmtInfAndSts>
  <OrgnlPmtInfId>F1</OrgnlPmtInfId><TxInfAndSts>${original}<TxSts>RJCT</TxSts></TxInfAndSts></OrgnlPmtInfAndSts></CstmrPmtStsRpt>`
const endToEnd = '<OrgnlEndToEndId>A1</OrgnlEndToEndId>'

// biome-ignore format: a table is read by column
test.each([
  ['of ISO 20022',          document(`${iso}pain.002.001.03`, answer(endToEnd))],
  ['of German banks',       document(`${iso}pain.002.003.03`, answer(endToEnd))],
  ['of Swiss banks',        document('http://www.six-interbank-clearing.com/de/pain.002.001.03.ch.02.xsd', answer(endToEnd))],
  ['of Austrian banks',     document('ISO:pain.002.001.03:APC:STUZZA:payments:003', answer(endToEnd))],
  ['with our instruction id alone', document(`${iso}pain.002.001.03`, answer('<OrgnlInstrId>A1</OrgnlInstrId><OrgnlEndToEndId>NOTPROVIDED</OrgnlEndToEndId>'))],
])('a status message %s', async (_case, text) => {
  expect((await read(text)).at(-1)).toMatchObject({ type: 'PAYMENT_STATUS', reference: 'A1', status: 'REJECTED' })
})

const returned = (original: string) =>
  document(
    `${iso}pacs.004.001.09`,
    `<PmtRtr>${header}<TxInf>${original}<RtrdIntrBkSttlmAmt Ccy="USD">5</RtrdIntrBkSttlmAmt></TxInf></PmtRtr>`,
  )
const appHeader = `<AppHdr xmlns="${iso}head.001.001.02"><Fr><FIId/></Fr><BizMsgIdr>B1</BizMsgIdr></AppHdr>`
const inForeignMoney = returned(`<RtrId>R1</RtrId>${endToEnd}<OrgnlIntrBkSttlmAmt Ccy="GBP">4</OrgnlIntrBkSttlmAmt>`)

// biome-ignore format: a table is read by column
test.each([
  ['of a payment in another currency', inForeignMoney,                                                                                          { returnId: 'R1', reference: 'A1' }],
  ['that names a UETR alone',          returned('<OrgnlUETR>0f2f1d5e-0b0a-4d3f-9c53-6f1f6d1f0a11</OrgnlUETR>'),                                   { returnId: 'pacs.004/0f2f1d5e-0b0a-4d3f-9c53-6f1f6d1f0a11/', reference: '' }],
  ['in an envelope',                   `<?xml version="1.0"?><BusMsg>${appHeader}${inForeignMoney}</BusMsg>`,                                    { returnId: 'R1' }],
  ['in an envelope of several layers', `<s:DataPDU xmlns:s="urn:swift:saa"><s:Revision>2</s:Revision><s:Body>${appHeader}${inForeignMoney}</s:Body></s:DataPDU>`, { returnId: 'R1' }],
])('a return %s', async (_case, text, meaning) => {
  expect((await read(text)).at(-1)).toMatchObject({ type: 'RETURN', amount: { currency: 'USD', units: 5_00n }, ...meaning })
})

const named = (encoding: string) =>
  `<?xml version="1.0" encoding="${encoding}"?>${statement(entry('<Cd>BOOK</Cd>', { details: '<TxDtls><RltdPties><Dbtr><Pty><Nm>Zoë</Nm></Pty></Dbtr></RltdPties></TxDtls>' }))}`
const bigEndian = (text: string) => Buffer.from(text, 'utf16le').swap16()

// biome-ignore format: a table is read by column
test.each([
  ['UTF-8',                              Buffer.from(named('UTF-8'))],
  ['UTF-8 that says UTF-16',             Buffer.from(named('utf-16'))],
  ['UTF-16, little end first',           Buffer.from(`\ufeff${named('UTF-16')}`, 'utf16le')],
  ['UTF-16, big end first',              bigEndian(`\ufeff${named('UTF-16')}`)],
  ['UTF-16 without a mark',              Buffer.from(named('UTF-16'), 'utf16le')],
  ['ISO-8859-15',                        Buffer.from(named('ISO-8859-15'), 'latin1')],
  ['Windows-1252',                       Buffer.from(named('windows-1252'), 'latin1')],
])('a statement in %s', async (_case, bytes) => {
  const [told] = (await read(bytes)).filter((record) => record.type === 'ENTRY')
  expect(told?.details[0]?.counterparty.name).toBe('Zoë')
  // A disk gives any number of bytes.
  const pieces = Array.from({ length: Math.ceil(bytes.length / 3) }, (_, at) => bytes.subarray(at * 3, at * 3 + 3))
  expect((await collect(readIncoming(pieces))).filter((record) => record.type === 'ENTRY')).toEqual([told])
})
