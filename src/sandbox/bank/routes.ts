import { type Route, route } from '../../http/route.ts'
import { DepositAnswer } from '../../transactions/deposits/wire.ts'
import { TransactionAnswer } from '../../transactions/wire.ts'
import type { BankActs } from './acts.ts'
import type { HeldAccount } from './formats.ts'
import * as wire from './wire.ts'

const shared = { method: 'POST', access: 'sandbox:write', sandboxOnly: true, tag: 'Sandbox bank' } as const

type Found = Awaited<ReturnType<BankActs['findReturn']>>
type FoundRecall = Awaited<ReturnType<BankActs['findRecall']>>

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
      path: '/sandbox/bank/recalls',
      summary: "Let the payer's bank want a deposit back",
      description:
        'The bank writes a recall (camt.056). When Svc has read it, nothing of the deposit leaves until an operator ' +
        'answers: see `POST /deposits/{depositId}/recall`. After an ACCEPT, let the bank take the money back with ' +
        '`POST /sandbox/deposits/{depositId}/reverse`.',
      body: wire.RecallByBank,
      refusals: ['NOT_FOUND', 'CONFLICT'],
      answer: { status: 200, description: 'The deposit', schema: DepositAnswer },
      handle: ({ caller, readBody, once }) =>
        once(
          (tx, found: FoundRecall) => acts.recall(tx, caller, found),
          () => acts.findRecall(caller, readBody),
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
