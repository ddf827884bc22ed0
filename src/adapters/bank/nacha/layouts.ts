/** The fields of a record in their order, with their widths. Every record has 94 columns. */
export type Layout = readonly (readonly [name: string, width: number])[]

export const recordWidth = 94
export const blockingFactor = 10

const type = ['recordType', 1] as const
const traceNumber = ['traceNumber', 15] as const
const odfi = ['odfi', 8] as const
const batchNumber = ['batchNumber', 7] as const
const receiver = [type, ['transactionCode', 2], ['rdfi', 8], ['checkDigit', 1]] as const
const batchEnd = [['originatorStatus', 1], odfi, batchNumber] as const

/** Nacha Operating Rules, appendix three: ACH record format specifications. */
export const layouts = {
  fileHeader: [
    type,
    ['priority', 2],
    ['destination', 10],
    ['origin', 10],
    ['creationDate', 6],
    ['creationTime', 4],
    ['fileIdModifier', 1],
    ['recordSize', 3],
    ['blockingFactor', 2],
    ['formatCode', 1],
    ['destinationName', 23],
    ['originName', 23],
    ['referenceCode', 8],
  ],
  batchHeader: [
    type,
    ['serviceClass', 3],
    ['companyName', 16],
    ['discretionaryData', 20],
    ['companyId', 10],
    ['secCode', 3],
    ['entryDescription', 10],
    ['descriptiveDate', 6],
    ['effectiveDate', 6],
    ['settlementDate', 3],
    ...batchEnd,
  ],
  batchHeaderIat: [
    type,
    ['serviceClass', 3],
    ['iatIndicator', 16],
    ['exchangeIndicator', 2],
    ['exchangeReferenceIndicator', 1],
    ['exchangeReference', 15],
    ['destinationCountry', 2],
    ['companyId', 10],
    ['secCode', 3],
    ['entryDescription', 10],
    ['originCurrency', 3],
    ['destinationCurrency', 3],
    ['effectiveDate', 6],
    ['settlementDate', 3],
    ...batchEnd,
  ],
  entry: [
    ...receiver,
    ['accountNumber', 17],
    ['amount', 10],
    ['individualId', 15],
    ['individualName', 22],
    ['discretionaryData', 2],
    ['addendaIndicator', 1],
    traceNumber,
  ],
  entryIat: [
    ...receiver,
    ['addendaCount', 4],
    ['reserved', 13],
    ['amount', 10],
    ['accountNumber', 35],
    ['reserved2', 2],
    ['gatewayScreening', 1],
    ['secondaryScreening', 1],
    ['addendaIndicator', 1],
    traceNumber,
  ],
  entryAdv: [
    ...receiver,
    ['accountNumber', 15],
    ['amount', 12],
    ['adviceRoutingNumber', 9],
    ['fileIdentification', 5],
    ['operatorData', 1],
    ['individualName', 22],
    ['discretionaryData', 2],
    ['addendaIndicator', 1],
    traceNumber,
  ],
  /** Type 05: the text of a payment. */
  addenda: [type, ['addendaType', 2], ['text', 80], ['sequence', 4], ['entrySequence', 7]],
  /** Types 02 and 10 to 18, whose fields Svc does not need. */
  addendaOther: [type, ['addendaType', 2], ['text', 76], traceNumber],
  /** Type 98: a notification of change. */
  change: [
    type,
    ['addendaType', 2],
    ['changeCode', 3],
    ['originalTrace', 15],
    ['reserved', 6],
    ['originalRdfi', 8],
    ['corrected', 29],
    ['reserved2', 15],
    traceNumber,
  ],
  /** Type 98 with a code from C61: our refusal of a notification. */
  refusedChange: [
    type,
    ['addendaType', 2],
    ['changeCode', 3],
    ['originalTrace', 15],
    ['reserved', 6],
    ['originalRdfi', 8],
    ['corrected', 29],
    ['refusedCode', 3],
    ['changeTraceSequence', 7],
    ['reserved2', 5],
    traceNumber,
  ],
  /** Type 99: a return. */
  return: [
    type,
    ['addendaType', 2],
    ['returnCode', 3],
    ['originalTrace', 15],
    ['dateOfDeath', 6],
    ['originalRdfi', 8],
    ['text', 44],
    traceNumber,
  ],
  /** Type 99 with a code from R61 to R70: the originating bank refuses the return. */
  dishonoredReturn: [
    type,
    ['addendaType', 2],
    ['returnCode', 3],
    ['originalTrace', 15],
    ['reserved', 6],
    ['originalRdfi', 8],
    ['reserved2', 3],
    ['returnTrace', 15],
    ['returnSettlementDate', 3],
    ['returnReason', 2],
    ['text', 21],
    traceNumber,
  ],
  /** Type 99 with a code from R71 to R77: the receiving bank insists on its return. */
  contestedReturn: [
    type,
    ['addendaType', 2],
    ['returnCode', 3],
    ['originalTrace', 15],
    ['returnDate', 6],
    ['originalRdfi', 8],
    ['originalSettlementDate', 3],
    ['returnTrace', 15],
    ['returnSettlementDate', 3],
    ['returnReason', 2],
    ['dishonoredTrace', 15],
    ['dishonoredSettlementDate', 3],
    ['dishonoredReason', 2],
    ['reserved', 1],
    traceNumber,
  ],
  batchControl: [
    type,
    ['serviceClass', 3],
    ['entryCount', 6],
    ['entryHash', 10],
    ['debitTotal', 12],
    ['creditTotal', 12],
    ['companyId', 10],
    ['authenticationCode', 19],
    ['reserved', 6],
    odfi,
    batchNumber,
  ],
  batchControlAdv: [
    type,
    ['serviceClass', 3],
    ['entryCount', 6],
    ['entryHash', 10],
    ['debitTotal', 20],
    ['creditTotal', 20],
    ['operatorData', 19],
    odfi,
    batchNumber,
  ],
  fileControl: [
    type,
    ['batchCount', 6],
    ['blockCount', 6],
    ['entryCount', 8],
    ['entryHash', 10],
    ['debitTotal', 12],
    ['creditTotal', 12],
    ['reserved', 39],
  ],
  fileControlAdv: [
    type,
    ['batchCount', 6],
    ['blockCount', 6],
    ['entryCount', 8],
    ['entryHash', 10],
    ['debitTotal', 20],
    ['creditTotal', 20],
    ['reserved', 23],
  ],
  /** A line of nines that fills the last block. */
  padding: [['nines', 94]],
} as const satisfies Record<string, Layout>

