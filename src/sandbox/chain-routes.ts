import Type, { type Static } from 'typebox'
import { genesisHashes } from '../catalog/chain-ids.ts'
import { networks } from '../catalog/currencies.ts'
import { exampleChain } from '../http/examples/sandbox.ts'
import { type Route, route } from '../http/route.ts'
import { CurrencyAnswer, oneOf, requestBody, resource } from '../http/wire.ts'
import { type ChainAct, causeFault, type FaucetBody, type SandboxChains } from './chain-service.ts'
import { faultKinds } from './chains/faults.ts'
import { nativeCurrency } from './chains/networks.ts'

export const SandboxChainAnswer = resource(
  'SandboxChain',
  {
    network: oneOf(networks),
    chainId: Type.Optional(Type.Integer({ description: 'Of an EVM network', examples: [84_532] })),
    genesisHash: Type.Optional(Type.String({ description: 'Of SOLANA', examples: [genesisHashes.sandbox] })),
    rpcUrl: Type.String({
      description: 'The JSON-RPC node, on this machine',
      examples: ['http://127.0.0.1:8545/base'],
    }),
    currencies: Type.Array(CurrencyAnswer),
    latestBlock: Type.Integer({ minimum: 0, description: 'On SOLANA, the slot', examples: [7] }),
    finalizedBlock: Type.Integer({ minimum: 0, examples: [5] }),
    paused: Type.Boolean({ description: 'true: blocks come only from POST …/mine' }),
    pendingTransactions: Type.Integer({ minimum: 0, description: 'Transactions that wait for a block' }),
    faults: Type.Array(
      resource('SandboxChainFault', { kind: oneOf(faultKinds), calls: Type.Integer({ minimum: 1, examples: [3] }) }),
      { description: 'Faults that are still to happen' },
    ),
  },
  exampleChain,
)

export const SandboxChainList = resource('SandboxChains', { chains: Type.Array(SandboxChainAnswer) })

