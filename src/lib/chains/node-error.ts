export type Hex = `0x${string}`

/**
 * The kinds of failures of nodes.
 *
 * - `wrong chain`: a node belongs to another network
 * - `unavailable`: too few nodes answered in time
 * - `disagreement`: nodes answered, but too few of them the same
 * - `incomplete`: an answer contradicts the header of its block
 * - `reverted`: a call reverted; `data` is the revert's data
 * - `refused`: the nodes refused the request
 */
export type NodeErrorKind = 'wrong chain' | 'unavailable' | 'disagreement' | 'incomplete' | 'reverted' | 'refused'

/** A question that the nodes of a network did not answer as the port demands. */
export class NodeError extends Error {
  readonly kind: NodeErrorKind
  readonly data: Hex | undefined
  constructor(kind: NodeErrorKind, message: string, data?: Hex) {
    super(message)
    this.name = 'NodeError'
    this.kind = kind
    this.data = data
  }
}
