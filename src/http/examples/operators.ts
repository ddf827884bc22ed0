import { integrator, payout, records, story } from './story.ts'

const day = '2025-11-24'
const file = 'SVC0199F3A27C1E7D558C1B5A0F6B1F4A34'

/** The file that takes the payout of the rule to our bank. */
export const exampleBankFile = {
  bankFileId: records.bankFileId,
  direction: 'OUTGOING',
  bankFileStatus: 'RELEASED',
  name: `ach-${file}.ach`,
  format: 'NACHA',
  messageId: file,
  bankAccountId: 'usd-main',
  service: 'ACH',
  executionDate: day,
  itemCount: 1,
  total: payout.destinationAmount,
  currency: 'USD',
  bankStatus: 'ACCEPTED',
  deliveries: 1,
  createdAt: payout.approvedAt,
  updatedAt: payout.paidAt,
}

const comparedAt = '2025-11-25T00:00:05.000Z'
const item = {
  state: 'MATCHED',
  kind: 'PAYOUT',
  reference: payout.bankReference,
  amount: `-${payout.destinationAmount}`,
  ageDays: 0,
  isAged: false,
  matchedOn: day,
}

export const operatorOperations = {
  getReconciliation: {
    answer: {
      date: day,
      networks: [{ network: 'BASE', isCompared: true, comparedAt, block: { number: '21904551', hash: '0x5f1c…' } }],
      accounts: [
        {
          account: 'usd-main',
          currency: 'USD',
          ledger: '51.25',
          outside: '51.25',
          difference: '0.00',
          lastStatement: day,
          items: [item],
        },
      ],
      nextPageToken: '',
    },
  },
  getStatementAsCsv: {
    answer:
      'date,kind,reference,bankReference,fact,posting,amount,balance\r\n' +
      `${day},OPENING_BALANCE,,,,,,100.00\r\n` +
      `${day},PAYOUT,${payout.bankReference},B-77,PAYOUT,transaction:${payout.transactionId}:payout,-48.75,51.25\r\n` +
      `${day},CLOSING_BALANCE,,,,,,51.25\r\n`,
  },
  listAuditEntries: {
    answer: {
      entries: [
        {
          auditId: records.auditId,
          organizationId: story.organizationId,
          at: story.createdAt,
          actor: `api_key:${integrator.apiKeyId}`,
          act: 'payment_account.created',
          subjectId: story.bankAccountId,
          sourceAddress: '192.0.2.7',
          details: { paymentAccountType: 'EXTERNAL_BANK_ACCOUNT' },
        },
      ],
      nextPageToken: '',
    },
  },
  getReadiness: { answer: { status: 'ready', concerns: [] } },
}
