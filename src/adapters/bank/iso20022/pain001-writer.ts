import { scaleOf } from '../../../catalog/currencies.ts'
import { formatAmount } from '../../../lib/money.ts'
import type { FileHeader, OutgoingFile, OutgoingPayment } from '../../../transactions/bank-files/formats.ts'
import { fitText, identifierProblem, nameProblem, wholeNameProblem } from '../text/charsets.ts'
import { account, address, agent } from './parties.ts'
import { type IsoService, isoServices } from './services.ts'
import { branch, leaf, writeDocument } from './xml-writer.ts'

/** Amounts have at most 18 digits. */
const mostUnits = 10n ** 18n - 1n

const serviceIn = ({ service }: FileHeader) => service as IsoService

/** Tells why a payment cannot be written into a pain.001; undefined when it can. */
export function painProblem(file: FileHeader, payment: OutgoingPayment): string | undefined {
  const { reference, amount, receiver, originator } = payment
  if (amount <= 0n || amount > mostUnits) return 'the amount must have 1 to 18 digits'
  const references = identifierProblem(reference, 'sepa', 35)
  if (references) return `the reference ${references}`
  const names = nameProblem(receiver.name, 'sepa')
  if (names) return `the name of the receiver ${names}`
  // The receiver's bank compares no name of an originator, and no registration of an account can respell it.
  const originators = originator.name.trim() === '' ? undefined : wholeNameProblem(originator.name, 'sepa')
  if (originators) return `the name of the originator ${originators}`
  return accountProblem(serviceIn(file), receiver.coordinates)
}

function accountProblem(
  service: IsoService,
  coordinates: OutgoingPayment['receiver']['coordinates'],
): string | undefined {
  const { iban, bicSwift, routingNumber, accountNumber, ifscCode, institutionNumber, transitNumber, interacEmail } =
    coordinates
  if (bicSwift !== undefined && !/^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/.test(bicSwift)) {
    return 'the BIC must have 8 or 11 characters'
  }
  if (service === 'SEPA') {
    return /^[A-Z]{2}\d{2}[A-Z0-9]{1,30}$/.test(iban ?? '') ? undefined : 'the account must have an IBAN'
  }
  // ISO 20022 has no limit here, but an e-mail address has: RFC 5321, 254 characters.
  if (service === 'INTERAC' && interacEmail !== undefined) {
    return /^[\x21-\x7e]{1,254}$/.test(interacEmail) ? undefined : 'the e-mail address must be ASCII without blanks'
  }
  const numbers = identifierProblem(accountNumber ?? '', 'sepa', 34)
  if (numbers) return `the account number ${numbers}`
  if (service === 'WIRE')
    return /^\d{9}$/.test(routingNumber ?? '') ? undefined : 'the routing number must have 9 digits'
  if (service !== 'INTERAC') return /^[A-Z]{4}0[A-Z0-9]{6}$/.test(ifscCode ?? '') ? undefined : 'the IFSC is missing'
  const isCanadian = /^\d{3}$/.test(institutionNumber ?? '') && /^\d{5}$/.test(transitNumber ?? '')
  return isCanadian ? undefined : 'the institution and transit numbers are missing'
}

/**
 * Writes a pain.001.001.09 with one batch of payments. The count and sum stand before the payments, so the writer passes
 * over them twice, and holds none of them.
 */
export function* writePain001(file: OutgoingFile): Generator<Buffer> {
  // An iterator can be passed over once only.
  const isIterator = file.payments[Symbol.iterator]() === (file.payments as unknown)
  const payments = isIterator ? [...file.payments] : file.payments
  yield* writeDocument('pain.001.001.09', pieces(file, payments))
}

