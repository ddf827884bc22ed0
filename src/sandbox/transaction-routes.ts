import Type from 'typebox'
import { type Route, route } from '../http/route.ts'
import { requestBody, resource, Uuid } from '../http/wire.ts'
import { TransactionAnswer, TransactionParams } from '../transactions/wire.ts'
import type { DepositBody, SandboxDeposits } from './deposits.ts'
import type { SandboxTransactions } from './transactions.ts'

const Text = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 255, description, examples: [example] })

const SendDeposit = requestBody(
  'SendDeposit',
  {
    amount: Type.String({ examples: ['100.00'] }),
    currency: Type.String({ examples: ['USD'] }),
    chain: Type.Optional(Type.String({ description: 'The network that tokens come on', examples: ['BASE'] })),
    rail: Type.Optional(Type.String({ description: 'The rail that a bank transfer comes by', examples: ['ACH'] })),
    reference: Type.Optional(
      Text(
        'From an external account: the transferMessage, or for tokens the transferWalletAddress, of the transaction',
        'SVC7K2MPQ4WX8RTB',
      ),
    ),
    senderName: Type.Optional(Text('Whom the bank names as the sender', 'Ada Example')),
    entryReference: Type.Optional(
      Text('The name that the bank or chain has for it; the same one twice is one deposit', 'statement-7-entry-1'),
    ),
  },
  { description: 'chain or rail, not both', examples: [{ amount: '100.00', currency: 'USD', rail: 'ACH' }] },
)

const SentDeposit = resource('SentDeposit', {
  referenceId: Type.String({ examples: ['sandbox-1'] }),
  amount: Type.String({ examples: ['100.00'] }),
  currency: Type.String({ examples: ['USD'] }),
  paymentMethod: Type.String({ examples: ['ACH'] }),
})

const oneTransaction = { status: 200, description: 'The transaction', schema: TransactionAnswer } as const

export function transactionSandboxRoutes(deposits: SandboxDeposits, transactions: SandboxTransactions): Route[] {
  const shared = { method: 'POST', access: 'sandbox:write', sandboxOnly: true, tag: 'Sandbox' } as const
  return [
    route({
      ...shared,
      path: '/sandbox/payment-accounts/{paymentAccountId}/deposits',
      summary: 'Send money',
      description:
        'To a service wallet: tokens come to its address. To an auto fiat account: a bank transfer comes to it. Of an ' +
        'external account: its owner sends money, with the reference of a transaction or without. The deposit follows ' +
        'within a second, as it would after a bank statement or a final block.',
      params: Type.Object({ paymentAccountId: Uuid }),
      body: SendDeposit,
      answer: { status: 200, description: 'What was sent', schema: SentDeposit },
      handle: ({ caller, params: { paymentAccountId }, readBody, once }) =>
        once(
          (tx, prepared: Awaited<ReturnType<SandboxDeposits['prepare']>>) => deposits.send(tx, caller, prepared),
          () => deposits.prepare(caller, paymentAccountId, readBody as () => DepositBody),
        ),
    }),
    route({
      ...({ ...shared, params: TransactionParams } as const),
      path: '/sandbox/transactions/{transactionId}/advance',
      summary: 'Let banks and chains answer now',
      description: 'Whatever the counterparties of this transaction still take their time for happens at once.',
      answer: oneTransaction,
      handle: ({ caller, params: { transactionId }, once }) =>
        once(
          (tx, transaction: Awaited<ReturnType<SandboxTransactions['find']>>) =>
            transactions.advance(tx, caller, transaction),
          () => transactions.find(caller, transactionId),
        ),
    }),
    route({
      ...({ ...shared, params: TransactionParams } as const),
      path: '/sandbox/transactions/{transactionId}/return',
      summary: 'Let the bank give the payout back',
      description: 'For a COMPLETED transaction that was paid to a bank: it becomes FAILED, the money is kept.',
      refusals: ['CONFLICT'],
      answer: oneTransaction,
      handle: ({ caller, params: { transactionId }, once }) =>
        once(
          (tx, transaction: Awaited<ReturnType<SandboxTransactions['find']>>) =>
            transactions.returnFunds(tx, caller, transaction),
          () => transactions.find(caller, transactionId),
        ),
    }),
  ]
}
