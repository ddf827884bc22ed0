import Type from 'typebox'
import { type Route, route } from '../http/route.ts'
import { oneOf, requestBody, resource, Uuid } from '../http/wire.ts'
import type { Deposit } from '../transactions/deposits/deposit.ts'
import { sightingStatuses } from '../transactions/deposits/sightings/sighting.ts'
import { DepositAnswer, DepositParams } from '../transactions/deposits/wire.ts'
import { TransactionAnswer, TransactionParams } from '../transactions/wire.ts'
import type { DepositBody, ReversalBody, SandboxDeposits } from './deposits.ts'
import type { SandboxTransactions } from './transactions.ts'

const Text = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 255, description, examples: [example] })

const SendDeposit = requestBody(
  'SendDeposit',
  {
    amount: Type.String({ examples: ['100.00'] }),
    currency: Type.String({ examples: ['USD'] }),
    chain: Type.Optional(Type.String({ description: 'The network of the token transfer', examples: ['BASE'] })),
    rail: Type.Optional(Type.String({ description: 'The rail of the bank transfer', examples: ['ACH'] })),
    reference: Type.Optional(
      Text(
        'For an external account: the transferMessage of the transaction, or its transferWalletAddress for tokens',
        'SVC7K2MPQ4WX8RTB',
      ),
    ),
    senderName: Type.Optional(Text('The name of the sender at the bank', 'Ada Example')),
    senderAddress: Type.Optional(
      Text(
        'The address that sends tokens; by default that of an external wallet, else an address of no customer. A ' +
          'transfer from an address of Svc is recorded, and no deposit follows',
        '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      ),
    ),
    entryReference: Type.Optional(
      Text(
        'The reference of the bank or chain. A request with the same reference and content repeats the entry; one ' +
          'with other content is quarantined, as a bank that uses a reference twice causes it',
        'statement-7-entry-1',
      ),
    ),
  },
  { description: 'Send either chain or rail', examples: [{ amount: '100.00', currency: 'USD', rail: 'ACH' }] },
)

export const SentDeposit = resource('SentDeposit', {
  referenceId: Type.String({ examples: ['sandbox-1'] }),
  sightingStatus: oneOf(
    sightingStatuses,
    'RECORDED: a deposit follows, except from an address of Svc and for less than a cent. REPEATED: this entry was reported before. QUARANTINED: another entry has this ' +
      'reference; no deposit follows until the operator of the deployment accepts it',
  ),
  amount: Type.String({ examples: ['100.00'] }),
  currency: Type.String({ examples: ['USD'] }),
  paymentMethod: Type.String({ examples: ['ACH'] }),
})

const ReverseDeposit = requestBody(
  'ReverseDeposit',
  {
    amount: Type.Optional(Type.String({ description: 'All that is left of it when absent', examples: ['100.00'] })),
    reversalReference: Type.Optional(
      Text('The reference of the reversal. A request with the same reference repeats it', 'reversal-1'),
    ),
    reason: Type.Optional(Text('The code of the bank', 'R10')),
  },
  { examples: [{ reason: 'R10' }] },
)

const shared = { method: 'POST', access: 'sandbox:write', sandboxOnly: true, tag: 'Sandbox' } as const
const oneTransaction = { status: 200, description: 'The transaction', schema: TransactionAnswer } as const

export function transactionSandboxRoutes(deposits: SandboxDeposits, transactions: SandboxTransactions): Route[] {
  return [
    route({
      ...shared,
      path: '/sandbox/payment-accounts/{paymentAccountId}/deposits',
      summary: 'Simulate an incoming transfer',
      description:
        'For a service wallet: tokens arrive at its address. For an auto fiat account: a bank transfer arrives. For ' +
        'an external account: its owner sends money, with or without the reference of a transaction. The deposit ' +
        'follows within a second, as after a bank statement or a final block.',
      params: Type.Object({ paymentAccountId: Uuid }),
      body: SendDeposit,
      answer: { status: 200, description: 'The transfer', schema: SentDeposit },
      handle: ({ caller, params: { paymentAccountId }, readBody, once }) =>
        once(
          (tx, prepared: Awaited<ReturnType<SandboxDeposits['prepare']>>) => deposits.send(tx, caller, prepared),
          (key) => deposits.prepare(caller, paymentAccountId, readBody as () => DepositBody, key),
        ),
    }),
    reverseRoute(deposits),
    route({
      ...shared,
      params: TransactionParams,
      path: '/sandbox/transactions/{transactionId}/advance',
      summary: 'Settle the transfers of a transaction now',
      description:
        'The sandbox banks and chains complete all pending transfers of the transaction without their usual delay.',
      answer: oneTransaction,
      handle: ({ caller, params: { transactionId }, once }) =>
        once(
          (tx, transaction: Awaited<ReturnType<SandboxTransactions['find']>>) =>
            transactions.advance(tx, caller, transaction),
          () => transactions.find(caller, transactionId),
        ),
    }),
    route({
      ...shared,
      params: TransactionParams,
      path: '/sandbox/transactions/{transactionId}/return',
      summary: 'Return the payout of a transaction',
      description:
        'For a COMPLETED transaction with a bank destination: the bank returns the payout. The transaction becomes ' +
        'FAILED, and Svc keeps the returned funds.',
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

type Reversal = { deposit: Deposit; body: ReversalBody; held: Awaited<ReturnType<SandboxDeposits['findHeld']>> }

function reverseRoute(deposits: SandboxDeposits): Route {
  return route({
    ...shared,
    path: '/sandbox/deposits/{depositId}/reverse',
    summary: 'Reverse a deposit',
    description:
      'The bank or chain takes the deposit back, all of it or a part: an ACH reversal, a recall, a dropped block. ' +
      'Once all of it is taken back, the deposit is REVERSED. If the customer has had the money, no payout of the ' +
      'customer starts until the operator of the deployment has recovered it or written it off. If the sandbox has a ' +
      'bank with files, the bank notifies it (camt.054), and the deposit changes when Svc has read the file.',
    refusals: ['CONFLICT'],
    params: DepositParams,
    body: ReverseDeposit,
    answer: { status: 200, description: 'The deposit', schema: DepositAnswer },
    handle: ({ caller, params: { depositId }, readBody, once }) =>
      once(
        (tx, { deposit, body, held }: Reversal) => deposits.reverse(tx, caller, deposit, body, held),
        async () => {
          const deposit = await deposits.find(caller, depositId)
          return { deposit, body: readBody() as ReversalBody, held: await deposits.findHeld(deposit) }
        },
      ),
  })
}