export const FaucetGift = resource('FaucetGift', {
  network: oneOf(networks),
  transactionHash: Type.String({ examples: [`0x${'5c'.repeat(32)}`] }),
  isMined: Type.Boolean({ description: 'false while the network is paused' }),
  address: Type.String({ examples: ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'] }),
  currency: Type.String({ examples: ['USDC'] }),
  amount: Type.String({ examples: ['100.00'] }),
})

const MineBlocks = requestBody('MineBlocks', {
  blocks: Type.Integer({ minimum: 1, maximum: 1_000, examples: [3] }),
})
const ReorganizeChain = requestBody('ReorganizeChain', {
  depth: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    description: 'The number of blocks to replace. The new branch of an EVM network is one block longer',
    examples: [2],
  }),
  drop: Type.Optional(
    Type.Boolean({
      description: 'true: the transactions of the replaced blocks are gone. Else they move to new blocks',
    }),
  ),
})
const SetFees = requestBody('SetFees', {
  multiplier: Type.Number({
    minimum: 0.001,
    maximum: 10_000,
    description: 'The fees of the next blocks, as a multiple of the usual ones',
    examples: [50],
  }),
})
const CauseFault = requestBody('CauseFault', {
  kind: oneOf(faultKinds, 'How the node misbehaves'),
  calls: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: 'The number of calls of the node that fail; 0 ends the fault',
    examples: [3],
  }),
})
const AskFaucet = requestBody('AskFaucet', {
  address: Type.String({ examples: ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'] }),
  currency: Type.String({ description: `A token of the network, or ${nativeCurrency}`, examples: ['USDC'] }),
  amount: Type.String({ examples: ['100.00'] }),
})

const NetworkPath = Type.Object({
  network: Type.String({ description: `One of ${networks.join(', ')}`, examples: ['BASE'] }),
})

const shared = { access: 'sandbox:write', sandboxOnly: true, tag: 'Sandbox', refusals: ['CONFLICT'] } as const
const oneChain = { status: 200, description: 'The network', schema: SandboxChainAnswer } as const

/** The operations on local chains that only differ in their body and their effect. */
const acts = [
  {
    name: 'mine',
    summary: 'Mine blocks',
    description: 'Also while the network is paused. On SOLANA, this many slots pass at once.',
    body: MineBlocks,
    toAct:
      ({ blocks }: Static<typeof MineBlocks>): ChainAct =>
      (control, network, key) =>
        control.mine(network, { blocks, key }),
  },
  {
    name: 'reorg',
    summary: 'Replace the newest blocks of a network',
    description:
      'A reorganization: another branch of the chain wins. Final blocks stay, so pause the network first: then the ' +
      'blocks of your transfers do not become final by themselves. On SOLANA, a fork is abandoned: its slots stay ' +
      'without a block.',
    body: ReorganizeChain,
    toAct:
      (body: Static<typeof ReorganizeChain>): ChainAct =>
      (control, network, key) =>
        control.reorg(network, { ...body, key }),
  },
  {
    name: 'pause',
    summary: 'Pause the blocks of a network',
    description: 'Transactions wait. Blocks come only from POST /sandbox/chains/{network}/mine.',
    body: undefined,
    toAct: (): ChainAct => (control, network) => control.pause(network),
  },
  {
    name: 'resume',
    summary: 'Let a network mine by itself again',
    description: 'The network mines the transactions that wait, and then as many blocks as make them final.',
    body: undefined,
    toAct: (): ChainAct => (control, network) => control.resume(network),
  },
  {
    name: 'fees',
    summary: 'Change the fees of a network',
    description:
      'The base fee and the tip of the next blocks; on SOLANA, the price of compute units, which is wanted above the ' +
      'usual fees only. Transactions that offer less wait.',
    body: SetFees,
    toAct:
      ({ multiplier }: Static<typeof SetFees>): ChainAct =>
      (control, network) =>
        control.fees(network, { multiplier }),
  },
  {
    name: 'fault',
    summary: 'Let the node of a network misbehave',
    description:
      'Every node: down closes the connection, slow answers after ten seconds, rate_limited answers 429; stale_head, ' +
      'null_receipt and wrong_chain_id give a wrong answer; drop_transaction takes a transaction and loses it. ' +
      'EVM: empty_logs gives a wrong answer, already_known takes a transaction and refuses it, nonce_too_low refuses ' +
      'it. SOLANA: empty_signatures gives a wrong answer, already_processed takes a transaction and refuses it, ' +
      'expired_blockhash refuses it, node_behind refuses it and lets getHealth fail.',
    body: CauseFault,
    toAct: (body: Static<typeof CauseFault>): ChainAct => causeFault(body),
  },
] as const

export function chainRoutes(chains: SandboxChains): Route[] {
  return [
    route({
      method: 'GET',
      path: '/sandbox/chains',
      access: 'sandbox:read',
      sandboxOnly: true,
      tag: 'Sandbox',
      summary: 'List the local networks and their nodes',
      description:
        'Any client of EVM networks or of Solana can look at them: each has a JSON-RPC node on the machine of Svc. The ' +
        'list is empty when the sandbox only simulates its networks. The networks belong to the whole sandbox.',
      answer: { status: 200, description: 'The networks', schema: SandboxChainList },
      handle: () => chains.list(),
    }),
    ...acts.map((act) => actRoute(chains, act)),
    route({
      ...shared,
      method: 'POST',
      path: '/sandbox/chains/{network}/faucet',
      summary: 'Get test money for a wallet of your own',
      description: `Tokens, or with ${nativeCurrency} the coin that pays for gas. The address need not be known to Svc.`,
      params: NetworkPath,
      body: AskFaucet,
      answer: { status: 200, description: 'The gift', schema: FaucetGift },
      handle: ({ caller, params: { network }, readBody, once }) =>
        once(
          async (tx, gift: Awaited<ReturnType<SandboxChains['give']>>) => {
            await chains.record(tx, caller, 'faucet', network, gift)
            return gift
          },
          (key) => chains.give(chains.open(network), key, readBody() as FaucetBody),
        ),
    }),
  ]
}

type Act = Omit<(typeof acts)[number], 'body' | 'toAct'> & {
  body: typeof MineBlocks | typeof ReorganizeChain | typeof SetFees | typeof CauseFault | undefined
  toAct: (body: never) => ChainAct
}

function actRoute(chains: SandboxChains, { name, summary, description, body, toAct }: Act): Route {
  return route({
    ...shared,
    method: 'POST',
    path: `/sandbox/chains/{network}/${name}`,
    summary,
    description,
    params: NetworkPath,
    ...(body ? { body } : {}),
    answer: oneChain,
    handle: async ({ caller, params: { network }, readBody, once }) => {
      const opened = chains.open(network)
      const given = readBody()
      return once(
        async (tx, chain: Awaited<ReturnType<SandboxChains['act']>>) => {
          await chains.record(tx, caller, name, network, given)
          return chain
        },
        (key) => chains.act(opened, key, toAct(given as never)),
      )
    },
  })
}
