import Type, { type Static } from 'typebox'
import { fiatRails } from '../../catalog/currencies.ts'
import { oneOf, requestBody, resource, Uuid } from '../../http/wire.ts'
import { changeCodes } from './payments/returns.ts'

const Text = (description: string, example: string, maxLength = 140) =>
  Type.String({ minLength: 1, maxLength, description, examples: [example] })

const BankAccountId = Text('The name of our account: usd-main, eur-main, cad-main or inr-main', 'usd-main', 40)
const Rail = oneOf(fiatRails, 'The rail; by default the first of the account')

export const SendBankDeposit = requestBody(
  'SendBankDeposit',
  {
    bankAccountId: BankAccountId,
    amount: Type.String({ examples: ['100.00'] }),
    reference: Type.Optional(Text('The text of the sender, such as the transferMessage', 'SVC7K2MPQ4WX8RTB')),
    senderName: Type.Optional(Text('The name of the sender at the bank', 'Ada Example')),
    senderAccount: Type.Optional(
      Text('The IBAN or account number of the sender; a code of the bank may precede it', '021000021/000123456789', 60),
    ),
    rail: Type.Optional(Rail),
    entryReference: Type.Optional(
      Text(
        'The reference of the bank. The same reference and content repeats an entry; other content contradicts it',
        'ENTRY-7',
        35,
      ),
    ),
  },
  {
    examples: [
      { bankAccountId: 'usd-main', amount: '100.00', reference: 'SVC7K2MPQ4WX8RTB', senderName: 'Ada Example' },
    ],
  },
)
export type BankDepositBody = Static<typeof SendBankDeposit>

export const SentBankDeposit = resource('SentBankDeposit', {
  referenceId: Type.String({
    description: 'The reference of the bank',
    examples: ['0199F3A27C1E7D558C1B5A0F6B1F4A11'],
  }),
  bankAccountId: Type.String({ examples: ['usd-main'] }),
  amount: Type.String({ examples: ['100.00'] }),
  currency: Type.String({ examples: ['USD'] }),
  paymentMethod: Type.String({ examples: ['ACH'] }),
})

export const ReturnByBank = requestBody(
  'ReturnByBank',
  {
    transactionId: Uuid,
    code: Type.String({
      description:
        'ACH: R01 to R85 of Nacha. Other rails: a return reason of ISO 20022 such as AC04. For ACH also ' +
        `${changeCodes.join(', ')}: the payment stays, and the bank notifies a change of the account`,
      examples: ['R02'],
    }),
  },
  { examples: [{ transactionId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a16', code: 'R02' }] },
)
export type BankReturnBody = Static<typeof ReturnByBank>

export const RecallByBank = requestBody(
  'RecallByBank',
  {
    depositId: Uuid,
    code: Type.Optional(
      Type.String({
        pattern: '^[A-Z0-9]{4}$',
        description:
          'A cancellation reason of ISO 20022: DUPL and TECH are mistakes, FRAD (the default) is suspected fraud',
        examples: ['FRAD'],
      }),
    ),
  },
  { examples: [{ depositId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a17', code: 'FRAD' }] },
)
export type BankRecallBody = Static<typeof RecallByBank>

export const WriteStatement = requestBody(
  'WriteStatement',
  { bankAccountId: BankAccountId },
  { examples: [{ bankAccountId: 'usd-main' }] },
)
export const WrittenStatement = resource('WrittenStatement', {
  bankAccountId: Type.String({ examples: ['usd-main'] }),
  currency: Type.String({ examples: ['USD'] }),
})
