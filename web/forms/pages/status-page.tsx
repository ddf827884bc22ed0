import { useForm } from '../fields/context.ts'
import { formatDay } from '../texts/format.ts'
import { textAt, texts } from '../texts/words.ts'
import { Heading, Layout } from './layout.tsx'

/** The page of a form that cannot be changed: it says honestly how it stands, and follows by itself. */
export function StatusPage() {
  const { store } = useForm()
  const { status, reviewDueAt } = store.state
  const [title = texts.title, text = ''] = textAt(texts.status, status) ?? []
  const day = reviewDueAt && formatDay(new Date(reviewDueAt))
  return (
    <Layout>
      <div class={`status ${status.toLowerCase()}`}>
        <span class="mark" aria-hidden="true" />
        <Heading title={title} of={status} />
        <p class="lead">{text}</p>
        {day && <p>{texts.review(day)}</p>}
        {(status === 'UNDER_REVIEW' || store.isEnded) && (
          <p class="quiet" role="status">
            {store.isEnded ? texts.notLive : texts.live}
          </p>
        )}
      </div>
    </Layout>
  )
}
