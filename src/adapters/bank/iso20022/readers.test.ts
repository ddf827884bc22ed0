import { describe, expect, test } from 'vitest'
import { BankFileError } from '../bank-file-error.ts'
import { collect } from '../examples.ts'
import { readIncoming } from '../read.ts'

const read = (text: string | Buffer, size?: number) =>
  collect(readIncoming(chunksOf(Buffer.from(text as string), size)))

function* chunksOf(bytes: Buffer, size = Math.max(1, bytes.length)): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const document = (message: string, content: string, prolog = '') =>
  `${prolog}<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${message}">${content}</Document>`
const header = '<GrpHdr><MsgId>M1</MsgId><CreDtTm>2026-11-16T20:00:00+01:00</CreDtTm></GrpHdr>'

/** A statement in the form of 2009: texts where newer versions have choices. */
const oldStatement = document(
  'camt.053.001.02',
  `<BkToCstmrStmt>${header}<Stmt><Id>S1</Id><LglSeqNb>7</LglSeqNb><CreDtTm>2026-11-16T20:00:00</CreDtTm>
  <Acct><Id><IBAN>de75 5121 0800 1245 1261 99</IBAN></Id><Ccy>EUR</Ccy><Svcr><FinInstnId><BIC>SOGEDEFF</BIC></FinInstnId></Svcr></Acct>
  <Bal><Tp><CdOrPrtry><Cd>PRCD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">1010.5</Amt><CdtDbtInd>DBIT</CdtDbtInd><Dt><Dt>2026-11-15</Dt></Dt></Bal>
  <Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">1000</Amt><CdtDbtInd>DBIT</CdtDbtInd><Dt><Dt>2026-11-16</Dt></Dt></Bal>
  <Ntry><Amt Ccy="EUR">+0010.5</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><DtTm>2026-11-16T12:00:00</DtTm></BookgDt>
    <AcctSvcrRef>NOTPROVIDED</AcctSvcrRef><BkTxCd><Prtry><Cd>166</Cd></Prtry></BkTxCd>
    <Chrgs><Amt Ccy="EUR">0.50</Amt><CdtDbtInd>DBIT</CdtDbtInd></Chrgs>
    <NtryDtls><TxDtls><Refs><EndToEndId>NOTPROVIDED</EndToEndId><TxId>T1</TxId></Refs>
      <AmtDtls><InstdAmt><Amt Ccy="GBP">9.00</Amt></InstdAmt><TxAmt><Amt Ccy="EUR">10.50</Amt></TxAmt></AmtDtls>
      <RltdPties><Dbtr><Nm>Grace &amp; Co</Nm></Dbtr><DbtrAcct><Id><Othr><Id>4711</Id></Othr></Id></DbtrAcct></RltdPties>
      <RmtInf><Ustrd><![CDATA[a < b]]></Ustrd><Strd><CdtrRefInf><Ref>RF1</Ref></CdtrRefInf><AddtlRmtInf>more</AddtlRmtInf></Strd></RmtInf>
    </TxDtls></NtryDtls></Ntry>
  <Ntry><Amt Ccy="EUR">.5</Amt><CdtDbtInd>DBIT</CdtDbtInd><RvslInd>1</RvslInd><Sts>PDNG</Sts><AcctSvcrRef>B9</AcctSvcrRef><BkTxCd/></Ntry>
  </Stmt></BkToCstmrStmt>`,
  '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<!-- a comment -->\n',
)

test('a transaction that its payer instructed in another currency has the amount of its entry alone', async () => {
  const foreign = oldStatement.replace('<TxAmt><Amt Ccy="EUR">10.50</Amt>', '<TxAmt><Amt Ccy="JPY">1700</Amt>')
  const entries = (await read(foreign)).filter((record) => record.type === 'ENTRY')
  expect(entries[0]).toMatchObject({ amount: { currency: 'EUR', units: 10_50n }, details: [{ references: {} }] })
  expect(entries[0]?.details[0]?.amount).toBeUndefined()
})

