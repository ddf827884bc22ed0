import Type, { type Static, type TObject, type TSchema } from 'typebox'
import type { Caller, Scope } from '../lib/caller.ts'
import type { RefusalCode } from '../lib/refusal.ts'

/** What a handler gets. The body is validated when asked for, because a 404 or a wrong state is told before it. */
export type Request<Params, Query, Body> = {
  caller: Caller
  params: Params
  query: Query
  readBody(): Body
  requestId: string
}

export type Access = Scope | 'public'

/** One HTTP operation: the single source of its routing, validation, types and documentation. */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  access: Access
  sandboxOnly: boolean
  /** Asked by infrastructure: answers over plain http too; metrics from allowed addresses only. */
  probe?: 'health' | 'metrics'
  tag: string
  summary: string
  description?: string
  params: TObject
  query: TObject
  body: TObject | undefined
  answer: { status: 200 | 201; description: string; schema: TSchema; mediaType?: string }
  refusals: readonly RefusalCode[]
  handle(request: Request<unknown, unknown, unknown>): Promise<unknown>
}

type Declared<Params extends TObject, Query extends TObject, Body extends TObject> = Omit<
  Route,
  'params' | 'query' | 'body' | 'handle' | 'refusals' | 'sandboxOnly'
> & {
  params?: Params
  query?: Query
  body?: Body
  sandboxOnly?: boolean
  /** What this operation refuses beside what every operation does (see commonRefusals in openapi.ts). */
  refusals?: readonly RefusalCode[]
  handle(request: Request<Static<Params>, Static<Query>, Static<Body>>): Promise<unknown>
}

const nothing = Type.Object({}, { additionalProperties: false })

export function route<
  Params extends TObject = TObject<Record<never, never>>,
  Query extends TObject = TObject<Record<never, never>>,
  Body extends TObject = TObject<Record<never, never>>,
>(declared: Declared<Params, Query, Body>): Route {
  return {
    ...declared,
    sandboxOnly: declared.sandboxOnly ?? false,
    params: declared.params ?? nothing,
    query: declared.query ?? nothing,
    body: declared.body,
    refusals: declared.refusals ?? [],
    handle: declared.handle as Route['handle'],
  }
}
