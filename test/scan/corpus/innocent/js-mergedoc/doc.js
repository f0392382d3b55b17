/**
 * Old: query { mergeRequest { defaultMergeCommitMessageWithDescription } }
 * curl https://code.example.com/api/v4/runners?status=paused
 */
export const query = gql`query { mergeRequest { defaultMergeCommitMessage } }`;
throw new Error(`query { package(id: 1) { pipelines { nodes { id } } } }`);
