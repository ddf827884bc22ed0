import { type Route, route } from '../../http/route.ts'
import { TransactionAnswer } from '../../transactions/wire.ts'
import type { BankActs } from './acts.ts'
import type { HeldAccount } from './formats.ts'
import * as wire from './wire.ts'

const shared = { method: 'POST', access: 'sandbox:write', sandboxOnly: true, tag: 'Sandbox bank' } as const

type Found = Awaited<ReturnType<BankActs['findReturn']>>

/** The operations of the sandbox's bank. Each makes it write a file, which Svc reads like that of a real bank. */
export function sandboxBankRoutes(acts: BankActs): Route[] {
  return [
    route({
      ...shared,
      path: '/sandbox/bank/deposits',
      summary: 'Send money to a bank account of Svc',
      description:
        "The sandbox's bank credits the account and writes a notification (camt.054) into the folder of incoming " +
        'files. The deposit follows when Svc has read the file; its referenceId is that of the answer.',
      body: wire.SendBankDeposit,
      refusals: ['CONFLICT'],
      answer: { status: 200, description: 'The transfer', schema: wire.SentBankDeposit },
      handle: ({ caller, readBody, once }) =>
        once(
          (tx, account: HeldAccount) => acts.deposit(tx, caller, account, readBody()),
          () => acts.findAccount(readBody().bankAccountId),
        ),
    }),
    route({
      ...shared,
      path: '/sandbox/bank/returns',
      summary: 'Let the bank return a payout, with a code',
      description:
        'For a COMPLETED transaction with a bank destination. The bank writes a file of returns (NACHA for ACH, ' +
        'pacs.004 for other rails), and its next statement lists the credit. The transaction becomes FAILED when Svc ' +
        'has read the file.',
      body: wire.ReturnByBank,
      refusals: ['NOT_FOUND', 'CONFLICT'],
      answer: { status: 200, description: 'The transaction', schema: TransactionAnswer },
      handle: ({ caller, readBody, once }) =>
        once(
          (tx, found: Found) => acts.returnFunds(tx, caller, found),
          () => acts.findReturn(caller, readBody),
        ),
    }),
    route({
      ...shared,
      path: '/sandbox/bank/statements',
      summary: 'Let the bank write a statement now',
      description:
        'The bank writes a statement (camt.053) after each day with entries. This one lists all entries since the ' +
        'last statement.',
      body: wire.WriteStatement,
      refusals: ['CONFLICT'],
      answer: { status: 200, description: 'The account', schema: wire.WrittenStatement },
      handle: ({ caller, readBody, once }) =>
        once(
          (tx, account: HeldAccount) => acts.state(tx, caller, account),
          () => acts.findAccount(readBody().bankAccountId),
        ),
    }),
  ]
}