test('a statement of the oldest version is read like the newest one, in pieces of any size', async () => {
  const account = { iban: 'DE75512108001245126199', currency: 'EUR', bankId: 'SOGEDEFF' }
  const key = { account, statementId: 'S1', statementKey: 'S1||7|' }
  const records = await read(oldStatement)
  expect(records).toEqual([
    { type: 'FILE', format: 'camt.053', version: '001.02', messageId: 'M1', createdAt: '2026-11-16T20:00:00+01:00' },
    { type: 'STATEMENT', ...key, legalSequence: '7', createdAt: '2026-11-16T20:00:00' },
    {
      type: 'BALANCE',
      account,
      statementKey: 'S1||7|',
      code: 'PRCD',
      direction: 'DEBIT',
      amount: { currency: 'EUR', units: 1010_50n },
      date: '2026-11-15',
    },
    {
      type: 'BALANCE',
      account,
      statementKey: 'S1||7|',
      code: 'CLBD',
      direction: 'DEBIT',
      amount: { currency: 'EUR', units: 1000_00n },
      date: '2026-11-16',
    },
    {
      type: 'ENTRY',
      ...key,
      entryReference: '#1',
      position: 1,
      direction: 'CREDIT',
      isReversal: false,
      status: 'BOOKED',
      amount: { currency: 'EUR', units: 10_50n },
      bookingDate: '2026-11-16',
      bankTransactionCode: '166',
      charges: [{ amount: { currency: 'EUR', units: 50n }, direction: 'DEBIT', isIncluded: false }],
      details: [
        {
          references: { transactionId: 'T1' },
          amount: { currency: 'EUR', units: 10_50n },
          charges: [],
          counterparty: { name: 'Grace & Co', account: { number: '4711' } },
          remittance: ['a < b', 'more'],
          creditorReferences: ['RF1'],
        },
      ],
    },
    {
      type: 'ENTRY',
      ...key,
      entryReference: 'B9',
      position: 2,
      bankReference: 'B9',
      direction: 'DEBIT',
      isReversal: true,
      status: 'PENDING',
      amount: { currency: 'EUR', units: 50n },
      charges: [],
      details: [],
    },
  ])
  expect(await read(oldStatement, 3)).toEqual(records)
  expect(await read(`\ufeff${oldStatement}`)).toEqual(records)
})

test('a file in ISO-8859-1 is read with its letters', async () => {
  const text = oldStatement.replace('UTF-8', 'ISO-8859-1').replace('Grace &amp; Co', 'Zoë')
  expect(await read(Buffer.from(text, 'latin1'))).toContainEqual(
    expect.objectContaining({
      details: [expect.objectContaining({ counterparty: expect.objectContaining({ name: 'Zoë' }) })],
    }),
  )
})

test('elements may have a prefix, and data of the bank in other namespaces is passed over', async () => {
  const text = `<a:Document xmlns:a="urn:iso:std:iso:20022:tech:xsd:pain.002.001.03"><a:CstmrPmtStsRpt>
    <a:GrpHdr><a:MsgId>M</a:MsgId><a:CreDtTm>2026-11-16T00:00:00</a:CreDtTm></a:GrpHdr>
    <a:OrgnlGrpInfAndSts><a:OrgnlMsgId>F1</a:OrgnlMsgId><a:GrpSts>RJCT</a:GrpSts>
      <a:StsRsnInf><a:Rsn><a:Cd>AM05</a:Cd></a:Rsn><a:AddtlInf>x</a:AddtlInf><a:AddtlInf>y</a:AddtlInf></a:StsRsnInf></a:OrgnlGrpInfAndSts>
    <a:SplmtryData><a:Envlp><b:Own xmlns:b="urn:bank"><b:More/></b:Own></a:Envlp></a:SplmtryData>
    </a:CstmrPmtStsRpt></a:Document>`
  expect((await read(text))[1]).toEqual({
    type: 'FILE_STATUS',
    originalFileId: 'F1',
    status: 'REJECTED',
    statusCode: 'RJCT',
    reasons: [{ code: 'AM05', text: 'x y' }],
  })
})

const payments = (content: string) =>
  document(
    'pain.002.001.03',
    `<CstmrPmtStsRpt>${header}<OrgnlGrpInfAndSts><OrgnlMsgId>F1</OrgnlMsgId><OrgnlMsgNmId>pain.001</OrgnlMsgNmId></OrgnlGrpInfAndSts>
    <OrgnlPmtInfAndSts><OrgnlPmtInfId>F1</OrgnlPmtInfId>${content}</OrgnlPmtInfAndSts></CstmrPmtStsRpt>`,
  )