function* pieces(file: OutgoingFile, payments: Iterable<OutgoingPayment>): Generator<string> {
  const { fileId, account: own } = file
  const fileProblem = identifierProblem(fileId, 'sepa', 35)
  if (fileProblem) throw new RangeError(`The file id ${fileProblem}`)
  let count = 0
  let sum = 0n
  for (const payment of payments) {
    const problem = painProblem(file, payment)
    if (problem) throw new RangeError(`${payment.reference} cannot be written: ${problem}`)
    count += 1
    sum += payment.amount
  }
  if (count === 0) throw new RangeError('A file needs at least one payment')
  const totals = leaf('NbOfTxs', String(count)) + leaf('CtrlSum', formatAmount(sum, scaleOf(own.currency)))
  yield '<CstmrCdtTrfInitn>\n'
  yield `${groupHeader(file, totals)}\n`
  yield `<PmtInf>${paymentHeader(file, totals)}\n`
  for (const payment of payments) yield `${creditTransfer(file, payment)}\n`
  yield '</PmtInf>\n</CstmrCdtTrfInitn>\n'
}

function groupHeader({ fileId, createdAt, account: own }: FileHeader, totals: string): string {
  const { initiatingPartyId } = own.dialect.iso20022 ?? {}
  const id = branch('Id', branch('OrgId', branch('Othr', leaf('Id', initiatingPartyId))))
  return branch(
    'GrpHdr',
    leaf('MsgId', fileId),
    leaf('CreDtTm', `${createdAt.toISOString().slice(0, 19)}Z`),
    totals,
    branch('InitgPty', leaf('Nm', fitText(own.holderName, 'sepa', 70)), id),
  )
}

function paymentHeader(file: FileHeader, totals: string): string {
  const { fileId, executionDate, account: own } = file
  const service = serviceIn(file)
  const { serviceLevel, localInstrument, chargeBearer, nameLength } = isoServices[service]
  return [
    leaf('PmtInfId', fileId),
    leaf('PmtMtd', 'TRF'),
    leaf('BtchBookg', String(own.dialect.iso20022?.batchBooking ?? false)),
    totals,
    branch('PmtTpInf', branch('SvcLvl', leaf('Cd', serviceLevel)), branch('LclInstrm', leaf('Prtry', localInstrument))),
    branch('ReqdExctnDt', leaf('Dt', executionDate)),
    branch('Dbtr', leaf('Nm', fitText(own.holderName, 'sepa', nameLength)), address(own.holderAddress)),
    account('DbtrAcct', own.coordinates, own.currency),
    agent('DbtrAgt', service, own.coordinates),
    leaf('ChrgBr', chargeBearer),
  ].join('')
}

function creditTransfer(file: FileHeader, { reference, amount, receiver, originator, memo }: OutgoingPayment): string {
  const { currency } = file.account
  const service = serviceIn(file)
  const { nameLength } = isoServices[service]
  const { coordinates } = receiver
  const hasAgent = service !== 'SEPA' ? coordinates.interacEmail === undefined : coordinates.bicSwift !== undefined
  return branch(
    'CdtTrfTxInf',
    branch('PmtId', leaf('InstrId', reference), leaf('EndToEndId', reference)),
    branch('Amt', leaf('InstdAmt', formatAmount(amount, scaleOf(currency)), ['Ccy', currency])),
    ultimateDebtor(originator, service),
    hasAgent ? agent('CdtrAgt', service, coordinates, receiver.bankName) : '',
    branch(
      'Cdtr',
      leaf('Nm', fitText(receiver.name, 'sepa', nameLength)),
      address(receiver.address),
      branch('CtctDtls', leaf('EmailAdr', coordinates.interacEmail)),
    ),
    account('CdtrAcct', coordinates),
    branch('RmtInf', leaf('Ustrd', fitText(memo, 'sepa', 140))),
  )
}

/**
 * Names the customer for whom we pay. Without a name we pay for ourselves. SEPA knows an ultimate debtor by name and
 * identification alone, so its address is left out.
 */
function ultimateDebtor({ name, address: postal }: OutgoingPayment['originator'], service: IsoService): string {
  if (name.trim() === '') return ''
  const { nameLength } = isoServices[service]
  return branch('UltmtDbtr', leaf('Nm', fitText(name, 'sepa', nameLength)), service === 'SEPA' ? '' : address(postal))
}
