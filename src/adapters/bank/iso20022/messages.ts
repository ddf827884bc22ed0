import type { IncomingFormat } from '../../../transactions/bank-files/formats.ts'
import { BankFileError } from '../bank-file-error.ts'
import type { Detached } from './xml-reader.ts'

type XmlFormat = Exclude<IncomingFormat, 'NACHA'> | 'pain.001'

type Message = {
  /** The element inside Document. */
  root: string
  /** The versions that Svc reads, such as 3 to 11 for 001.03 to 001.11. */
  versions: readonly [first: number, last: number]
  /** The first element, with the id of the message. */
  header?: 'Assgnmt'
  /** The elements that are passed on one by one. */
  parts: readonly string[]
}

/** The messages of ISO 20022 that Svc reads. */
export const messages: Readonly<Record<XmlFormat, Message>> = {
  'pain.001': { root: 'CstmrCdtTrfInitn', versions: [3, 9], parts: ['GrpHdr', 'PmtInf', 'PmtInf/CdtTrfTxInf'] },
  'pain.002': {
    root: 'CstmrPmtStsRpt',
    versions: [3, 11],
    parts: ['GrpHdr', 'OrgnlGrpInfAndSts', 'OrgnlPmtInfAndSts', 'OrgnlPmtInfAndSts/TxInfAndSts'],
  },
  'camt.053': {
    root: 'BkToCstmrStmt',
    versions: [2, 8],
    parts: ['GrpHdr', 'Stmt', 'Stmt/Bal', 'Stmt/Ntry', 'Stmt/Ntry/NtryDtls/TxDtls'],
  },
  'camt.054': {
    root: 'BkToCstmrDbtCdtNtfctn',
    versions: [2, 8],
    parts: ['GrpHdr', 'Ntfctn', 'Ntfctn/Ntry', 'Ntfctn/Ntry/NtryDtls/TxDtls'],
  },
  'camt.056': {
    root: 'FIToFIPmtCxlReq',
    versions: [1, 11],
    header: 'Assgnmt',
    parts: ['Assgnmt', 'CtrlData', 'Undrlyg', 'Undrlyg/TxInf'],
  },
  'pacs.004': { root: 'PmtRtr', versions: [2, 10], parts: ['GrpHdr', 'OrgnlGrpInf', 'TxInf'] },
}

export type ChosenMessage = { format: XmlFormat; version: string; root: string; header: string; detached: Detached }

/**
 * The namespace of ISO 20022, and those that the banks of Switzerland (SIX) and Austria (STUZZA) gave the same messages. The
 * pain.002.003.03 of German banks is a pain.002.001.03 with fewer choices.
 */
const spellings = [
  /^urn:iso:std:iso:20022:tech:xsd:([a-z]{4}\.\d{3})\.(\d{3}\.(\d{2}))$/,
  /^http:\/\/www\.six-interbank-clearing\.com\/de\/([a-z]{4}\.\d{3})\.(\d{3}\.(\d{2}))\.ch\.\d{2}\.xsd$/,
  /^ISO:([a-z]{4}\.\d{3})\.(\d{3}\.(\d{2})):APC:STUZZA:payments:\d{3}$/,
]

/** Finds the message of a namespace; refuses those that Svc does not read. */
export function messageOf(namespace: string, wanted: readonly XmlFormat[]): ChosenMessage {
  const match = spellings.map((spelling) => spelling.exec(namespace)).find((found) => found !== null)
  const [, name = '', told = '', number = '0'] = match ?? []
  const version = name === 'pain.002' && told === '003.03' ? '001.03' : told
  const format = wanted.find((known) => known === name)
  if (!format) throw new BankFileError('UNKNOWN_FORMAT', 'The namespace is not that of a message that Svc reads', 1)
  const { root, versions, header = 'GrpHdr', parts } = messages[format]
  const [first, last] = versions
  if (!version.startsWith('001.') || Number(number) < first || Number(number) > last) {
    throw new BankFileError(
      'UNKNOWN_VERSION',
      `Svc reads versions 001.${pad(first)} to 001.${pad(last)} of ${format}`,
      1,
    )
  }
  return { format, version, root, header, detached: new Set([root, ...parts.map((part) => `${root}/${part}`)]) }
}

const pad = (version: number) => String(version).padStart(2, '0')