// biome-ignore format: a table is read by column
test.each([
  ['RCVD', 'PENDING'], ['PDNG', 'PENDING'], ['ACTC', 'ACCEPTED'], ['ACCP', 'ACCEPTED'], ['ACSP', 'ACCEPTED'], ['ACWC', 'ACCEPTED'],
  ['ACSC', 'SETTLED'], ['ACCC', 'SETTLED'], ['PART', 'PARTIAL'], ['RJCT', 'REJECTED'], ['CANC', 'OTHER'], ['toString', 'OTHER'],
])('the status %s of a payment is %s', async (code, status) => {
  const records = await read(payments(`<TxInfAndSts><OrgnlEndToEndId>A1</OrgnlEndToEndId><TxSts>${code}</TxSts></TxInfAndSts>`))
  expect(records.at(-1)).toMatchObject({ type: 'PAYMENT_STATUS', reference: 'A1', status, statusCode: code })
})

test('an older return without an id of its own is named by the payment that it returns', async () => {
  const text = document(
    'pacs.004.001.02',
    `<PmtRtr><GrpHdr><MsgId>M1</MsgId><CreDtTm>2026-11-16T20:00:00</CreDtTm><NbOfTxs>1</NbOfTxs><IntrBkSttlmDt>2026-11-17</IntrBkSttlmDt></GrpHdr>
    <OrgnlGrpInf><OrgnlMsgId>F1</OrgnlMsgId></OrgnlGrpInf>
    <TxInf><OrgnlEndToEndId>A1</OrgnlEndToEndId><OrgnlTxId>T1</OrgnlTxId><RtrdIntrBkSttlmAmt Ccy="EUR">5</RtrdIntrBkSttlmAmt>
    <RtrRsnInf><Rsn><Cd>MS03</Cd></Rsn></RtrRsnInf></TxInf></PmtRtr>`,
  )
  expect((await read(text))[1]).toMatchObject({
    returnId: 'pacs.004/T1/A1',
    originalFileId: 'F1',
    code: 'MS03',
    effectiveDate: '2026-11-17',
  })
})

