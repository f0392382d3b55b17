glab api graphql -f query='
  query { project(fullPath: "a/b") { mergeRequest(iid: "1") { defaultMergeCommitMessageWithDescription } } }'
