import type { ComponentChildren } from 'preact'
import { Heading, Layout } from '../pages/layout.tsx'
import { texts } from '../texts/words.ts'

type FrameProps = { title: string; hint: string; of: string; children?: ComponentChildren; above?: ComponentChildren }

/** A page of this form: its heading, and what stands above and below it. */
export function Frame({ title, hint, of, above, children }: FrameProps) {
  return (
    <Layout about={texts.bank.brand}>
      {above}
      <Heading title={title} of={of} form={texts.bank.title} />
      <p class="lead">{hint}</p>
      {children}
    </Layout>
  )
}

type StatusProps = { kind: 'active' | 'waiting' | 'closed'; title: string; text: string; children?: ComponentChildren }

/** A page that says how the account stands. */
export function Status({ kind, title, text, children }: StatusProps) {
  return (
    <Layout about={texts.bank.brand}>
      <div class={`status ${kind}`}>
        <span class="mark" aria-hidden="true" />
        <Heading title={title} of={title} form={texts.bank.title} />
        <p class="lead">{text}</p>
        {children}
      </div>
    </Layout>
  )
}

/** Pairs of a label and an answer. */
export function Answers({ pairs }: { pairs: readonly (readonly [label: string, answer: string])[] }) {
  return (
    <section class="answers">
      <dl>
        {pairs
          .filter(([, answer]) => answer !== '')
          .map(([label, answer]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <bdi>{answer}</bdi>
              </dd>
            </div>
          ))}
      </dl>
    </section>
  )
}
