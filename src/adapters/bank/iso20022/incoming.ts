import type { FileRecord, IncomingFormat, IncomingRecord } from '../../../transactions/bank-files/formats.ts'
import { BankFileError } from '../bank-file-error.ts'
import { createStatementReading, pageOf } from './camt-reader.ts'
import { dayOf, needText, optional } from './elements.ts'
import { messageOf } from './messages.ts'
import { createStatusReading } from './pain002-reader.ts'
import { createRecallReading } from './returns/camt056-reader.ts'
import { createReturnReading } from './returns/pacs004-reader.ts'
import { readXml, type XmlElement, type XmlEvent } from './xml-reader.ts'

type XmlFormat = Exclude<IncomingFormat, 'NACHA'>

type Reading = {
  begin?(header: XmlElement): void
  take(part: string, event: XmlEvent): Iterable<IncomingRecord>
  end(): void
}

const readings: Readonly<Record<XmlFormat, () => Reading>> = {
  'pain.002': createStatusReading,
  'camt.053': createStatementReading,
  'camt.054': createStatementReading,
  'camt.056': createRecallReading,
  'pacs.004': createReturnReading,
}

/** Reads a message of a bank: pain.002, camt.053, camt.054, camt.056 or pacs.004. */
export async function* readIsoIncoming(source: AsyncIterable<Buffer>): AsyncGenerator<IncomingRecord> {
  let isRecall = false
  try {
    yield* readMessage(source, (format) => {
      isRecall = format === 'camt.056'
    })
  } catch (error) {
    // The bank waits for an answer, so that this problem has an alarm of its own.
    if (isRecall && error instanceof BankFileError) throw new BankFileError('RECALL', error.message)
    throw error
  }
}

async function* readMessage(
  source: AsyncIterable<Buffer>,
  onFormat: (format: string) => void,
): AsyncGenerator<IncomingRecord> {
  let message = messageNone
  let reading: Reading | undefined
  let isBegun = false
  let isEnded = false
  const events = readXml(source, (namespace) => {
    onFormat(/camt\.056(?=\.)/.exec(namespace)?.[0] ?? '')
    const { format, version, root, header, detached } = messageOf(namespace, Object.keys(readings) as XmlFormat[])
    message = { format: format as XmlFormat, version, root, header }
    reading = readings[message.format]()
    return detached
  })
  for await (const event of events) {
    const part = event.path.slice(message.root.length + 1)
    if (part === '') {
      isEnded = true
    } else if (part === message.header) {
      if (isBegun)
        throw new BankFileError('MALFORMED', `The message has more than one ${message.header}`, event.element.line)
      isBegun = true
      reading?.begin?.(event.element)
      yield fileRecord(event.element, message)
    } else {
      if (!isBegun)
        throw new BankFileError('MALFORMED', `The message does not begin with ${message.header}`, event.element.line)
      yield* reading?.take(part, event) ?? []
    }
  }
  if (!isBegun || !isEnded)
    throw new BankFileError('MALFORMED', `The document has no ${message.root} with a ${message.header}`)
  reading?.end()
}

const messageNone = { format: 'pain.002' as XmlFormat, version: '', root: '', header: 'GrpHdr' }

function fileRecord(header: XmlElement, { format, version }: { format: XmlFormat; version: string }): FileRecord {
  const createdAt = needText(header, 'CreDtTm')
  dayOf(createdAt, header.line)
  return {
    type: 'FILE',
    format,
    version,
    messageId: needText(header, header.name === 'GrpHdr' ? 'MsgId' : 'Id'),
    createdAt,
    ...optional('page', pageOf(header, 'MsgPgntn')),
  }
}
