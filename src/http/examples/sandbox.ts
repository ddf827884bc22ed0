import { integrator, story } from './story.ts'
import { exampleEvent } from './webhooks.ts'

/** The local chain on which Ada's wallet receives USDC. */
export const exampleChain = {
  network: 'BASE',
  chainId: 84_532,
  rpcUrl: 'http://127.0.0.1:8545/base',
  currencies: [story.usdc],
  latestBlock: 7,
  finalizedBlock: 5,
  paused: false,
  pendingTransactions: 0,
  faults: [],
}

const drop = { kind: 'drop_transaction', calls: 3 }

/** An inbox that the webhook may send to. */
export const exampleInbox = {
  inboxId: integrator.inboxId,
  url: 'http://127.0.0.1:8080/sandbox/receive/AZnzonwefVWMG1oPax9KJwGZ86J8Hn1VjBtaD2sfShE',
  answerStatus: 200,
  received: 1,
  createdAt: story.createdAt,
}

export const sandboxOperations = {
  moveSandboxClock: { answer: { now: '2025-11-21T10:05:01.000Z', frozen: false } },
  mineSandboxBlocks: { answer: { ...exampleChain, latestBlock: 10, finalizedBlock: 8 } },
  reorganizeSandboxChain: { answer: { ...exampleChain, latestBlock: 8 } },
  pauseSandboxChain: { answer: { ...exampleChain, paused: true } },
  causeSandboxChainFault: { request: drop, answer: { ...exampleChain, faults: [drop] } },
  askSandboxFaucet: {
    request: { address: story.wallet, currency: 'USDC', amount: '100.00' },
    answer: {
      network: 'BASE',
      transactionHash: `0x${'5c'.repeat(32)}`,
      isMined: true,
      address: story.wallet,
      currency: 'USDC',
      amount: '100.00',
    },
  },
  createSandboxInbox: { answer: { ...exampleInbox, received: 0 } },
  updateSandboxInbox: { answer: { ...exampleInbox, answerStatus: 500 } },
  listSandboxInboxRequests: {
    answer: {
      requests: [
        {
          number: 1,
          receivedAt: story.depositedAt,
          eventId: integrator.eventId,
          signature: { outcome: 'VALID' },
          answeredStatus: 200,
          erased: false,
          headers: { 'content-type': 'application/json', 'webhook-id': integrator.eventId },
          body: JSON.stringify(exampleEvent),
          bodyEncoding: 'utf8',
        },
      ],
      nextPageToken: '',
    },
  },
  sendToSandboxInbox: { answer: { received: true } },
}
