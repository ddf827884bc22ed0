import Type, { type Static } from 'typebox'
import { exampleBankChange } from '../../../http/examples/returns.ts'
import { oneOf, pageOf, pageQuery, requestBody, resource, Timestamp, Uuid } from '../../../http/wire.ts'
import { maskAccountNumber } from '../../../payment-accounts/bank-accounts/mask.ts'
import { changeDecisions, changeStatuses } from './change.ts'
import { readCorrection } from './correction.ts'
import type { OpenedChange } from './service.ts'

const Masked = (description: string) => Type.Optional(Type.String({ description, examples: ['****0001'] }))

export const BankChangeAnswer = resource(
  'BankChange',
  {
    bankChangeId: Uuid,
    bankChangeStatus: oneOf(
      changeStatuses,
      'OPEN until an operator confirms or refuses it; NOTED when it corrects no coordinates',
    ),
    code: Type.String({ description: 'The code of the bank (Nacha: C01 to C69)', examples: ['C01'] }),
    paymentAccountId: Type.Optional(Uuid),
    transactionId: Type.Optional(Uuid),
    correction: Type.Object(
      {
        accountNumber: Masked('The account number that the bank asks for, masked'),
        routingNumber: Masked('The routing number that the bank asks for, masked'),
        bankAccountType: Type.Optional(Type.String({ examples: ['SAVINGS'] })),
      },
      { description: 'The fields of the bank account that change with a confirmation' },
    ),
    createdAt: Timestamp,
    decidedAt: Type.Optional(Timestamp),
  },
  exampleBankChange,
)

export const BankChangePage = pageOf('BankChangePage', 'bankChanges', BankChangeAnswer)
export const BankChangeQuery = Type.Object({ ...pageQuery, status: Type.Optional(oneOf(changeStatuses)) })
export const BankChangeParams = Type.Object({ bankChangeId: Uuid })

export const DecideBankChangeBody = requestBody('DecideBankChange', {
  decision: oneOf(changeDecisions, 'CONFIRM after the customer has confirmed the correction'),
  reason: Type.String({ minLength: 1, maxLength: 500, examples: ['The customer confirmed the new number by phone'] }),
})

export function presentChange(change: OpenedChange): Static<typeof BankChangeAnswer> {
  const { accountNumber, routingNumber, bankAccountType } = readCorrection(change.code, change.correction) ?? {}
  return {
    bankChangeId: change.bankChangeId,
    bankChangeStatus: change.status,
    code: change.code,
    ...(change.paymentAccountId === null ? {} : { paymentAccountId: change.paymentAccountId }),
    ...(change.transactionId === null ? {} : { transactionId: change.transactionId }),
    correction: {
      ...(accountNumber === undefined ? {} : { accountNumber: maskAccountNumber(accountNumber) }),
      ...(routingNumber === undefined ? {} : { routingNumber: maskAccountNumber(routingNumber) }),
      ...(bankAccountType === undefined ? {} : { bankAccountType }),
    },
    createdAt: change.recordedAt.toISOString(),
    ...(change.decidedAt === null ? {} : { decidedAt: change.decidedAt.toISOString() }),
  }
}
