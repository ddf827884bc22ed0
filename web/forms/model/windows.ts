import { base } from './api.ts'

/** The windows of this browser share one session, in a cookie: they hear when one of them ends it. */
const channel = new BroadcastChannel(`svc form ${base}`)

export function tellLeaving(): void {
  channel.postMessage('left')
}

export function followLeaving(onLeft: () => void): void {
  channel.onmessage = onLeft
}
