/** The event flags of a list row, in the order of the spec (spec: Integration (list item)). */
export const listedFlags = [
  "commit_events",
  "push_events",
  "issues_events",
  "confidential_issues_events",
  "merge_requests_events",
  "tag_push_events",
  "note_events",
  "confidential_note_events",
  "pipeline_events",
  "wiki_page_events",
  "job_events",
  "comment_on_event_enabled",
] as const;