describe('a statement must agree with itself', () => {
  const entry = (amount: string, side: string, status = 'BOOK') =>
    `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${side}</CdtDbtInd><Sts>${status}</Sts><BkTxCd/></Ntry>`
  const balance = (code: string, amount: string, side: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${side}</CdtDbtInd><Dt><Dt>2026-11-16</Dt></Dt></Bal>`
  const summary = (count: string, sum: string) =>
    `<TxsSummry><TtlCdtNtries><NbOfNtries>${count}</NbOfNtries><Sum>${sum}</Sum></TtlCdtNtries></TxsSummry>`
  const statement = (content: string, page = '') =>
    document(
      'camt.053.001.08',
      `<BkToCstmrStmt>${header}<Stmt><Id>S1</Id>${page}<Acct><Id><Othr><Id>1</Id></Othr></Id></Acct>${content}</Stmt></BkToCstmrStmt>`,
    )
  const entries = entry('7.5', 'CRDT') + entry('20', 'DBIT') + entry('99', 'CRDT', 'PDNG')
  const balances = balance('OPBD', '5.00', 'CRDT') + balance('CLBD', '7.50', 'DBIT')
  const around = balance('OPBD', '0', 'CRDT') + balance('CLBD', '7.50', 'CRDT')
  const wrong = balance('OPBD', '5.00', 'CRDT') + balance('CLBD', '7.50', 'CRDT')
  const page = (number: number, isLast: boolean) =>
    `<StmtPgntn><PgNb>${number}</PgNb><LastPgInd>${isLast}</LastPgInd></StmtPgntn>`
  // biome-ignore format: a table is read by column
  test.each([
    ['right balances',             statement(balances + entries),                                    undefined],
    ['wrong balances',             statement(wrong + entries),                                       'WRONG_TOTALS'],
    ['wrong balances of one page', statement(wrong + entries, page(1, true)),                        'WRONG_TOTALS'],
    ['balances of a page of many', statement(wrong + entries, page(1, false)),                       undefined],
    ['a right summary',            statement(around + summary('1', '7.500') + entry('7.5', 'CRDT')), undefined],
    ['another count',              statement(around + summary('2', '7.50') + entry('7.5', 'CRDT')), 'WRONG_TOTALS'],
    ['another sum',                statement(around + summary('1', '7.51') + entry('7.5', 'CRDT')), 'WRONG_TOTALS'],
  ])('%s', async (_case, text, code) => {
    const failure = await read(text).catch((error: unknown) => error)
    if (code) expect(failure).toMatchObject({ code })
    else expect(failure).toBeInstanceOf(Array)
  })
})

const recall = (underlying: string) =>
  document(
    'camt.056.001.08',
    `<FIToFIPmtCxlReq><Assgnmt><Id>A-1</Id><CreDtTm>2026-11-17T10:00:00Z</CreDtTm></Assgnmt>
     <Undrlyg>${underlying}</Undrlyg></FIToFIPmtCxlReq>`,
  )

describe('a hostile or broken file is refused with a code', () => {
  const replace = (from: string | RegExp, to: string) => oldStatement.replace(from, to)
  const laughs = `<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>`
  // biome-ignore format: a table is read by column
  test.each([
    ['an empty file',              '',                                                       'UNKNOWN_FORMAT'],
    ['some text',                  'hello',                                                  'UNKNOWN_FORMAT'],
    ['a page of HTML',             '<html></html>',                                          'UNKNOWN_FORMAT'],
    ['a foreign message',          document('camt.052.001.08', '<x/>'),                      'UNKNOWN_FORMAT'],
    ['an empty recall',            document('camt.056.001.08', '<x/>'),                      'RECALL'],
    ['a recall of a whole file',   recall('<OrgnlGrpInfAndCxl><GrpCxl>true</GrpCxl></OrgnlGrpInfAndCxl>'), 'RECALL'],
    ['a recall of nothing',        recall(''),                                               'RECALL'],
    ['a recall without an id',     recall('<TxInf><OrgnlIntrBkSttlmAmt Ccy="EUR">1</OrgnlIntrBkSttlmAmt></TxInf>'), 'RECALL'],
    ['our own pain.001',           document('pain.001.001.09', '<x/>'),                      'UNKNOWN_FORMAT'],
    ['no namespace',               '<Document><x/></Document>',                              'UNKNOWN_FORMAT'],
    ['a newer version',            replace('camt.053.001.02', 'camt.053.001.99'),            'UNKNOWN_VERSION'],
    ['another variant',            replace('camt.053.001.02', 'camt.053.002.02'),            'UNKNOWN_VERSION'],
    ['a document type',            replace('<Document', `${laughs}<Document`),               'MALFORMED'],
    ['an external entity',         replace('<Document', '<!DOCTYPE d SYSTEM "file:///etc/passwd"><Document'), 'MALFORMED'],
    ['an unknown entity',          replace('&amp;', '&hoho;'),                               'MALFORMED'],
    ['a truncated file',           oldStatement.slice(0, -30),                               'MALFORMED'],
    ['text after the end',         `${oldStatement}<more/>`,                                 'MALFORMED'],
    ['crossed tags',               replace('</Ntry>\n  <Ntry>', '</Stmt>\n  <Ntry>'),        'MALFORMED'],
    ['a reference without end',    replace('>B9<', `>${'9'.repeat(9_000)}<`),                'MALFORMED'],
    ['a number without end',       replace('<LglSeqNb>7<', `<LglSeqNb>${'9'.repeat(9_000)}<`), 'MALFORMED'],
    ['a day before all banks',     replace('2026-11-16T12', '0000-01-01T12'),                'MALFORMED'],
    ['an endless batch',           replace('<NtryDtls>', '<NtryDtls><Btch><NbOfTxs>3000000000</NbOfTxs></Btch>'), 'TOO_LARGE'],
    ['two documents in an envelope', `<BusMsg>${oldStatement.slice(oldStatement.indexOf('<Document'))}${document('camt.053.001.02', '')}</BusMsg>`, 'MALFORMED'],
    ['an envelope without document', '<BusMsg><AppHdr/></BusMsg>',                           'UNKNOWN_FORMAT'],
    ['a return of nothing',        document('pacs.004.001.10', `<PmtRtr>${header}<TxInf><RtrId>1</RtrId><RtrdIntrBkSttlmAmt Ccy="EUR">0</RtrdIntrBkSttlmAmt></TxInf></PmtRtr>`), 'WRONG_AMOUNT'],
    ['another encoding',           replace('UTF-8', 'UTF-7'),                                'MALFORMED'],
    ['another namespace inside',   replace('<Acct>', '<Acct xmlns="urn:x">'),                'MALFORMED'],
    ['text between elements',      replace('<Acct>', '<Acct>hello'),                         'MALFORMED'],
    ['no header',                  replace(header, ''),                                      'MALFORMED'],
    ['two headers',                replace(header, header + header),                         'MALFORMED'],
    ['no date',                    replace('2026-11-16T20:00:00+01:00', 'yesterday'),        'MALFORMED'],
    ['another message inside',     document('camt.053.001.02', `<BkToCstmrDbtCdtNtfctn>${header}</BkToCstmrDbtCdtNtfctn>`), 'MALFORMED'],
    ['no statement',               document('camt.053.001.02', `<BkToCstmrStmt>${header}</BkToCstmrStmt>`), 'MALFORMED'],
    ['no account',                 replace(/<Acct>.*<\/Acct>/, ''),                          'MALFORMED'],
    ['a second account at the end', replace('</Stmt>', '<Acct><Id><IBAN>X</IBAN></Id></Acct></Stmt>'), 'MALFORMED'],
    ['two amounts',                replace('<Sts>BOOK', '<Amt Ccy="EUR">1</Amt><Sts>BOOK'),  'MALFORMED'],
    ['no direction',               replace('<CdtDbtInd>CRDT</CdtDbtInd>', ''),               'MALFORMED'],
    ['an unknown direction',       replace('CRDT', 'BOTH'),                                  'MALFORMED'],
    ['an unknown entry status',    replace('BOOK', 'DONE'),                                  'MALFORMED'],
    ['a day that does not exist',  replace('2026-11-16T12', '2026-11-31T12'),                'MALFORMED'],
    ['a negative amount',          replace('+0010.5', '-10.5'),                              'WRONG_AMOUNT'],
    ['an amount with an exponent', replace('+0010.5', '1e3'),                                'WRONG_AMOUNT'],
    ['an amount with a comma',     replace('+0010.5', '10,50'),                              'WRONG_AMOUNT'],
    ['a third decimal',            replace('+0010.5', '10.505'),                             'WRONG_AMOUNT'],
    ['an unknown currency',        replace('Ccy="EUR">+0010.5', 'Ccy="XXX">10.5'),           'WRONG_AMOUNT'],
    ['no currency',                replace('<Amt Ccy="EUR">+0010.5', '<Amt>10.5'),           'WRONG_AMOUNT'],
    ['deep nesting',               document('camt.053.001.02', '<a>'.repeat(100) + '</a>'.repeat(100)), 'TOO_LARGE'],
    ['a long text',                replace('a < b', 'x'.repeat(20_000)),                     'TOO_LARGE'],
    ['an endless text',            replace('a < b', 'x'.repeat(600_000)),                    'TOO_LARGE'],
    ['an endless attribute',       `<Document a="${'x'.repeat(600_000)}"/>`,                 'TOO_LARGE'],
    ['many elements in an entry',  replace('<Refs>', `<Refs>${'<Prtry/>'.repeat(30_000)}`),  'TOO_LARGE'],
    ['a return with another count', document('pacs.004.001.10', `<PmtRtr>${header}</PmtRtr>`), 'WRONG_TOTALS'],
  ])('%s', async (_case, text, code) => {
    const failure = await read(text).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(BankFileError)
    expect(failure).toMatchObject({ code })
  })

  test('bytes that are not UTF-8', async () => {
    const failure = await read(Buffer.from(oldStatement.replace('Grace', 'Zo\xeb'), 'latin1')).catch(
      (error: unknown) => error,
    )
    expect(failure).toMatchObject({ code: 'MALFORMED' })
  })
})
