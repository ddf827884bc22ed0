import Type, { type Static } from 'typebox'
import { type FiatLabel, scaleOf } from '../../catalog/currencies.ts'
import { exampleBankFile } from '../../http/examples/operators.ts'
import { oneOf, pageOf, pageQuery, resource, Timestamp, Uuid } from '../../http/wire.ts'
import { formatAmount } from '../../lib/money.ts'
import { incomingStatuses, type ListedFile, outgoingStatuses } from './bank-file.ts'

const statuses = [...outgoingStatuses, ...incomingStatuses]
const directions = ['OUTGOING', 'INCOMING'] as const

export const BankFileAnswer = resource(
  'BankFile',
  {
    bankFileId: Uuid,
    direction: oneOf(directions),
    bankFileStatus: oneOf(
      statuses,
      'PREPARED, STAGED, RELEASED (the bank may have it) or LAPSED (it never left); RECEIVED, APPLIED, QUARANTINED or ' +
        'DISMISSED for a file of the bank',
    ),
    name: Type.String({ examples: ['sepa-SVC0199F3A27C1E7D558C1B5A0F6B1F4A11.xml'] }),
    format: Type.Optional(Type.String({ description: 'NACHA, pain.001, camt.053 …', examples: ['pain.001'] })),
    messageId: Type.Optional(Type.String({ examples: ['SVC0199F3A27C1E7D558C1B5A0F6B1F4A11'] })),
    bankAccountId: Type.Optional(Type.String({ description: 'Our own bank account', examples: ['eur-main'] })),
    service: Type.Optional(Type.String({ examples: ['SEPA'] })),
    executionDate: Type.Optional(Type.String({ format: 'date', examples: ['2026-11-16'] })),
    itemCount: Type.Integer({ description: 'Payments of our file, or records of the bank’s', examples: [12] }),
    total: Type.Optional(Type.String({ description: 'The sum of the payments of our file', examples: ['120.00'] })),
    currency: Type.Optional(Type.String({ examples: ['EUR'] })),
    bankStatus: Type.Optional(
      oneOf(
        ['ACCEPTED', 'PARTIAL', 'PENDING', 'REJECTED', 'DUPLICATE', 'DISPUTED'],
        'The bank’s word about our file. Its payments may be paid if the bank has it already (DUPLICATE), or accepts it after a rejection (DISPUTED)',
      ),
    ),
    bankReason: Type.Optional(Type.String({ examples: ['AM05'] })),
    quarantineCode: Type.Optional(
      Type.String({ description: 'Why Svc cannot read the file', examples: ['MALFORMED'] }),
    ),
    quarantineReason: Type.Optional(Type.String({ examples: ['Line 3: the element Amt is missing'] })),
    deliveries: Type.Integer({ description: 'How often the bank sent these bytes', examples: [1] }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  exampleBankFile,
)

export const BankFilePage = pageOf('BankFilePage', 'bankFiles', BankFileAnswer)

export const BankFileQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(oneOf(statuses)),
  direction: Type.Optional(oneOf(directions)),
})

/** Presents a file without its content, which names people and accounts. */
export function presentFile(file: ListedFile): Static<typeof BankFileAnswer> {
  const { total, currency } = file
  const sum =
    total === null || currency === null ? undefined : formatAmount(BigInt(total), scaleOf(currency as FiatLabel))
  return {
    bankFileId: file.bankFileId,
    direction: file.direction,
    bankFileStatus: file.status,
    name: file.name,
    ...(file.format === null ? {} : { format: file.format }),
    ...(file.messageId === null ? {} : { messageId: file.messageId }),
    ...(file.bankAccountId === null ? {} : { bankAccountId: file.bankAccountId }),
    ...(file.service === null ? {} : { service: file.service }),
    ...(file.executionDate === null ? {} : { executionDate: file.executionDate }),
    itemCount: file.itemCount,
    ...(sum === undefined || currency === null ? {} : { total: sum, currency }),
    ...(file.bankStatus === null ? {} : { bankStatus: file.bankStatus }),
    ...(file.bankReason === null ? {} : { bankReason: file.bankReason }),
    ...(file.problemCode === null ? {} : { quarantineCode: file.problemCode }),
    ...(file.problem === null ? {} : { quarantineReason: file.problem }),
    deliveries: file.deliveries,
    createdAt: file.createdAt.toISOString(),
    updatedAt: file.changedAt.toISOString(),
  }
}