export type RecordKind = keyof typeof layouts
export type FieldName<Kind extends RecordKind> = (typeof layouts)[Kind][number][0]
/** The fields of a record with their blanks, exactly as wide as in the file. */
export type Fields<Kind extends RecordKind = RecordKind> = Record<FieldName<Kind>, string>

/** Cuts a line of 94 columns into the fields of its layout. */
export function cutFields<Kind extends RecordKind>(kind: Kind, line: string): Fields<Kind> {
  const fields: Record<string, string> = {}
  let at = 0
  for (const [name, width] of layouts[kind]) {
    fields[name] = line.slice(at, at + width)
    at += width
  }
  return fields as Fields<Kind>
}

/** Joins fields into a line: the inverse of cutFields. */
export function joinFields<Kind extends RecordKind>(kind: Kind, fields: Fields<Kind>): string {
  let line = ''
  for (const [name] of layouts[kind]) line += (fields as Record<string, string>)[name]
  return line
}

/**
 * Writes values into a line: digits at the right of their field with zeros before, texts at the left with blanks after.
 * A value that is wider than its field is an error, never cut.
 */
export function writeLine<Kind extends RecordKind>(
  kind: Kind,
  values: Partial<Record<FieldName<Kind>, string | bigint | number>>,
): string {
  let line = ''
  for (const [name, width] of layouts[kind]) {
    const value = (values as Record<string, string | bigint | number | undefined>)[name] ?? ''
    const text = typeof value === 'string' ? value.padEnd(width) : value.toString().padStart(width, '0')
    if (text.length !== width) throw new RangeError(`${name} of ${kind} has more than ${width} characters`)
    line += text
  }
  return line
}
