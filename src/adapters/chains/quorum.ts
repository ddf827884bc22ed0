import { NodeError, type NodeErrorKind } from '../../lib/chains/node-error.ts'
import { type Endpoint, RpcError } from './json-rpc.ts'

export type Nodes = {
  endpoints: readonly Endpoint[]
  /** The number of nodes that must give the same answer. */
  quorum: number
  /** Asks one more node after this time, so that one that hangs delays an answer only this long. */
  hedgeMs: number
}

/** The most telling reason first: it is the one to report when no answer was reached. */
const kinds: readonly NodeErrorKind[] = ['wrong chain', 'incomplete', 'reverted', 'refused', 'unavailable']

/**
 * Asks as many nodes as the quorum demands, and one more whenever one fails, differs or hangs. Returns the first answer
 * that enough nodes give. `undefined` (the node does not have it) is the answer only when no node has more: a node that
 * is behind must not hide what others know.
 */
export function agree<Answer>(nodes: Nodes, ask: (endpoint: Endpoint) => Promise<Answer>): Promise<Answer> {
  const { quorum, hedgeMs } = nodes
  const waiting = byHealth(nodes.endpoints)
  const found = new Map<string, { answer: Answer; count: number }>()
  const errors: NodeError[] = []
  const settled = Promise.withResolvers<Answer>()
  let open = 0
  let isOver = false
  const finish = (act: () => void) => {
    isOver = true
    clearInterval(timer)
    act()
  }
  const count = (answer: Answer) => {
    const key = keyOf(answer)
    const seen = found.get(key) ?? { answer, count: 0 }
    seen.count += 1
    found.set(key, seen)
    if (seen.count >= quorum && answer !== undefined) finish(() => settled.resolve(answer))
  }
  /** A revert is an answer, too; another failure makes room for the next node. */
  const fail = (endpoint: Endpoint, failure: unknown) => {
    const error = asNodeError(endpoint.name, failure)
    if (!error) return finish(() => settled.reject(failure))
    errors.push(error)
    const isRevert = ({ kind, data }: NodeError) => kind === 'reverted' && data === error.data
    if (isRevert(error) && errors.filter(isRevert).length >= quorum) finish(() => settled.reject(error))
  }
  const conclude = () => {
    const none = found.get(keyOf(undefined))
    if (none && found.size === 1 && none.count >= quorum) finish(() => settled.resolve(none.answer))
    else finish(() => settled.reject(explain(found, errors, nodes)))
  }
  const isShort = () => {
    const counts = [...found.values()].filter(({ answer }) => answer !== undefined).map((each) => each.count)
    return open + Math.max(0, ...counts) < quorum
  }
  const askNext = () => {
    const endpoint = waiting.shift()
    if (isOver || !endpoint) return
    open += 1
    ask(endpoint)
      .then(
        (answer) => isOver || count(answer),
        (failure: unknown) => isOver || fail(endpoint, failure),
      )
      .finally(() => {
        open -= 1
        if (isOver) return
        if (isShort() && waiting.length > 0) askNext()
        else if (open === 0 && waiting.length === 0) conclude()
      })
  }
  const timer = setInterval(askNext, hedgeMs)
  for (let asked = 0; asked < quorum; asked += 1) askNext()
  return settled.promise
}

/** Asks every node, and waits for those that hang only until enough have answered, and a short while more. */
export function askAll<Answer>(nodes: Nodes, ask: (endpoint: Endpoint) => Promise<Answer>): Promise<Answer[]> {
  const { endpoints, quorum, hedgeMs } = nodes
  const answers: Answer[] = []
  const errors: NodeError[] = []
  const settled = Promise.withResolvers<Answer[]>()
  let grace: NodeJS.Timeout | undefined
  const finish = () => {
    clearTimeout(grace)
    if (answers.length >= quorum) settled.resolve(answers)
    else settled.reject(explain(new Map(), errors, nodes))
  }
  let open = endpoints.length
  const areOthersResting = () => endpoints.filter((each) => !each.isResting()).length <= answers.length
  for (const endpoint of endpoints) {
    ask(endpoint)
      .then(
        (answer) => void answers.push(answer),
        (failure: unknown) => {
          const error = asNodeError(endpoint.name, failure)
          if (error) errors.push(error)
          else settled.reject(failure)
        },
      )
      .finally(() => {
        open -= 1
        if (open === 0 || (answers.length >= quorum && areOthersResting())) finish()
        else if (answers.length >= quorum) grace ??= setTimeout(finish, hedgeMs)
      })
  }
  return settled.promise
}

/** Nodes that failed lately come last, but are still asked when the others do not suffice. */
function byHealth(endpoints: readonly Endpoint[]): Endpoint[] {
  const resting = endpoints.filter((each) => each.isResting())
  return [...endpoints.filter((each) => !resting.includes(each)), ...resting]
}

function keyOf(answer: unknown): string {
  return JSON.stringify(answer, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)) ?? 'none'
}

/** Undefined for an error of ours, which no other node would cure. */
function asNodeError(name: string, error: unknown): NodeError | undefined {
  if (error instanceof NodeError) return error
  if (!(error instanceof RpcError)) return undefined
  // Nodes answer a call that reverts with code 3 (EIP-1474 has no code for it), older ones with -32000 and the word.
  const isRevert = error.code === 3 || /revert/i.test(error.message)
  return new NodeError(isRevert ? 'reverted' : 'refused', `${name}: ${error.message}`, error.data)
}

function explain(found: ReadonlyMap<string, unknown>, errors: readonly NodeError[], { quorum }: Nodes): NodeError {
  if (found.size > 1) {
    return new NodeError('disagreement', `nodes give ${found.size} different answers, and ${quorum} must agree`)
  }
  const [worst] = errors.toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))
  const isRevert = worst?.kind === 'reverted' && errors.filter(({ kind }) => kind === 'reverted').length >= quorum
  if (worst && (isRevert || quorum === 1)) return worst
  return new NodeError('unavailable', `fewer than ${quorum} nodes answered${worst ? `: ${worst.message}` : ''}`)
}
